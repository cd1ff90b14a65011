# Starts and changes while the file system of the records is nearly full.
# Needs from the case: scripts a and b; IFB; WHAT, `start` or `change`; SIZES, the kilobytes that are free.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/router_states.sh"
. "$WORK/turns.sh"
ready
small_tools
mkdir /run/disk
mount -t tmpfs -o size=8M disk /run/disk
export QOSC_RUN=/run/disk/qosc
whole

# fill KILOBYTES: leaves this much space.
fill() {
	rm -f /run/disk/filler
	free=$(df -k /run/disk | awk 'END { print $4 }')
	dd if=/dev/zero of=/run/disk/filler bs=1k count=$((free - $1)) 2>/dev/null
}

shells="dash bash /run/small-ash"
for size in $SIZES; do
	[ "$WHAT" = start ] || restore a
	fill "$size"
	leg "$size"
	shell=${shells%% *}
	shells="${shells#* } $shell"
	SCRIPT=b.sh
	call start start
	glance start
	held start
	note files ls /run/disk
	note ping busybox ping -c 1 -W 5 198.51.100.1
	read -r code <"$out/$leg/start.code"
	[ "$code" = 0 ] || [ "$WHAT" = start ] || SCRIPT=a.sh
	call check check
	call stop stop
	glance stop
	rm -f /run/disk/filler
	wipe
done
exit 0
