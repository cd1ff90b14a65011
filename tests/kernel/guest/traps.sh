# Pairs of scripts: the kernel's state after the first, and after the second was started on top of
# it.
# Needs from the case: NAMES; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
for name in $NAMES; do
	leg "$name"
	for one in before after; do
		SCRIPT=$name/$one.sh
		call "$one" start
		held "$one"
	done
done
call stop stop
exit 0
