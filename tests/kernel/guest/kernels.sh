# What a script says on a kernel that charges a least size, and on one that does not. The release is all it can go by.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

leg kernels
echo 5.10.93-old >/run/release
SCRIPT=least.sh
call least-new start
mount --bind /run/release /proc/sys/kernel/osrelease
call least-old restart
call least-stop stop
SCRIPT=none.sh
call none-old start
