# Pings through each tunnel: without load, and beside a flood in both directions of another flow in the same tunnel and
# class. Then bulk in a tunnel against bulk beside it, and packets of three service types beside bulk in the tunnel.
# Needs from the case: orders/TUNNEL, the flood of a tunnel; exact/TUNNEL, ten packets of one length; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/tunnels.sh"
lab
household
ip addr add 2001:db8:1::1/64 dev "$lan" nodad
ip -n lan addr add 2001:db8:1::10/64 dev "$lan" nodad
ip -n lan route add default via 2001:db8:1::1
tunnels

# The flow labels of the far ends, which are those of a forwarding Linux: one for all flows. tc writes them into the
# packets on the way. The far end's kernel would send a hash along with its labels.
ip netns exec net sh -c 'echo 0 >/proc/sys/net/ipv6/auto_flowlabels'
tc -n net qdisc add dev "$WAN" clsact
tc -n net filter add dev "$WAN" egress protocol ipv6 pref 1 u32 match ip6 dst 2001:db8:ffff::2/128 \
	action pedit ex munge ip6 flow_lbl set 0x12345 retain 0xfffff

# counted STEP: records the counters of all classes in both directions, and the time.
counted() {
	{
		cut -d' ' -f1 /proc/uptime
		tc -s class show dev "$WAN" parent c05:
		echo "== ifb"
		tc -s class show dev "$IFB" parent c05:
		cut -d' ' -f1 /proc/uptime
	} >"$out/$leg/$1.counters"
}

# through TUNNEL: routes the traffic between the house and the tunnel's far end through it. `far` is an address there.
through() {
	ip -n net addr flush dev "$1" scope global
	case $1 in
	t-sit)
		far=2001:db8:9::1
		ip -n net addr add $far/64 dev "$1" nodad
		ip -6 route replace 2001:db8:9::/64 dev "$1"
		ip -n net route replace 2001:db8:1::/64 dev "$1"
		;;
	t-*vxlan)
		far=10.9.0.1
		ip -n net addr add $far/24 dev "$1"
		ip route replace 10.9.0.0/24 dev "$1"
		ip addr replace 10.9.0.2/32 dev "$1"
		acquainted "" "$1" $far net
		ip -n net route replace 10.9.0.2 dev "$1"
		acquainted net "$1" 10.9.0.2 ""
		ip -n net route replace 192.168.1.0/24 via 10.9.0.2 dev "$1" onlink
		;;
	*)
		far=10.9.0.1
		ip -n net addr add $far/24 dev "$1"
		ip route replace 10.9.0.0/24 dev "$1"
		ip -n net route replace 192.168.1.0/24 dev "$1"
		;;
	esac
}

pings() {
	note "$1" ip netns exec lan busybox ping -i 0.05 -c "$2" -W 2 "${3:-$far}"
}

leg apart
call start start
for tunnel in $TUNNELS; do
	through "$tunnel"
	calm
	counted "$tunnel-before"
	"$WORK/packets" send <"$WORK/exact/$tunnel"
	sleep 0.3
	counted "$tunnel-after"
	pings "$tunnel-first" 2
	pings "$tunnel-idle" 20
	"$WORK/packets" flood 2200 2500 <"$WORK/orders/$tunnel" &
	sleep 0.7
	pings "$tunnel-busy" 20
	wait $!
	sleep 0.3
done

# Service types: three addresses, so that iptables can set the type by the destination.
through t-ipip
for n in 12 13; do
	ip -n net addr add "10.9.0.$n/24" dev t-ipip
done
ip netns exec lan iptables-legacy -t mangle -A OUTPUT -d 10.9.0.12 -j TOS --set-tos 0x10/0xff
ip netns exec lan iptables-legacy -t mangle -A OUTPUT -d 10.9.0.13 -j TOS --set-tos 0x08/0xff
"$WORK/packets" flood 2700 2500 <"$WORK/orders/t-ipip" &
sleep 0.7
for n in 1 12 13; do
	pings "service-$n" 30 "10.9.0.$n" &
done
wait

# Both share the line: TCP in the tunnel, and TCP beside it.
ethtool -K p-lan gro off
ip netns exec lan ethtool -K "$lan" tso off gso off
ip netns exec net ethtool -K "$WAN" tso off gso off
ip -n lan addr add 192.168.2.10/24 dev "$lan"
ip route add 192.168.2.0/24 dev "$lan"
ip -n net route add 192.168.2.0/24 via 198.51.100.2
acquainted "" "$lan" 192.168.2.10 lan
ip netns exec net iperf3 -s -D -p 5201
ip netns exec net iperf3 -s -D -p 5202
sleep 0.5
for way in up down; do
	reverse=
	[ $way = up ] || reverse=-R
	ip netns exec lan iperf3 -f k $reverse -t 5 -O 1 -B 192.168.1.10 -c 10.9.0.1 -p 5201 >"$out/$leg/$way-inside" 2>&1 &
	inside=$!
	ip netns exec lan iperf3 -f k $reverse -t 5 -O 1 -B 192.168.2.10 -c 198.51.100.1 -p 5202 >"$out/$leg/$way-beside" 2>&1 &
	beside=$!
	sleep 1.8
	counted "$way-from"
	sleep 3
	counted "$way-to"
	wait $inside $beside
	# Lets the servers finish.
	sleep 0.5
done
call stop stop
exit 0
