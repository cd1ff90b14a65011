# Devices of a prefix that are all busy, in one direction after the other.
# Needs from the case: flows/up and flows/down; SPAN, the seconds before and while bytes are counted.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 20
masquerade
line 10ms 60mbit

leg start
call start start
call idle status
for one in up down; do
	leg "$one"
	"$WORK/load" flows $SPAN <"$WORK/flows/$leg" >"$out/$leg/flows" 2>"$out/$leg/flows.err"
	echo $? >"$out/$leg/flows.code"
done
leg start
call busy status
call again start
call stop stop
exit 0
