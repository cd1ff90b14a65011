# A router on which nothing can turn offloads off, and then one whose kernel has no CAKE either.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab

# life: runs the script's life for the current leg. Without ethtool, `state` records no offloads.
life() {
	state before
	call start start
	call dump dump
	call second start
	call check check
	call stop stop
	state after
}

rm "$(command -v ethtool)"
leg cake
life

rmmod sch_cake
echo 'install sch_cake /bin/false' >/etc/modprobe.d/no-cake.conf
leg neither
life
SCRIPT=shared.sh call hosts start
state refused
