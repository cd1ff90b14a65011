# Calls at the same moment of scripts that describe the same link differently.
# Needs from the case: scripts a and b, and rival of another link; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/router_states.sh"
lab
ethtool -K p-lan gro on
real=/usr/sbin

# beside SCRIPT STEP CALL: like `call`, but in the background.
beside() {
	{
		dash "$WORK/$1.sh" "$3" >"$out/$leg/$2.out" 2>"$out/$leg/$2.err"
		echo $? >"$out/$leg/$2.code"
	} &
}

# left: waits for all calls, and records the final state.
left() {
	wait
	held left
	glance left
	for one in a b; do
		SCRIPT=$one.sh
		call "check-$one" check
	done
}

leg whole
glance before

# The first round begins with nothing, and each other round with the result of the one before.
for round in 1 2 3 4; do
	leg "two-$round"
	if [ $((round % 2)) = 0 ]; then
		beside a a start
		beside b b start
	else
		beside b b start
		beside a a start
	fi
	left
done

leg ten
for number in 1 3 5 7 9; do
	beside a $number start
	beside b $((number + 1)) start
done
left

number=0
for delay in 0 0.2 0.5 1 1.5 2 3; do
	number=$((number + 1))
	leg "stop-$number"
	beside b b start
	sleep $delay
	beside a stop stop
	left
done

leg whole
SCRIPT=a.sh
call stop stop
glance after

# Another link on the same device.
for round in 1 2 3 4; do
	leg "rivals-$round"
	if [ $((round % 2)) = 0 ]; then
		beside a a start
		beside rival rival start
	else
		beside rival rival start
		beside a a start
	fi
	wait
	for one in a rival; do
		SCRIPT=$one.sh
		call "check-$one" check
	done
	for one in a rival; do
		SCRIPT=$one.sh
		call "stop-$one" stop
	done
	glance left
done
exit 0
