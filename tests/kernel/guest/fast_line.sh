# What `check` says of fast lines, on routers with one core and with two.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
printf 'processor : 0\nprocessor : 1\n' >"$WORK/cpuinfo"
leg fast
SCRIPT=fast.sh
call start start
call fast-1 check
mount --bind "$WORK/cpuinfo" /proc/cpuinfo
call fast-2 check
for one in slow several; do
	SCRIPT=$one.sh
	call "$one-start" start
	call "$one-2" check
done
call stop stop
SCRIPT=fast.sh
call stopped-2 check
umount /proc/cpuinfo
exit 0
