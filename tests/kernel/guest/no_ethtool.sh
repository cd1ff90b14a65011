# A router on which nothing can turn aggregates off; then one whose kernel has no CAKE either.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab

# life: for the leg that is set. There is no ethtool for `state` to ask, so that is looked at before.
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
