# A WireGuard tunnel beside other traffic: uploads through a script's tree, and downloads that are queued after
# decryption.
# Needs from the case: PART, which is traffic, changes, uploads or shared; scripts fq, cake, match and flows, or for shared wan,
# flows and inner; IFB; SIZES of the pings whose bytes are counted.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 4
masquerade
for end in house far; do
	wg genkey >"/run/$end.key"
	wg pubkey <"/run/$end.key" >"/run/$end.pub"
done

# tunnel: makes the house's end, at a port that the file does not name.
tunnel() {
	ip link add wg0 type wireguard
	wg set wg0 listen-port 41234 private-key /run/house.key \
		peer "$(cat /run/far.pub)" allowed-ips 0.0.0.0/0,::/0 endpoint 198.51.100.1:51820
	ip addr add 10.9.0.2/24 dev wg0
	ip link set wg0 up
	# Packets that enter the tunnel keep their address.
	ip route add 203.0.113.1 dev wg0
	ip -6 route add 2001:db8:cafe::1 dev wg0
	ip netns exec lan busybox ping -c 2 203.0.113.1 >/dev/null
}

ip -n net link add wg0 type wireguard
ip netns exec net wg set wg0 listen-port 51820 private-key /run/far.key \
	peer "$(cat /run/house.pub)" allowed-ips 0.0.0.0/0,::/0 endpoint 198.51.100.2:41234
ip -n net link set wg0 up
ip -n net addr add 203.0.113.1/32 dev wg0
ip -n net addr add 2001:db8:cafe::1/128 dev wg0 nodad
ip -n net route add 192.168.1.0/24 dev wg0
ip -n net -6 route add 2001:db8:2::/64 dev wg0
ip addr add 2001:db8:2::1/64 dev "$lan" nodad
ip -n lan addr add 2001:db8:2::10/64 dev "$lan" nodad
ip netns exec net ethtool -K wg0 tso off gso off >/dev/null

ping_inside() {
	"$WORK/load" ping lan/192.168.1.12 net/203.0.113.1 300 10000 >"$out/$leg/$1.times" 2>"$out/$leg/$1.err"
}

# loaded FLOW...: runs flows, each a line for `load`, and pings meanwhile.
loaded() {
	printf '%s\n' "$@" >/run/flows
	"$WORK/load" flows 2 7 </run/flows >"$out/$leg/flows" 2>"$out/$leg/flows.err" &
	flows=$!
	sleep 2.3
	reading first
	ping_inside busy
	reading last
	wait $flows
	echo $? >"$out/$leg/flows.code"
}

# reading NAME: records the time, the bytes that arrived at the WAN device, and the bytes charged to each class of the
# ifb.
reading() {
	{
		cut -d' ' -f1 /proc/uptime
		cat "/sys/class/net/$WAN/statistics/rx_bytes"
	} >"$out/$leg/$1.wire"
	[ ! -d "/sys/class/net/$IFB" ] || tc -s class show dev "$IFB" >"$out/$leg/$1.charged"
}

# pings_of_sizes NAME: pings through the tunnel with packets of each size, and one of IPv6.
pings_of_sizes() {
	for size in $SIZES; do
		leg "$1-$size"
		reading first
		note ping ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 -s "$size" 203.0.113.1
		reading last
	done
	leg "$1-six"
	reading first
	note ping ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 -s 456 2001:db8:cafe::1
	reading last
}

# slot: prints the slot of the tree of uploads.
slot() { tc class show dev "$ifbu" | sed -n 's/^class htb c05:\(.\)000 root .*/\1/p'; }

# told STEP CALL...: makes a call. Before it, records the input of `plan` and the output of `print`.
told() {
	call "$1-dump" dump
	call "$1-print" print
	call "$@"
}

inside() { note "$1" ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 203.0.113.1; }

# without_mpls: installs a tc that refuses everything that needs the mpls module, as on a kernel without it.
without_mpls() {
	tc=$(readlink -f "$(command -v tc)")
	cp "$tc" /run/whole-tc
	cat >/run/tc <<-'EOT'
		#!/bin/sh
		for file; do :; done
		[ "$file" = - ] || exec /run/whole-tc "$@"
		cat >/run/lines
		! grep -q 'action mpls' /run/lines || exit 1
		exec /run/whole-tc "$@" </run/lines
	EOT
	chmod +x /run/tc
	mount --bind /run/tc "$tc"
}

