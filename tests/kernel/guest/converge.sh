# One description after another: what `print` shows, what `start` makes of it, and that a second start finds nothing.
# From the case: SCRIPTS, their names in order; TYPED, those of them that are tried by hand, too.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab

leg whole
state before
for one in $SCRIPTS; do
	SCRIPT=scripts/$one.sh
	leg "$one"
	call before dump
	[ "$one" != class ] || note live "$QOSC" plan --live --format json "$WORK/$SCRIPT"
	call print print
	call start start
	call dump dump
	call second start
	call check check
done
leg whole
call stop stop
state after

# The same by hand: the commands that `print` shows.
for one in $TYPED; do
	SCRIPT=scripts/$one.sh
	leg "$one"
	call by-hand print
	dash -e "$out/$leg/by-hand.out" >"$out/$leg/typed.out" 2>"$out/$leg/typed.err"
	echo $? >"$out/$leg/typed.code"
	call typed-dump dump
done
leg whole
call stop-typed stop
exit 0
