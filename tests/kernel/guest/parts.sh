# Two scripts of one link: one with the calls `rate` and `follow`, and one without.
# Needs from the case: scripts router, without them, and varied; eth0 and br-lan.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
export QOSC_MEMORY=/run/memory
records=${QOSC_RUN:-/run/qosc}/parts

held() { note "$1" sh -c "{ tc class show dev $WAN; tc class show dev $IFB; } | grep htb"; }
left() { note "$1" sh -c "cd $records && ls -d rate follow 2>/dev/null"; }
plain() { SCRIPT=router.sh; }
varied() { SCRIPT=varied.sh; }

# begin STEP: begins to follow in the background.
begin() {
	"$shell" "$WORK/varied.sh" follow >"$out/$leg/$1.out" 2>"$out/$leg/$1.err" &
	follower=$!
	sleep 3
}

# ends STEP: waits for the follower, and records its exit code.
ends() {
	wait $follower
	echo $? >"$out/$leg/$1.code"
}

for leg in dash busybox; do
	leg $leg
	state before
	plain
	call start start
	held made
	call rate rate 5mbit 20mbit
	call metrics status --metrics
	call follow follow
	call switch switch

	varied
	call change start
	begin followed
	call at-work check
	plain
	call other check
	call takes start
	ends followed
	held taken
	left taken-records
	call taken-check check
	call second start

	varied
	call change-again start
	call scaled rate 5mbit 20mbit
	plain
	call scaled-other check
	call reverts start --if-present
	held reverted
	left reverted-records
	call reverted-check check

	# Back to the rates of the other script, before the end of a trial and at its end.
	varied
	call change-last start
	call scaled-last rate 5mbit 20mbit
	held scaled-last-held
	plain
	call try try 60
	left tried-records
	call undo undo
	call try-again try 4
	sleep 12
	varied
	call back check
	held back-held
	call unscale start

	# A follower goes on after the trial of a script that has none.
	begin trial
	plain
	call tried try 4
	sleep 12
	varied
	call follows check
	plain
	call stop stop
	ends trial
	state after
done
exit 0
