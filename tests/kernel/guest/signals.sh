# Starts that get a signal after one of their steps, and starts whose output nobody reads while a step fails.
# Needs from the case, besides the input of turns.sh: PLAN, which is `hup`, `quit`, `int`, `term` or `refuse`.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/router_states.sh"
. "$WORK/turns.sh"
ready
small_tools
whole

# listening: starts with the signals that a terminal leaves to a script. A shell ignores INT for what it starts in the
# background.
listening() {
	setsid env --default-signal=INT,QUIT "$shell" "$WORK/b.sh" "$(verb)" >"$out/$leg/start.out" 2>"$out/$leg/start.err" &
	wait $!
	echo $? >"$out/$leg/start.code"
}

# unread: starts with a closed pipe for both outputs.
unread() {
	: >"$out/$leg/start.err"
	{
		setsid "$shell" "$WORK/b.sh" start 2>&1
		echo $? >"$out/$leg/start.code"
	} | true
}

SCRIPT=b.sh
[ "$WHAT" = start ] || restore a
shells="dash bash /run/small-ash"
for turn in $(pick); do
	leg "$turn"
	shell=${shells%% *}
	shells="${shells#* } $shell"
	plan "$PLAN" "$turn"
	if [ "$PLAN" = refuse ]; then unread; else listening; fi
	plan nothing 0
	glance start
	held start
	note ping busybox ping -c 1 -W 5 198.51.100.1
	# A start that was not rolled back is removed, so that every turn begins in the same state.
	read -r code <"$out/$leg/start.code"
	if [ "$code" = 0 ]; then
		wipe
		[ "$WHAT" = start ] || restore a
	fi
done
wipe
exit 0
