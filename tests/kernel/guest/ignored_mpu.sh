# The messages of a script on a kernel that charges the mpu, and on one that does not. A script can only go by the
# version that the kernel reports.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

leg kernels
echo 5.10.93-old >/run/release
SCRIPT=least.sh
call least-new start
echo "Linux version 5.10.93-old (someone@somewhere) #1 SMP" >/run/version
mount --bind /run/release /proc/sys/kernel/osrelease
mount --bind /run/version /proc/version
call least-old restart
call least-stop stop
SCRIPT=none.sh
call none-old start
