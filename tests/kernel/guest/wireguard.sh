# A WireGuard tunnel beside other traffic: uploads through a script's tree, downloads through trees by hand.
# From the case: scripts fq and cake; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 4
masquerade
for end in house far; do
	wg genkey >"/run/$end.key"
	wg pubkey <"/run/$end.key" >"/run/$end.pub"
done
ip link add wg0 type wireguard
ip -n net link add wg0 type wireguard
wg set wg0 listen-port 51820 private-key /run/house.key \
	peer "$(cat /run/far.pub)" allowed-ips 0.0.0.0/0 endpoint 198.51.100.1:51820
ip netns exec net wg set wg0 listen-port 51820 private-key /run/far.key \
	peer "$(cat /run/house.pub)" allowed-ips 0.0.0.0/0 endpoint 198.51.100.2:51820
ip addr add 10.9.0.2/24 dev wg0
ip link set wg0 up
ip -n net link set wg0 up
# 203.0.113.1 is inside the tunnel; what goes there keeps its address.
ip -n net addr add 203.0.113.1/32 dev wg0
ip -n net route add 192.168.1.0/24 dev wg0
ip route add 203.0.113.1 dev wg0
ethtool -K wg0 gro off >/dev/null
ip netns exec net ethtool -K wg0 tso off gso off >/dev/null

ping_inside() {
	"$WORK/load" ping lan/192.168.1.12 net/203.0.113.1 150 10000 >"$out/$leg/$1.times" 2>"$out/$leg/$1.err"
}

# loaded FLOW...: each a line for `load`.
loaded() {
	printf '%s\n' "$@" >/run/flows
	"$WORK/load" flows 2 6 </run/flows >"$out/$leg/flows" 2>"$out/$leg/flows.err" &
	flows=$!
	sleep 2.3
	reading first
	ping_inside busy
	ping_inside again
	reading last
	wait $flows
	echo $? >"$out/$leg/flows.code"
}

# reading NAME: the bytes that came in at the WAN, and those that the ifb's tree was charged.
reading() {
	cat "/sys/class/net/$WAN/statistics/rx_bytes" >"$out/$leg/$1.wire"
	[ ! -d "/sys/class/net/$IFB" ] || tc -s class show dev "$IFB" classid c05:1 >"$out/$leg/$1.charged"
}

for one in fq cake; do
	leg "$one"
	SCRIPT=$one.sh
	call start start
	ping_inside idle
	loaded "inside lan/192.168.1.10 net/203.0.113.1 5001 4 up"
	call stop stop
done

# Outer packets pass by the ifb, and inner ones go through it, so much longer as the outer ones are. An Ethernet header makes them 14
# bytes longer, and each further label 4. A label of MPLS that comes and goes makes them IP again, behind a long header
# of the link, which the ifb takes off when it gives a packet back.
leg down
modprobe ifb numifbs=0
ip link add "$IFB" type ifb
ip link set "$IFB" up
tc qdisc add dev "$IFB" root handle c05: htb
tc class add dev "$IFB" parent c05: classid c05:1 htb rate 2mbit burst 1600 cburst 1600 quantum 1522
tc class add dev "$IFB" parent c05:1 classid c05:10 htb rate 2mbit burst 1600 cburst 1600 quantum 1522
tc filter add dev "$IFB" parent c05: pref 10 protocol all u32 match u32 0 0 flowid c05:10
tc qdisc add dev "$WAN" clsact
tc filter add dev "$WAN" ingress pref 10 protocol ip u32 match ip protocol 17 0xff match ip sport 51820 0xffff action pass
tc filter add dev "$WAN" ingress pref 20 matchall action mirred egress redirect dev "$IFB"
tc qdisc add dev wg0 clsact
longer="action vlan push_eth dst_mac 02:00:00:00:00:02 src_mac 02:00:00:00:00:01 pipe"
labels=0
while [ $labels -lt 19 ]; do
	longer="$longer action vlan push id 1 pipe"
	labels=$((labels + 1))
done
longer="$longer action mpls push label 16 pipe action vlan pop pipe action mpls pop protocol ipv4 pipe"
note longer tc filter add dev wg0 ingress pref 1 protocol ip matchall $longer action mirred egress redirect dev "$IFB"
ip netns exec lan busybox ping -c 2 203.0.113.1 >/dev/null
for size in 56 72 456 1000 1392; do
	leg "down-$size"
	reading first
	note ping ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 -s $size 203.0.113.1
	reading last
done
for leaf in fq_codel "cake unlimited besteffort dual-dsthost nat rtt 200ms"; do
	leg "down-${leaf%% *}"
	tc qdisc replace dev "$IFB" parent c05:10 $leaf
	ping_inside idle
	loaded "inside lan/192.168.1.10 net/203.0.113.1 5001 1 down" "beside lan/192.168.1.11 net/198.51.100.1 5002 1 down"
done
