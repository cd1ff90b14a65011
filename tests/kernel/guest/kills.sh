# A call that is killed after each of the steps that it takes, and what the next call makes of it.
# From the case: scripts a and b; WHAT is killed: `start` of b from nothing, `change` from a to b, `stop` of a; NEXT, the call
# that follows; PARTS and PART, which of the turns are taken here; ONLY, if it is set, of which tools; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/states_of.sh"
lab
ethtool -K p-lan gro on

# perform STEP: what is to be killed.
perform() {
	case $WHAT in
	stop)
		SCRIPT=a.sh
		call "$1" stop
		;;
	*)
		SCRIPT=b.sh
		call "$1" start
		;;
	esac
}

leg whole
spy
glance before
SCRIPT=a.sh
call start start
held start
keep a
[ "$WHAT" != start ] || wipe
plan nothing 0
perform performed
cp /run/calls "$out/calls"
held performed
wipe
glance wiped

turns=$(wc -l <"$out/calls")
turn=$PART
while [ "$turn" -le "$turns" ]; do
	if [ -n "${ONLY:-}" ] && sed -n "${turn}p" "$out/calls" | grep -q -v -E "^($ONLY) "; then
		turn=$((turn + PARTS))
		continue
	fi
	leg "$turn"
	[ "$WHAT" = start ] || restore a
	plan kill "$turn"
	perform killed
	plan nothing 0
	SCRIPT=b.sh
	call next "$NEXT"
	if [ "$NEXT" = start ]; then
		held next
		wipe
	else
		glance next
	fi
	turn=$((turn + PARTS))
done

# Whatever the next call was given to mend, a last start and stop find nothing odd.
leg last
SCRIPT=b.sh
call start start
call stop stop
glance stopped
exit 0
