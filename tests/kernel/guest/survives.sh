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

"$PART"
exit 0
