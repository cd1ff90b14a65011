# Many hosts behind one address, and a line with a delay and a rate. For cases that source this after lab.sh.
# shellcheck shell=sh disable=SC2154

# hosts COUNT: adds hosts 192.168.1.10, .11 and so on, 2001:db8:1::10 and so on, on the first LAN device. They are in
# one namespace, which the router cannot notice. Only flows use the line.
hosts() {
	lan=${LAN%% *}
	ip addr add 192.168.1.1/24 dev "$lan"
	ip addr add 2001:db8:1::1/64 dev "$lan" nodad
	number=10
	while [ $number -lt $((10 + $1)) ]; do
		echo "addr add 192.168.1.$number/24 dev $lan"
		echo "addr add 2001:db8:1::$number/64 dev $lan nodad"
		number=$((number + 1))
	done | ip -n lan -batch -
	ip -n lan route add default via 192.168.1.1
	ip -n lan -6 route add default via 2001:db8:1::1
	ip -n net -6 route add 2001:db8:1::/64 via 2001:db8:ffff::2
	# A veth would pass aggregated packets of the far ends whole.
	ip netns exec lan ethtool -K "$lan" tso off gso off >/dev/null
	ip netns exec net ethtool -K "$WAN" tso off gso off >/dev/null
	calm
}

# ways: adds an ipip and a sit tunnel to another house. 203.0.113.1 is behind the first and 2001:db8:cafe::1 behind the
# second, for which hosts have addresses in 2001:db8:2::/64. Packets that enter a tunnel keep their address.
ways() {
	ends ipip t-ipip 198.51.100.2 198.51.100.11
	ends sit t-sit 198.51.100.2 198.51.100.12
	ip -n net addr add 203.0.113.1/32 dev t-ipip
	ip -n net addr add 2001:db8:cafe::1/128 dev t-sit nodad
	ip route add 203.0.113.1 dev t-ipip
	ip -n net route add 192.168.1.0/24 dev t-ipip
	ip -6 route add 2001:db8:cafe::1 dev t-sit
	ip addr add 2001:db8:2::1/64 dev "$lan" nodad
	number=10
	while [ $number -lt 20 ]; do
		echo "addr add 2001:db8:2::$number/64 dev $lan nodad"
		number=$((number + 1))
	done | ip -n lan -batch -
	ip -n net -6 route add 2001:db8:2::/64 dev t-sit
	calm
}

# masquerade: translates addresses as a household's router does, by the means of this kernel.
masquerade() {
	if nft list tables >/dev/null 2>&1 && nft add table ip masquerade 2>/dev/null; then
		nft -f - <<-EOT
			table ip masquerade {
				chain postrouting { type nat hook postrouting priority 100; oifname "$WAN" masquerade; }
			}
		EOT
	else
		iptables-legacy -t nat -A POSTROUTING -o "$WAN" -j MASQUERADE
	fi
}

# line DELAY RATE: limits the provider's end to that rate, and delays all its packets.
line() {
	tc -n net qdisc replace dev "$WAN" root netem delay "$1" rate "$2" limit 2000
}
