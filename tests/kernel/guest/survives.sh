# Faults that a script must survive. PART names one of the functions below.
# Needs from the case: scripts router and other, of the links `survives` and `other`; OTHER_WAN, the device of the
# second link.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154,SC2317
. "$WORK/lab.sh"
lab

# beside STEP ARGUMENT...: like `call`, but in the background.
beside() {
	{
		step=$1
		shift
		dash "$WORK/$SCRIPT" "$@" >"$out/$leg/$step.out" 2>"$out/$leg/$step.err"
		echo $? >"$out/$leg/$step.code"
	} &
}

# slow SECONDS PATTERN: each tc whose arguments match the pattern takes this much longer.
slow() {
	tc=$(readlink -f "$(command -v tc)")
	cp "$tc" /run/real-tc
	printf '#!/bin/dash\ncase "$*" in %s) sleep %s ;; esac\nexec /run/real-tc "$@"\n' "$2" "$1" >/run/tc
	chmod +x /run/tc
	mount --bind /run/tc "$tc"
}

# Two links stop at the same moment. The last one to stop turns on again what both have turned off.
two_stops() {
	wire "$OTHER_WAN" net
	ethtool -K p-lan gro on
	leg stops
	state before
	for SCRIPT in router.sh other.sh; do call "start-$SCRIPT" start; done
	state started
	slow 1 '*'
	for SCRIPT in router.sh other.sh; do beside "stop-$SCRIPT" stop; done
	wait
	umount "$tc"
	state after
}

# A trial whose change takes longer than the trial itself.
slow_try() {
	leg slow
	SCRIPT=router.sh
	call start start
	SCRIPT=changed.sh
	slow 8 '*/program'
	call try try 5
	umount "$tc"
	sleep 4
	call status status
	call dump dump
	over survives
	call back dump
}

# Another call holds the lock at the deadline of a trial. Later, there is no space for the rollback.
late_rollback() {
	mkdir /run/disk
	mount -t tmpfs -o size=2M disk /run/disk
	export QOSC_RUN=/run/disk/qosc
	leg late
	SCRIPT=router.sh
	call start start
	SCRIPT=changed.sh
	for fault in locked full; do
		call "try-$fault" try 3
		if [ "$fault" = locked ]; then
			hold 50
		else
			dd if=/dev/zero of=/run/disk/filler bs=1k 2>/dev/null
		fi
		sleep 40
		call "tried-$fault" dump
		call "status-$fault" status
		rm -f /run/disk/filler
		over survives
		call "back-$fault" dump
		SCRIPT=router.sh
		call "check-$fault" check
		SCRIPT=changed.sh
	done
}

# A longer script is copied over one that runs. All that it adds would make a file.
copied_over() {
	slow 3 '*/program'
	for shell in dash bash "busybox ash"; do
		leg "copied-${shell##* }"
		cp "$WORK/router.sh" "$WORK/copied.sh"
		{
			$shell "$WORK/copied.sh" start >"$out/$leg/start.out" 2>"$out/$leg/start.err"
			echo $? >"$out/$leg/start.code"
		} &
		sleep 1
		{
			cat "$WORK/router.sh"
			yes ': >/run/went-on' | head -n 9999
		} >"$WORK/copied.sh"
		wait
		call dump dump
		note went-on ls /run/went-on
		call stop stop
	done
}

# A start without some of the standard streams.
closed_streams() {
	for shell in dash bash "busybox ash"; do
		leg "closed-${shell##* }"
		$shell "$WORK/router.sh" start 2>&-
		echo $? >"$out/$leg/start.code"
		call dump dump
		$shell "$WORK/changed.sh" start <&- >&- 2>&-
		echo $? >"$out/$leg/change.code"
		call changed dump
		call stop stop
	done
}

# A check and a status while a start is at work, and after it was killed.
watched_change() {
	leg watched
	slow 9 '*/program'
	for SCRIPT in router.sh changed.sh; do
		setsid dash "$WORK/$SCRIPT" start >/dev/null 2>&1 &
		group=$!
		sleep 5
		for call in check status; do call "$call-$SCRIPT" "$call"; done
		[ "$SCRIPT" = changed.sh ] || wait
	done
	kill -KILL "-$group"
	wait
	call check-killed check
	umount "$tc"
	call stop stop
}

# The file system of the records can only be read, before the first start and after it.
read_only() {
	mkdir /run/disk
	mount -t tmpfs disk /run/disk
	export QOSC_RUN=/run/disk/qosc
	for shell in dash bash "busybox ash"; do
		leg "read-only-${shell##* }"
		mount -o remount,ro /run/disk
		$shell "$WORK/router.sh" start 2>"$out/$leg/first.err"
		echo $? >"$out/$leg/first.code"
		mount -o remount,rw /run/disk
		call start start
		mount -o remount,ro /run/disk
		$shell "$WORK/changed.sh" start 2>"$out/$leg/change.err"
		echo $? >"$out/$leg/change.code"
		call check check
		mount -o remount,rw /run/disk
		call stop stop
	done
}

"$PART"
exit 0
