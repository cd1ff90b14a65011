# The offloads that `start` turns off, and `stop` turns on again: routers with everything that may lie below or
# beside a device.
# Needs from the case: scripts a (Ethernet and a tunnel), b (VLAN), c (PPPoE), keep, unnamed (no LAN device).
# shellcheck shell=sh disable=SC1091,SC2154,SC2034
. "$WORK/lab.sh"

# features STEP: records the offloads that make aggregated packets, as lines of `DEVICE FEATURE`.
features() {
	{
		for device in br-lan eth0 eth2 eth2.7 eth3 gre-vps other p-lan p2 p3 ppp0; do
			ethtool -k "$device" | sed -n "s/^\(generic-receive-offload\|rx-gro-list\): on\$/$device \1/p"
		done
		ip -d -o link show | sed -n '/: ifb-/d; / gso_max_segs 1 /!s/^[0-9]*: \([^:@]*\).*/\1 segments/p'
	} >"$out/$leg/$1.features"
}

# of SCRIPT STEP CALL: calls one of the scripts.
of() {
	SCRIPT=$1.sh
	call "$2" "$3"
}

lab
(WAN=eth2.7 wan_vlan) 2>/dev/null
(WAN=ppp0 WAN_BELOW=eth3 wan_pppoe) 2>/dev/null
for port in p2 p3 other; do wire $port lan; done
ip link set p2 master br-lan
ip link add gre-vps type gre local 198.51.100.2 remote 198.51.100.7
ip link set gre-vps up
for device in eth0 eth2 eth3 p-lan p3 other; do ethtool -K $device gro on; done
ethtool -K p-lan rx-gro-list on
ethtool -K p2 gro off
settle

leg one
features before
of a start start
features started
of a check check
ip link set p3 master br-lan
of a check-joined check
of a print-joined print
listen joined
of a joined start
sleep 0.2
kill "$tc_monitor" "$ip_monitor"
features joined
of a second start
of a check-again check
ip link set p3 nomaster
of a stop stop
features stopped

leg vlan
of b start start
features started
of b stop stop
features stopped

leg pppoe
of c start start
features started
of c stop stop
features stopped

leg keep
of keep start start
features started
of keep stop stop

leg unnamed
of unnamed start start
features started
wire late lan
ethtool -K late gro on
settle
of unnamed check-new check
of unnamed renewed start
of unnamed check-known check
ethtool -K late gro on
of unnamed check-again check
of unnamed stop stop
ip link del late
features stopped

# A device whose driver cannot turn a feature off.
leg stuck
ethtool=$(readlink -f "$(command -v ethtool)")
cp "$ethtool" /run/real-ethtool
cat >/run/ethtool <<-'EOT'
	#!/bin/dash
	case "$1 $2" in
	'-K p-lan')
		echo 'Cannot change generic-receive-offload' >&2
		exit 1
		;;
	esac
	exec /run/real-ethtool "$@"
EOT
chmod +x /run/ethtool
mount --bind /run/ethtool "$ethtool"
of a start start
of a second start
of a check check
of a stop stop
umount "$ethtool"
features stopped

# Two links: the first to stop leaves the settings that the other needs.
for first in a b; do
	leg two-$first
	last=b
	[ $first = a ] || last=a
	of a start-a start
	of b start-b start
	of $first stop-first stop
	features one
	of $last check check
	of $last stop-last stop
	features none
done
exit 0
