# While streams go on, a host gets a host class, then another rate for it, and loses it.
# Needs from the case: scripts without, first and changed; flows; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household
ip -n lan addr add 192.168.1.11/24 dev "$lan"
acquainted "" "$lan" 192.168.1.11 lan

leg homes
SCRIPT=without.sh
call without start
streams
number=0
for next in first:first changed:changed without:gone; do
	sleep 1
	number=$((number + 1))
	enter $number
	SCRIPT=${next%:*}.sh
	call "${next#*:}" start
	held "${next#*:}"
done
sleep 1
enter 4
sleep 1
streams_end
call stop stop
exit 0