# Everything that is here now must be here at the end.
tunnel
leg whole
state before

traffic() {
	SCRIPT=fq.sh
	leg fq
	call start start
	call again start
	call check check
	ping_inside idle
	loaded "inside lan/192.168.1.10 net/203.0.113.1 5001 4 up"
	# Waits until the last packets have passed.
	sleep 1
	pings_of_sizes down
	leg down-fq
	ping_inside idle
	loaded "inside lan/192.168.1.10 net/203.0.113.1 5001 1 down" "beside lan/192.168.1.11 net/198.51.100.1 5002 1 down"

	SCRIPT=cake.sh
	leg cake
	call start start
	ping_inside idle
	loaded "inside lan/192.168.1.10 net/203.0.113.1 5001 4 up"
	leg down-cake
	ping_inside idle
	loaded "inside lan/192.168.1.10 net/203.0.113.1 5001 1 down" "beside lan/192.168.1.11 net/198.51.100.1 5002 1 down"
	# The round-trip time is like that of a line. CAKE charges a host for dropped packets, and with a short one, eight
	# windows of a packet each would cause many drops.
	leg hosts
	line 10ms 18mbit
	loaded "one lan/192.168.1.10 net/203.0.113.1 5001 1 down" "eight lan/192.168.1.11 net/203.0.113.1 5002 8 down"

	tc -n net qdisc del dev "$WAN" root

	SCRIPT=match.sh
	leg match
	call start start
	reading first
	"$WORK/load" flows 1 2 >"$out/$leg/flows" <<-EOT
		web lan/192.168.1.10 net/203.0.113.1 5443 1 down
		desk lan/192.168.1.11 net/203.0.113.1 5002 1 down
		rest lan/192.168.1.12 net/203.0.113.1 5003 1 down
	EOT
	reading last
	leg whole
	call stop stop
	state after
}

changes() {
	# The device is made anew, is gone, and comes back. Then the module is missing.
	SCRIPT=fq.sh
	leg anew
	call begin start
	ip link del wg0
	tunnel
	call drifted status
	told start start
	call again start
	call status status
	reading first
	inside ping
	reading last
	leg gone
	ip link del wg0
	told start start
	call again start
	tc filter show dev "$WAN" ingress >"$out/$leg/hook"
	leg back
	tunnel
	told start start
	call status status
	call stop stop
	leg none
	without_mpls
	call start start
	call again start
	call status status
	reading first
	inside ping
	reading last
	call stop stop
	umount "$tc"

	leg other
	state before
	SCRIPT=match.sh
	leg match
	told start start
	call again start
	SCRIPT=flows.sh
	leg flows
	told start start
	tc qdisc show dev wg0 >"$out/$leg/hook"
	reading first
	inside ping
	reading last
	SCRIPT=fq.sh
	leg other
	told start start
	call stop stop
	state after
}

