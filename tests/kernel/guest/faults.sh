# Starts in which one step after another fails, as the tools themselves fail.
# Needs from the case, besides the input of turns.sh: PLAN, which is `refuse`, or `never` if the
# rollback fails too.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/router_states.sh"
. "$WORK/turns.sh"
ready
whole

SCRIPT=b.sh
[ "$WHAT" = start ] || restore a
for turn in $(pick); do
	leg "$turn"
	plan "$PLAN" "$turn"
	call start start
	plan nothing 0
	glance start
	held start
	note ping busybox ping -c 1 -W 5 198.51.100.1
	# If the start did not restore the previous state, this does. Every turn begins in the same state.
	read -r code <"$out/$leg/start.code"
	if [ "$code" = 0 ] || [ "$PLAN" = never ]; then
		wipe
		[ "$WHAT" = start ] || restore a
	fi
done
wipe
exit 0
