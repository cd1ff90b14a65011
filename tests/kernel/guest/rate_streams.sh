# Line rates that change while streams go on, as a program that follows the line would change them.
# Needs from the case: RATES, each UP:DOWN; flows; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household

leg streams
call start start
call first rate 8mbit 8mbit
streams
number=0
for rates in $RATES; do
	number=$((number + 1))
	enter "$number"
	call "$number" rate "${rates%:*}" "${rates#*:}"
done
enter $((number + 1))
call back start
enter $((number + 2))
sleep 1
streams_end
held back
call stop stop
exit 0
