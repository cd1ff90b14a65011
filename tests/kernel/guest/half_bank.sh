# A change that was killed while it filled the second bank of the filters at the egress, and the next one.
# Needs from the case: scripts router and other; FIRST, the filter that the killed change had added.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

leg dash
call start start
# The killed change had moved the record away, as every change does before its first step.
rm /run/qosc/half/state
# shellcheck disable=SC2086
tc $FIRST
SCRIPT=other.sh
call print print
call change start
call check check
SCRIPT=router.sh
call stop stop
