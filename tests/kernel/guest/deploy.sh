# `qosc deploy` from a host of the LAN to the router, which runs a real sshd. Files: home.yaml and changed.yaml.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
ip addr add 192.168.1.1/24 dev br-lan
ip -n lan addr add 192.168.1.2/24 dev br-lan

# The guest's own copies of what ssh and sshd read.
keys=/run/keys
mkdir -p $keys /run/sshd /etc/qosc "$HOME/.ssh"
for key in host other mine foreign; do
	ssh-keygen -q -t ed25519 -N '' -f $keys/$key
done
cp $keys/mine.pub $keys/authorized
echo "authorized users only" >$keys/banner
echo "visitor:x:4242:4242::/:/bin/sh" >>/etc/passwd
echo "visitor:*:19000:0:99999:7:::" >>/etc/shadow

# sshd runs this in place of each command, and it notes whether the copy for the boot exists.
cat >/run/command <<-'EOT'
	#!/bin/sh
	copy=no
	[ ! -e /etc/qosc/home.sh ] || copy=yes
	echo "$copy $SSH_ORIGINAL_COMMAND" >>/run/commands
	[ ! -e /run/before ] || /run/before
	sh -c "$SSH_ORIGINAL_COMMAND"
	code=$?
	[ ! -e /run/after ] || /run/after
	exit $code
EOT
chmod +x /run/command
cat >/run/sshd_config <<-EOT
	HostKey $keys/host
	PidFile /run/sshd.pid
	AuthorizedKeysFile $keys/authorized
	StrictModes no
	UsePAM no
	PermitRootLogin yes
	PasswordAuthentication yes
	Banner $keys/banner
	ForceCommand /run/command
EOT
# The command is the user's own, so the user must be able to note it.
: >/run/commands
chmod 666 /run/commands

# The names of the router, one for each way to log in. 192.168.1.9 is nobody's. For each key, the first value counts.
cat >"$HOME/.ssh/config" <<-EOT
	Host unknown
	    HostKeyAlias unknown
	Host changed
	    HostKeyAlias changed
	Host stranger
	    IdentityFile $keys/foreign
	Host visitor
	    User visitor
	Host absent
	    HostName 192.168.1.9
	Host closed
	    Port 2222
	Host * !stranger
	    IdentityFile $keys/mine
	Host *
	    HostName 192.168.1.1
	    User root
	    HostKeyAlias router
	    IdentitiesOnly yes
	    UserKnownHostsFile $keys/known
EOT
{
	echo "router $(cat $keys/host.pub)"
	echo "changed $(cat $keys/other.pub)"
} >$keys/known

listen_for_ssh() { /usr/sbin/sshd -f /run/sshd_config -E /run/sshd.log; }
listen_for_ssh

# from_lan STEP ARGUMENT...: runs qosc on the host of the LAN.
from_lan() {
	step=$1
	shift
	: >/run/commands
	note "$step" ip netns exec lan "$QOSC" "$@"
	cp /run/commands "$out/$leg/$step.commands"
	ls -R /etc/qosc /etc/network/if-up.d >"$out/$leg/$step.files"
}

cd "$WORK" || exit 1
SCRIPT=home.sh

leg refused
state before
from_lan deploy deploy home.yaml unknown changed stranger visitor absent closed
state after

# The first contact changes nothing, and one bad host does not stop the others.
leg first
from_lan dry deploy --dry-run home.yaml router
state dry
from_lan deploy deploy home.yaml stranger router absent
call check check
call dump dump
note same cmp /etc/qosc/home.sh "$WORK/home.sh"
state first

leg second
listen second
from_lan deploy deploy home.yaml router
heard
from_lan hooks deploy --system debian home.yaml router
from_lan again deploy --system debian home.yaml router
state second

# The change stops sshd from taking new connections. The old connection lives on.
leg cut
cat >/run/after <<-'EOT'
	#!/bin/sh
	case $SSH_ORIGINAL_COMMAND in
	*" try "*) kill "$(cat /run/sshd.pid)" ;;
	esac