# uploads: all uploads pass an ifb, those of the tunnel before they are encrypted.
uploads() {
	ifbu=ifbu-${IFB#ifb-}
	reading() {
		{
			cut -d' ' -f1 /proc/uptime
			cat "/sys/class/net/$WAN/statistics/tx_bytes"
		} >"$out/$leg/$1.wire"
		tc -s class show dev "$ifbu" >"$out/$leg/$1.charged"
	}
	beside() { note "$1" ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 198.51.100.1; }
	line 10ms 100mbit
	ip -n net route add 10.9.0.2 dev wg0
	SCRIPT=flows.sh
	leg flows
	call start start
	ifbu=$WAN loaded "three lan/192.168.1.10 net/203.0.113.1 5001 3 up" "one lan/192.168.1.11 net/203.0.113.1 5002 1 up"
	SCRIPT=match.sh
	leg match
	told start start
	call again start
	call check check
	call status status
	pings_of_sizes up
	leg up-beside
	reading first
	note ping ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 -s 456 198.51.100.1
	reading last
	leg inside
	ping_inside idle
	loaded "three lan/192.168.1.10 net/203.0.113.1 5001 3 up" "one lan/192.168.1.11 net/203.0.113.1 5002 1 up"
	leg beside
	ping_inside idle
	loaded "three lan/192.168.1.10 net/198.51.100.1 5001 3 up" "one lan/192.168.1.11 net/198.51.100.1 5002 1 up"
	leg mixed
	ping_inside idle
	loaded "in-two lan/192.168.1.10 net/203.0.113.1 5001 2 up" "in-one lan/192.168.1.11 net/203.0.113.1 5002 1 up" \
		"out-three lan/192.168.1.12 net/198.51.100.1 5003 3 up" "out-one lan/192.168.1.13 net/198.51.100.1 5004 1 up"

	# Aggregates that reach the shaper, and a change of the configuration under load.
	leg aggregates
	ping_inside idle
	ip netns exec lan ethtool -K "$lan" tso on gso on >/dev/null
	loaded "three lan/192.168.1.10 net/203.0.113.1 5001 3 up" "one lan/192.168.1.11 net/203.0.113.1 5002 1 up"
	ip netns exec lan ethtool -K "$lan" tso off gso off >/dev/null
	leg changed
	ping_inside idle
	{
		sleep 4
		SCRIPT=class.sh
		told start start
	} &
	changing=$!
	loaded "three lan/192.168.1.10 net/203.0.113.1 5001 3 up" "one lan/192.168.1.11 net/203.0.113.1 5002 1 up"
	wait $changing
	SCRIPT=match.sh
	leg match
	call back start

	# The other end moves to another port, and the device comes and goes.
	leg roaming
	ip netns exec net wg set wg0 listen-port 51999
	ip netns exec net busybox ping -c 1 -W 2 10.9.0.2 >/dev/null
	reading first
	inside ping
	reading last
	wg show wg0 endpoints >"$out/$leg/endpoint"
	leg gone
	ip link del wg0
	told start start
	call again start
	beside ping
	leg back
	ip netns exec net wg set wg0 listen-port 51820
	tunnel
	call drifted check
	told start start
	call again start
	reading first
	inside ping
	reading last

	# The router translates addresses at the tunnel's device.
	leg translated
	iptables-legacy -t nat -A POSTROUTING -o wg0 -j MASQUERADE
	reading first
	inside ping
	reading last
	iptables-legacy -t nat -D POSTROUTING -o wg0 -j MASQUERADE
	leg lost
	tc class change dev "$ifbu" parent "c05:$(slot)000" classid "c05:$(slot)102" htb rate 3mbit ceil 4mbit
	call changed check
	ip link del "$ifbu"
	call deleted check
	told start start
	call again start
	beside ping
	leg wan
	SCRIPT=flows.sh
	told start start
	call again start
	beside ping
	{
		ip -o link show | grep "$ifbu"
		nft list tables | grep netdev
	} >"$out/$leg/left"
	# A trial that nobody confirms moves all uploads back.
	leg undone
	SCRIPT=match.sh
	call tried try 2
	over wireguard
	SCRIPT=flows.sh
	call check check
	beside ping
	SCRIPT=match.sh
	leg other
	SCRIPT=flows.sh
	call start start
	SCRIPT=match.sh
	call stop stop
	leg end
	call start start
	call stop stop
	leg whole
	state after
	# The device was made anew.
	sed -i 's/^[0-9]*: wg0:/wg0:/' "$out/whole/before.state" "$out/whole/after.state"
}

# shared: a WAN and its tunnel, each with a file of its own. First both queue the tunnel's downloads, then only one.
shared() {
	leg both
	SCRIPT=wan.sh
	call start start
	call alone check
	SCRIPT=inner.sh
	call second start
	SCRIPT=wan.sh
	call drifted check
	call stop stop
	SCRIPT=inner.sh
	call end stop
	leg cured
	state before
	SCRIPT=flows.sh
	call start start
	SCRIPT=inner.sh
	call second start
	for SCRIPT in flows.sh inner.sh; do
		call "check-${SCRIPT%.sh}" check
		call "again-${SCRIPT%.sh}" start
	done
	inside ping
	for SCRIPT in flows.sh inner.sh; do
		call "stop-${SCRIPT%.sh}" stop
	done
	state after
}

$PART
