# The life of a plain script: start, start again, stop, stop again.
# Needs from the case: plain.sh; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
for device in /sys/class/net/*; do ethtool -K "${device##*/}" gro on 2>/dev/null; done
SCRIPT=plain.sh
for leg in dash busybox bash; do
	leg $leg
	state before
	call start start
	held start
	note ping busybox ping -c 1 -W 5 198.51.100.1
	call again start
	held again
	call stop stop
	state after
	call stop-again stop
	call wrong restart
done
exit 0
