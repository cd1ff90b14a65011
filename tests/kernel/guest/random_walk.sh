# Streams through the router while one script after another is started.
# Needs from the case: STEPS, the number of scripts in steps/; flows; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household

# The control: without any change, nothing is lost.
leg control
SCRIPT=steps/0.sh
call start start
streams
enter 1
sleep "${CONTROL:-3}"
streams_end

leg walk
streams
number=1
while [ "$number" -lt "$STEPS" ]; do
	SCRIPT=steps/$number.sh
	enter "$number"
	call "$number" start
	held "$number"
	# Only some, because `check` takes as long as a start.
	[ $((number % 10)) != 5 ] || call "check-$number" check
	number=$((number + 1))
done
enter "$number"
sleep 0.5
streams_end
call stop stop
exit 0
