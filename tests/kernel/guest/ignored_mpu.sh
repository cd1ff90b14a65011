# The messages of a script with an mpu, and of one without.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

leg kernels
SCRIPT=least.sh
call least start
call least-stop stop
SCRIPT=none.sh
call none start
