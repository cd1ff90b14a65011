# A start in which each step in turn fails, as the tools themselves fail.
# From the case, beside what turns.sh takes: PLAN: `refuse`, or `never`, where the way back fails, too.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/states_of.sh"
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
	# What is there now is what was there before, so that the next turn begins as this one did.
	read -r code <"$out/$leg/start.code"
	if [ "$code" = 0 ] || [ "$PLAN" = never ]; then
		wipe
		[ "$WHAT" = start ] || restore a
	fi
done
wipe
exit 0
