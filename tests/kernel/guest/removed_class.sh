# A class with packets in its queue is removed while streams go on.
# Needs from the case: scripts before and after; flows; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household

leg removed
SCRIPT=before.sh
call before start
streams
enter 1
sleep 2
# Packets that were sent before this point wait in the queue, or have left it.
enter 2
note up tc -s qdisc show dev "$WAN"
note down tc -s qdisc show dev "$IFB"
SCRIPT=after.sh
call after start
held after
enter 3
sleep 1
streams_end
call stop stop
exit 0
