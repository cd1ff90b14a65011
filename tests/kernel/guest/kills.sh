# A call that is killed after each of its steps, and the next call.
# Needs from the case, besides the input of turns.sh: NEXT, the calls that follow and alternate.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/router_states.sh"
. "$WORK/turns.sh"
ready
whole

# after CALL: kills a call, and then makes CALL.
after() {
	[ "$WHAT" = start ] || restore a
	plan kill "$turn"
	perform "killed-$1"
	plan nothing 0
	SCRIPT=b.sh
	call "$1" "$1"
	if [ "$1" = start ]; then
		held start
		marks start
		wipe
	else
		glance stop
	fi
}

# The next calls alternate from turn to turn. After a killed nft, each of them has a turn.
for turn in $(pick); do
	leg "$turn"
	set -- $NEXT
	case $(sed -n "${turn}p" "$out/calls") in
	nft*) for next; do after "$next"; done ;;
	*)
		after "$1"
		next=$1
		shift
		NEXT="$* $next"
		;;
	esac
done

# After all these repairs, a last start and stop work as usual.
leg last
SCRIPT=b.sh
call start start
marks start
call stop stop
glance stopped
exit 0
