# Tunnels between the router and `net`, for cases that source this after lab.sh. Each ends at an address of its own in
# `net`, and its devices have the same name at both ends.
# shellcheck shell=sh disable=SC2154

# ends KIND NAME LOCAL REMOTE OPTION...: makes both ends of a tunnel over the WAN device.
ends() {
	ends_kind=$1 ends_name=$2 ends_local=$3 ends_remote=$4
	shift 4
	case $ends_remote in
	*:*) ip -n net addr add "$ends_remote/128" dev "$WAN" nodad ;;
	*) ip -n net addr add "$ends_remote/32" dev "$WAN" ;;
	esac
	ip link add "$ends_name" type "$ends_kind" local "$ends_local" remote "$ends_remote" "$@"
	ip -n net link add "$ends_name" type "$ends_kind" local "$ends_remote" remote "$ends_local" "$@"
	# Nobody has to ask for the other end's Ethernet address while packets are counted.
	ip neigh replace "$ends_remote" dev "$WAN" nud permanent \
		lladdr "$(ip netns exec net cat "/sys/class/net/$WAN/address")"
	ip link set "$ends_name" up
	ip -n net link set "$ends_name" up
}

# tunnels: makes a tunnel of every kind that does not encrypt, and two of some kinds.
tunnels() {
	house=198.51.100.2 house6=2001:db8:ffff::2
	ends ipip t-ipip $house 198.51.100.11
	ends sit t-sit $house 198.51.100.12
	ends gre t-gre $house 198.51.100.13
	ends gre t-gre-all $house 198.51.100.14 key 7 csum seq
	ends vxlan t-vxlan $house 198.51.100.15 id 7 dstport 4789
	ends ip6tnl t-6 $house6 2001:db8:ffff::11 mode any
	ends ip6tnl t-6-bare $house6 2001:db8:ffff::12 mode any encaplimit none
	ends ip6gre t-6gre $house6 2001:db8:ffff::13
	ends ip6gre t-6gre-key $house6 2001:db8:ffff::14 encaplimit none key 7
	ends vxlan t-6vxlan $house6 2001:db8:ffff::15 id 8 dstport 4789
	calm
}
