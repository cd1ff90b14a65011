# All calls in a clean environment, and in one that sets every name of the script.
# Needs from the case: scripts router and other, hostile.sh, which exports the names; LEGS.
# shellcheck shell=sh disable=SC1090,SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab

# does STEP CODE SCRIPT ARGUMENT...: calls a script in the environment of the leg.
does() {
	step=$1
	[ "$leg" != dash-clean ] || echo "$1 $2" >>"$out/steps"
	script=$3.sh
	shift 3
	set -- "$shell" "$WORK/$script" "$@"
	(
		[ "$environment" = clean ] || . "$WORK/hostile.sh"
		exec "$@"
	) >"$out/$leg/$step.out" 2>"$out/$leg/$step.err"
	echo $? >"$out/$leg/$step.code"
}

for own in $LEGS; do
	for environment in clean hostile; do
		leg "$own"
		own_shell=$shell
		leg "$own-$environment"
		shell=$own_shell
		does usage 2 router
		does early 3 router check
		does print-all 0 router print
		does start 0 router start
		state started
		does check 0 router check -v
		does status 0 router status
		does metrics 0 router status --metrics
		does print 0 router print
		does dump 0 router dump
		does second 0 router start
		does rate 0 router rate 5mbit 20mbit
		state rated
		does rated 0 router check
		does try 0 other try 600
		state tried
		does undo 0 router undo
		does try-again 0 other try 600
		does confirm 0 other confirm
		tc class change dev "$WAN" parent c05: classid c05:a000 htb rate 1mbit
		does drifted 1 other check
		does restart 0 other restart
		does switch 0 other switch
		does stop 0 other stop
		does last-stop 0 other stop
		state after
	done
done
ls /run/hit >"$out/hits" 2>/dev/null
exit 0