EOT
chmod +x /run/after
from_lan deploy deploy --trial 20 changed.yaml router
call trial status
rm /run/after
over home
listen_for_ssh
call dump dump
call check check
note same cmp /etc/qosc/home.sh "$WORK/home.sh"

# The change cuts the LAN, and with it the connection of the trial.
leg gone
cat >/run/before <<-'EOT'
	#!/bin/sh
	case $SSH_ORIGINAL_COMMAND in
	*" try "*) ip link set br-lan down ;;
	esac
EOT
chmod +x /run/before
from_lan deploy deploy --trial 30 changed.yaml router
rm /run/before
over home
ip link set br-lan up
settle
call dump dump
note same cmp /etc/qosc/home.sh "$WORK/home.sh"

# The change cuts the connection of the trial for a while.
leg blinked
cat >/run/before <<-'EOT'
	#!/bin/sh
	case $SSH_ORIGINAL_COMMAND in
	*" try "*)
		ip link set br-lan down
		(sleep 25; ip link set br-lan up) </dev/null >/dev/null 2>&1 &
		;;
	esac
EOT
chmod +x /run/before
from_lan deploy deploy --trial 60 changed.yaml router
rm /run/before
SCRIPT=changed.sh
call dump dump
call check check
note same cmp /etc/qosc/home.sh "$WORK/changed.sh"

# Back to the configuration before, and there again.
leg undone
from_lan undo deploy --undo home.yaml router
SCRIPT=home.sh
call dump dump
note same cmp /etc/qosc/home.sh "$WORK/home.sh"
note before cmp /etc/qosc/home.before.sh "$WORK/changed.sh"
from_lan again deploy --undo home.yaml router
SCRIPT=changed.sh
call again-dump dump
note again-same cmp /etc/qosc/home.sh "$WORK/changed.sh"
note again-before cmp /etc/qosc/home.before.sh "$WORK/home.sh"

# From the router itself, where somebody presses a key. The question comes some seconds after the first change.
leg local
: >/run/commands
note deploy "$QOSC" deploy home.yaml localhost
SCRIPT=home.sh
call dump dump
on_terminal() {
	# shellcheck disable=SC2016 # the inner shell expands them
	note "$1" sh -c '(sleep 20; printf "$1") | script -qec "$QOSC deploy changed.yaml localhost" /dev/null' sh "$2"
}
on_terminal refused x
note trial ls /run/qosc/home/trial
call back dump
note back-same cmp /etc/qosc/home.sh "$WORK/home.sh"
on_terminal kept '\r'
SCRIPT=changed.sh
call kept-dump dump
note kept-same cmp /etc/qosc/home.sh "$WORK/changed.sh"
cp /run/commands "$out/$leg/commands"
call stop stop

# Somebody else's root qdisc stays, unless it may be removed.
leg foreign
tc qdisc add dev eth0 root handle 7: prio
state before
from_lan deploy deploy home.yaml router
state after
from_lan take deploy --take-over home.yaml router
SCRIPT=home.sh
call check check
call dump dump
call stop stop

# Without `deploy`: the script from a pipe.
leg pipe
over_ssh() {
	# shellcheck disable=SC2016 # the inner shell expands them
	note "$1" ip netns exec lan sh -c '"$QOSC" compile "$0" | ssh -o BatchMode=yes router "$1"' "$2" "$3"
}
over_ssh start home.yaml 'sh -s start'
call check check
call dump dump
over_ssh try changed.yaml 'sh -s try 20'
SCRIPT=changed.sh
call tried dump
over home
SCRIPT=home.sh
call back dump
over_ssh again changed.yaml 'sh -s try 20'
over_ssh confirm changed.yaml 'sh -s confirm'
SCRIPT=changed.sh
call kept dump
call stop stop
cp /run/sshd.log "$out/sshd.log"
exit 0
