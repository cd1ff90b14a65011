# What another user can do to a script that is at work, and a follower that hangs.
# Needs from the case: other.sh, a script of the same link; eth0 and br-lan.
# shellcheck shell=sh disable=SC1091,SC2016,SC2034,SC2154
. "$WORK/lab.sh"
lab
export QOSC_MEMORY=/run/memory

# tries STEP: names what another user can open or lock below /run/qosc.
tries() {
	find /run/qosc /run/memory ! -type d >/run/files
	wc -l </run/files >"$out/$leg/$1.number"
	chmod 644 /run/files
	note "$1" setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'id -u; while read -r file; do
		[ ! -r "$file" ] && [ ! -w "$file" ] && ! flock -n "$file" true 2>/dev/null || echo "$file"
	done </run/files; find /run/qosc -mindepth 2 2>/dev/null'
}

# send SIGNAL WORDS: sends a signal to the processes with these words.
send() {
	busybox ps -o pid,args | grep "$2" | while read -r pid _; do kill "-$1" "$pid"; done
}

umask 022
for own in dash busybox; do
	leg $own
	state before
	call start start
	"$shell" "$WORK/router.sh" follow >"$out/$leg/follow.out" 2>"$out/$leg/follow.err" &
	follower=$!
	sleep 3
	tries followed
	SCRIPT=other.sh
	call try try 600
	SCRIPT=router.sh
	tries tried
	call undo undo
	sleep 5
	call again check

	# Its awk hangs, and nobody reads the pipe any more.
	send STOP ' [^ ]*[a]wk -'
	dd if=/dev/zero of=/run/qosc/follow/probes oflag=nonblock bs=1k count=100 2>/dev/null
	call hangs stop
	call free check
	note lock flock -n /run/qosc/lock true
	note writers sh -c 'for process in /proc/[0-9]*; do readlink "$process/fd/9"; done | grep qosc'
	send CONT ' [^ ]*[a]wk -'
	call stop stop
	wait $follower
	echo $? >"$out/$leg/follow.code"
	state after
done
exit 0
