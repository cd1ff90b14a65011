# A start whose tools fail, or which is killed, after each of the processes that it starts.
# From the case: PLAN, `kill` or `refuse`; NEXT, the call that must mend it.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
leg whole
state before
spy
call start start
cp /run/calls "$out/calls"
call stop stop
state after

turns=$(wc -l <"$out/calls")
turn=1
while [ "$turn" -le "$turns" ]; do
	leg $turn
	plan "$PLAN" $turn
	call start start
	plan nothing
	if [ "$PLAN" = refuse ]; then
		state refused
	elif [ "$NEXT" = start ]; then
		call again start
		call dump dump
		call check check
	fi
	call stop stop
	state after
	turn=$((turn + 1))
done
exit 0
