# The file names a device that does not exist: that of another file, one that was renamed, or one that nobody has made.
# Needs from the case: scripts router, wrong (of another device) and faster (of the same device).
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
wire spare net

of() {
	SCRIPT=$1.sh
	shift
	call "$@"
}

# changes: calls that must know the device by the record.
changes() {
	of router same start
	of faster change start
	of router back start
	of router second start
	of router check check
	of router restart restart
	of router check-again check
	of router stop stop
}

leg other
state before
of router start start
of wrong refused start
of wrong print print
of wrong try try 60
of wrong restart restart
of wrong hook start --if-present
of router check check
of router second start
of wrong stop stop
state after

leg renamed
note before tc qdisc show
of router start start
ip link set "$WAN" down
ip link set "$WAN" name wan9
ip link set wan9 up
settle
changes
ip link set wan9 down
ip link set wan9 name "$WAN"
ip link set "$WAN" up
note after tc qdisc show

leg given
ip link set "$WAN" down
ip link set "$WAN" name wan9
note before tc qdisc show
of router start start --device spare
changes
note after tc qdisc show
exit 0
