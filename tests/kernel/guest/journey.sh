# Conversations between the hosts of a house, its router and the internet, under one file after another. After each
# conversation, the counters of all classes are read.
# Needs from the case: LEGS, and for each leg NAME in legs/: NAME.sh, NAME.nft with the translation of addresses, and
# NAME.talks, lines for `conversations`.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/tunnels.sh"

# host SPACE BRIDGE MAC ADDRESS...: makes a namespace with these addresses at a port of a bridge.
host() {
	space=$1 bridge=$2 mac=$3
	shift 3
	[ -e "/run/netns/$space" ] || ip netns add "$space"
	ip netns exec "$space" sh -c "$set_silent"
	ip link show "$bridge" >/dev/null 2>&1 || ip link add "$bridge" type bridge forward_delay 0
	ip link set "$bridge" up
	wire "p-$space" "$space" up0
	ip link set "p-$space" master "$bridge"
	ip -n "$space" link set up0 address "$mac"
	for address; do
		echo "addr add $address dev up0$(echo "$address" | sed -n 's/.*:.*/ nodad/p')"
	done | ip -n "$space" -batch -
}

# wireguard DEVICE PORT NETWORK FAR-PORT [client]: makes both ends of a tunnel, with the ports on which they listen. The
# addresses of the other end are in NETWORK. A client knows the other end, and a server learns of it.
wireguard() {
	umask 077
	for end in house far; do
		wg genkey >"/run/$1.$end.key"
		wg pubkey <"/run/$1.$end.key" >"/run/$1.$end.pub"
	done
	ip link add "$1" type wireguard
	ip -n net link add "$1" type wireguard
	# shellcheck disable=SC2086 # no word or two
	wg set "$1" listen-port "$2" private-key "/run/$1.house.key" \
		peer "$(cat "/run/$1.far.pub")" allowed-ips "$3" ${5:+endpoint 198.51.100.1:$4}
	ip netns exec net wg set "$1" listen-port "$4" private-key "/run/$1.far.key" \
		peer "$(cat "/run/$1.house.pub")" allowed-ips 0.0.0.0/0 endpoint "198.51.100.2:$2"
	ip link set "$1" up
	ip -n net link set "$1" up
}

# neighbours DEVICE: nobody has to ask for an Ethernet address on the line while packets are counted. DEVICE has the
# addresses of the router.
neighbours() {
	far=$(ip netns exec net cat "/sys/class/net/$WAN/address")
	for address in 198.51.100.1 198.51.100.11 2001:db8:ffff::1; do
		ip neigh replace "$address" dev "$1" nud permanent lladdr "$far"
	done
	for address in 198.51.100.2 2001:db8:ffff::2; do
		ip -n net neigh replace "$address" dev "$WAN" nud permanent lladdr "$(cat "/sys/class/net/$1/address")"
	done
}

# bridge: makes the WAN device a port of a bridge, which gets its addresses.
bridge() {
	ip addr flush dev "$WAN"
	ip link add br-wan address "$(cat "/sys/class/net/$WAN/address")" type bridge forward_delay 0
	ip link set "$WAN" master br-wan
	ip link set br-wan up
	ip addr add 198.51.100.2/24 dev br-wan
	ip addr add 2001:db8:ffff::2/64 dev br-wan nodad
	ip route replace default via 198.51.100.1
	ip -6 route replace default via 2001:db8:ffff::1
	neighbours br-wan
	calm
}

LAN=''
lab
ip netns attach router $$
host lan br-lan 02:00:5e:10:00:10 192.168.1.10/24 192.168.1.20/24 192.168.1.30/24 192.168.1.40/24 \
	2001:db8:1::10/64 2001:db8:1::20/64 2001:db8:1::30/64 2001:db8:1::40/64
host phone br-lan 02:00:5e:10:00:77 192.168.1.77/24 2001:db8:1::77/64
host guest br-guest 02:00:5e:10:00:09 192.168.9.5/24 192.168.9.6/24 2001:db8:9::5/64 2001:db8:9::6/64
for bridge in lan:1 guest:9; do
	ip addr add "192.168.${bridge#*:}.1/24" dev "br-${bridge%:*}"
	ip addr add "2001:db8:${bridge#*:}::1/64" dev "br-${bridge%:*}" nodad
	ip -n net route add "192.168.${bridge#*:}.0/24" via 198.51.100.2
	ip -n net route add "2001:db8:${bridge#*:}::/64" via 2001:db8:ffff::2
done
for space in lan:1 phone:1 guest:9; do
	ip -n "${space%:*}" route add default via "192.168.${space#*:}.1"
	ip -n "${space%:*}" route add default via "2001:db8:${space#*:}::1"
done
for address in 203.0.113.10/32 203.0.113.20/32 203.0.113.130/32 "2001:db8:cafe::10/128 nodad" "2001:db8:beef::20/128 nodad"; do
	# shellcheck disable=SC2086 # with a word
	ip -n net addr add $address dev lo
done
neighbours "$WAN"

# The other ends of the tunnels have addresses of their own, and answer through the tunnel.
ends ipip t-ipip 198.51.100.2 198.51.100.11
wireguard wg0 51820 10.9.0.0/24 43210
wireguard wg1 41234 10.8.0.0/24 51820 client
for tunnel in t-ipip:10.7.0 wg1:10.8.0 wg0:10.9.0; do
	network=${tunnel#*:} device=${tunnel%:*}
	ip route add "$network.0/24" dev "$device"
	ip addr add "$network.1/32" dev "$device"
	ip -n net addr add "$network.5/32" dev "$device"
	table=${network#10.} table=20${table%.0}
	ip -n net route add default dev "$device" table "$table"
	ip -n net rule add from "$network.0/24" lookup "$table"
	# A server learns where its peer is.
	ip netns exec net busybox ping -c 2 -I "$network.5" 192.168.1.1 >"$out/$device.ping"
done
calm

# The router forgets a connection soon, so that none meets the marks and ports of an earlier one.
for timeout in udp_timeout udp_timeout_stream tcp_timeout_close; do
	echo 1 >"/proc/sys/net/netfilter/nf_conntrack_$timeout"
done

for leg in $LEGS; do
	leg "$leg"
	SCRIPT=legs/$leg.sh
	[ "$leg" != bridge ] || bridge
	nft -f "$WORK/legs/$leg.nft" || exit 1
	call start start
	# Uploads may pass an ifb, too.
	up=ifbu-$leg
	[ -d "/sys/class/net/$up" ] || up=$WAN
	# The line between the devices.
	printf '%s\n' "class show dev $up parent c05:" "qdisc show dev lo" "class show dev ifb-$leg parent c05:" >/run/counters
	"$WORK/conversations" 20 tc -s -batch /run/counters <"$WORK/legs/$leg.talks" >"$out/$leg/counters" 2>"$out/$leg/lost"
	nft list ruleset >"$out/$leg/ruleset"
	call check check
	call stop stop
	nft delete table inet translation
done
