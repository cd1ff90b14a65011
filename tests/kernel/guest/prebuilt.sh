# The life of a script, with a trial of a changed one, and a change to it while numbered streams go on.
# Needs from the case: scripts router.sh and changed.sh; LINK, the name of their link; flows; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/life.sh"
. "$WORK/streams.sh"
lab
household

# on_trial: lets a trial run out. On a busy host, its deadline may pass before the state is read; then a longer trial
# follows.
on_trial() {
	SCRIPT=changed.sh
	for seconds in 2 4 8 16 32; do
		call try try $seconds
		call tried dump
		# The lock is held during a rollback, which then deletes the file of the trial.
		! flock -n /run/qosc true || [ ! -e "/run/qosc/$LINK/trial" ] || break
		over "$LINK"
	done
	over "$LINK"
	SCRIPT=router.sh
	call back-dump dump
	call back-check check
}

change() {
	SCRIPT=changed.sh
	streams
	# Only in virtual time must a pause stand for the time that a process takes.
	PACE=
	enter 1
	call change start
	streams_end
	call change-dump dump
}

leg dash
life afterlife on_trial change
