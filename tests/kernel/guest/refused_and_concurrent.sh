# Starts in which a step is refused: by a kernel that lacks an action, and by tc in the middle. Then several calls at
# once.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab

# beside STEP CALL: like `call`, but in the background.
beside() {
	{
		dash "$WORK/router.sh" "$2" >"$out/$leg/$1.out" 2>"$out/$leg/$1.err"
		echo $? >"$out/$leg/$1.code"
	} &
}

refused() {
	state before
	call start start
	state after
	note ping busybox ping -c 1 -W 5 198.51.100.1
	note forwarded busybox ping -c 1 -W 5 -I 192.168.1.1 198.51.100.1
}

ip addr add 192.168.1.1/24 dev br-lan
ip -n net route add 192.168.1.0/24 via 198.51.100.2

leg no-action
echo 'install act_police /bin/false' >/etc/modprobe.d/no-police.conf
refused
rm /etc/modprobe.d/no-police.conf

leg in-the-middle
refuse_a_step
refused
note line cat /run/line
refuse_no_step

leg together
state before
beside one start
beside two start
beside three start
wait
call check check
beside stop stop
beside restart restart
beside reload start
wait
call check-after check
call stop-after stop
state after

leg modes
(
	umask 0
	call start start
)
note writable find /run/qosc -perm /022
call stop stop

# Folders in which others could replace the records.
leg shared
mkdir -p /run/theirs/alone
ln -s /run/theirs /run/qosc
call link start
call link-stop stop
rm /run/qosc
mkdir -m 777 /run/qosc
call writable start
mkdir -p /run/qosc
chown 65534 /run/qosc
call owner start
chown 0 /run/qosc
mkdir -p /run/qosc/alone
chown 65534 /run/qosc/alone
mkfifo /run/qosc/alone/before /run/qosc/alone/state
for step in start check status dump; do call inner-$step $step; done
rm -r /run/qosc
note theirs find /run/theirs
state after

# Somebody forgot sudo. The work directory is only for root.
leg user
install -m 644 "$WORK/router.sh" /run/user.sh
chmod 755 /run
for step in start check; do
	note $step setpriv --reuid 65534 --regid 65534 --clear-groups dash /run/user.sh $step
done

leg locked
hold 100
beside waiting start
sleep 3
note waited ls "$out/$leg/waiting.code"
kill "$holder"
wait
note files find /run/qosc/alone -size +0 ! -name alone
call stop stop
exit 0
