# One configuration after another: the output of `print`, the state after `start`, and a second start, which finds
# nothing to do.
# Needs from the case: SCRIPTS, their names in order; TYPED, those that are also run by hand.
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

# Runs the commands that `print` shows, without the script.
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
