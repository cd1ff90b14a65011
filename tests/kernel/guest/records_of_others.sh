# Others remove the table of marks or change a setting. Then a call changes only rates, or nothing.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
made() { note "$1" sh -c 'nft list table inet qosc_home; cat /proc/sys/net/ipv4/tcp_wmem'; }

# mend: shows the damage, and repairs it.
mend() {
	call check check
	call mended start
	call check-mended check
	made now
}

leg flushed
state before
call start start
made made
nft flush ruleset
call call rate 5mbit 20mbit
mend

# The same while a start with nothing to do is at work: after it has read the table.
leg meanwhile
call start start
made made
call rate rate 10mbit 50mbit
tc=$(readlink -f "$(command -v tc)")
cp "$tc" /run/real-tc
cat >/run/tc <<-'EOT'
	#!/bin/dash
	/run/real-tc "$@"
	code=$?
	nft flush ruleset
	exit $code
EOT
chmod +x /run/tc
mount --bind /run/tc "$tc"
call call start
umount "$tc"
mend

leg setting
call start start
made made
echo 4096 5000 6000 >/proc/sys/net/ipv4/tcp_wmem
call call rate 5mbit 20mbit
mend
call stop stop
state after
exit 0
