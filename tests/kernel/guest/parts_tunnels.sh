# Two scripts of one link: one with filters at a device of the line, and one without the part for that.
# Needs from the case: scripts router, without it, and line; eth0 and br-lan.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
ip link add tv0 type dummy
ip link set tv0 up

# tv STEP: records what is at the device.
tv() { note "$1" sh -c "tc qdisc show dev tv0; tc filter show dev tv0 ingress | grep -o 'Redirect to device [^)]*'"; }
plain() { SCRIPT=router.sh; }
line() { SCRIPT=line.sh; }

for leg in dash busybox; do
	leg $leg
	state before
	tv bare-tv
	plain
	call start start
	line
	call line start
	tv line-tv
	call line-again start
	call line-check check
	plain
	call other check
	call takes start
	tv takes-tv
	call takes-check check
	call second start
	line
	call line-back start
	tv line-back-tv
	plain
	call stop stop
	tv stop-tv
	state stopped

	call again start
	line
	call try try 60
	call undo undo
	tv undo-tv
	plain
	call undo-check check
	line
	call last start
	plain
	call try-other try 60
	call undo-other undo
	tv undo-other-tv
	state after
done
exit 0
