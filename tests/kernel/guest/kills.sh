# A call that is killed after each of the steps that it takes, and what the next call makes of it.
# From the case, beside what turns.sh takes: NEXT, the calls that follow, in turns.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/states_of.sh"
. "$WORK/turns.sh"
ready
whole

# after CALL: killed, and that call then.
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

# One call after the other has its turn, and each of them has where nft was killed.
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

# Whatever the next call was given to mend, a last start and stop find nothing odd.
leg last
SCRIPT=b.sh
call start start
marks start
call stop stop
glance stopped
exit 0
