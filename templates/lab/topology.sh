# A house, its router, a line and the internet, each in a network namespace. The router is the namespace in which this
# begins. The guest sources this file.
#
# From the host:
#
#   WAN       the WAN device
#   RAW       `yes` if its packets begin with their IP header
#   MTU       the MTU of the WAN device
#   LAN       the device of the house's side; OTHERS, other LAN devices
#   UP, DOWN  the rates of the line in bit/s
#   CHARGE    the line's charge for each packet, as words of `stab`
#   HALF      the delay to the internet in microseconds, half of the round-trip time
#   NAT       `no`, or the router translates addresses
#
# and the files hosts, networks and remotes.
# shellcheck shell=sh disable=SC2154

# space NAME: makes a namespace that sends nothing by itself.
space() {
	ip netns add "$1"
	ip netns exec "$1" sh -c "$silent"
	ip -n "$1" link set lo up
}

# joined SPACE DEVICE SPACE DEVICE: makes an Ethernet between two namespaces; `-` is the router.
joined() {
	ip link add "end$$" type veth peer name "tail$$"
	placed "end$$" "$1" "$2"
	placed "tail$$" "$3" "$4"
}

placed() {
	if [ "$2" = - ]; then
		ip link set "$1" name "$3"
		ip link set "$3" mtu 1600 up
	else
		ip link set "$1" netns "$2" name "$3"
		ip -n "$2" link set "$3" mtu 1600 up
	fi
}

# single SPACE DEVICE: turns off aggregated packets of senders, which an Ethernet of this kind would pass whole.
single() {
	ip -n "$1" link set "$2" gso_max_segs 1
}

stand() {
	silent='cd /proc/sys/net/ipv6/conf/default && echo 0 >accept_dad && echo 0 >router_solicitations'
	modprobe -q ipv6
	sh -c "$silent"
	ip link set lo up
	for name in modem provider internet; do
		space $name
	done

	# The modem: a bridge, and a queue of 1000 packets before a line that is slower than its input.
	below=$WAN
	[ "$RAW" = no ] || below=under
	joined - "$below" modem house
	joined modem line provider line
	ip -n modem link add bridge type bridge forward_delay 0 stp_state 0
	ip -n modem link set bridge mtu 1600 up
	for port in house line; do
		ip -n modem link set $port master bridge
	done
	# shellcheck disable=SC2086 # words of tc
	tc -n modem qdisc add dev line root handle 1: stab $CHARGE netem limit 1000 rate "${UP}bit"
	# shellcheck disable=SC2086
	tc -n provider qdisc add dev line root handle 1: stab $CHARGE netem limit 1000 rate "${DOWN}bit"

	near=line
	if [ "$RAW" = yes ]; then
		ip addr add 100.64.76.2/30 dev "$below"
		ip -n provider addr add 100.64.76.1/30 dev line
		ip link add "$WAN" mtu "$MTU" type gre local 100.64.76.2 remote 100.64.76.1
		ip -n provider link add house mtu "$MTU" type gre local 100.64.76.1 remote 100.64.76.2
		ip link set "$WAN" up
		ip -n provider link set house up
		near=house
	fi
	ip link set "$WAN" mtu "$MTU"
	ip -n provider link set "$near" mtu "$MTU"
	ip addr add 100.64.77.2/24 dev "$WAN"
	ip addr add fd77::2/64 dev "$WAN" nodad
	ip -n provider addr add 100.64.77.1/24 dev "$near"
	ip -n provider addr add fd77::1/64 dev "$near" nodad
	ip route add default via 100.64.77.1 dev "$WAN"
	ip -6 route add default via fd77::1 dev "$WAN"

	# The internet. Half of the round-trip time is on the way there, and half on the way back.
	joined provider internet internet provider
	ip -n provider addr add 100.64.78.1/24 dev internet
	ip -n provider addr add fd78::1/64 dev internet nodad
	ip -n internet addr add 100.64.78.2/24 dev provider
	ip -n internet addr add fd78::2/64 dev provider nodad
	for way in 'provider internet' 'internet provider'; do
		# shellcheck disable=SC2086 # a namespace and a device
		set -- $way
		tc -n "$1" qdisc add dev "$2" root netem delay "${HALF}us" limit 100000
	done
	ip -n provider route add default via 100.64.78.2
	ip -n provider -6 route add default via fd78::2
	ip -n internet route add default via 100.64.78.1
	ip -n internet -6 route add default via fd78::1
	ip -n internet link set provider mtu 1500
	single internet provider
	ip -n internet -batch "$WORK/remotes"

	house

	for forwards in - provider; do
		turn_on='echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
		if [ $forwards = - ]; then sh -c "$turn_on"; else ip netns exec $forwards sh -c "$turn_on"; fi
	done
	[ "$NAT" = no ] || masquerade
	calm
}

# house: makes a bridge, and a port for each host.
house() {
	for other in $OTHERS; do
		ip link add "$other" type dummy
		ip link set "$other" up
	done
	ip link add "$LAN" type bridge forward_delay 0 stp_state 0
	ip link set "$LAN" up
	while read -r address network known; do
		ip addr add "$address/${network#*/}" dev "$LAN"
		[ "$known" != yes ] || back "$network"
	done <"$WORK/networks"
	while read -r name mac v4 by4 v6 by6 _; do
		space "$name"
		joined - "$name" "$name" eth0
		ip link set "$name" master "$LAN"
		[ "$mac" = - ] || ip -n "$name" link set eth0 address "$mac"
		ip -n "$name" link set eth0 mtu 1500
		single "$name" eth0
		if [ "$v4" != - ] && [ "$by4" != - ]; then
			ip -n "$name" addr add "$v4/32" dev eth0
			ip -n "$name" route add default via "$by4" dev eth0 onlink
			ip route replace "$v4/32" dev "$LAN"
			[ "$NAT" = yes ] || back "$v4/32"
		fi
		if [ "$v6" != - ] && [ "$by6" != - ]; then
			ip -n "$name" addr add "$v6/128" dev eth0 nodad
			ip -n "$name" -6 route add default via "$by6" dev eth0 onlink
			ip -6 route replace "$v6/128" dev "$LAN"
			back "$v6/128"
		fi
	done <"$WORK/hosts"
}

# back NETWORK: adds the provider's route to the house.
back() {
	case $1 in
	*:*) ip -n provider -6 route replace "$1" via fd77::2 ;;
	*) ip -n provider route replace "$1" via 100.64.77.2 ;;
	esac
}

# masquerade: translates addresses as a household's router does, by the means of this kernel and this host.
masquerade() {
	if nft add table ip masquerade 2>/dev/null; then
		nft -f - <<-EOT
			table ip masquerade {
				chain postrouting { type nat hook postrouting priority 100; oifname "$WAN" masquerade; }
			}
		EOT
	else
		iptables-legacy -t nat -A POSTROUTING -o "$WAN" -j MASQUERADE
	fi
}

# calm: waits until all devices have their carrier, and IPv6 has reported its groups. A user need not wait.
calm() {
	[ ! -e "$WORK/shell.sh" ] || return 0
	if grep -q time-travel /proc/cmdline; then sleep 20; else sleep 3; fi
}
