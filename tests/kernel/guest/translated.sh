# Hosts behind tunnels at whose devices the router translates addresses. After each step, `counts` gets a line for each
# direction and class with the packets sent.
# shellcheck shell=sh disable=SC1091,SC2154,SC2034
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
. "$WORK/tunnels.sh"
lab
hosts 6
ip -n lan link set "$lan" address 02:00:5e:10:00:77
# A packet of 1500 bytes fits into the tunnel.
ip link set "$WAN" mtu 1540
ip -n net link set "$WAN" mtu 1540
ip netns attach router $$
ends ip6tnl map-wan 2001:db8:ffff::2 2001:db8:ffff::11 mode ipip6 encaplimit none
ends gre t-gre 198.51.100.2 198.51.100.13
for end in house far; do
	wg genkey >"/run/$end.key"
	wg pubkey <"/run/$end.key" >"/run/$end.pub"
done
ip link add wg0 type wireguard
wg set wg0 listen-port 41234 private-key /run/house.key \
	peer "$(cat /run/far.pub)" allowed-ips 0.0.0.0/0 endpoint 198.51.100.1:51820
ip -n net link add wg0 type wireguard
ip netns exec net wg set wg0 listen-port 51820 private-key /run/far.key \
	peer "$(cat /run/house.pub)" allowed-ips 0.0.0.0/0 endpoint 198.51.100.2:41234
number=0
for device in map-wan t-gre wg0; do
	number=$((number + 1))
	ip link set "$device" up mtu 1500
	ip -n net link set "$device" up mtu 1500
	ip addr add 192.0.2.$number/32 dev $device
	ip -n net addr add 203.0.113.$number/32 dev $device
	ip route add 203.0.113.$number dev $device src 192.0.2.$number
	ip -n net route add 192.0.2.$number dev $device src 203.0.113.$number
	outer=$WAN WAN=$device
	masquerade
	WAN=$outer
done
ip -n net addr add 203.0.113.11/32 dev map-wan
ip route add 203.0.113.11 dev map-wan src 192.0.2.1
nft -f "$WORK/foreign.nft" || exit 1
ip netns exec lan busybox ping -c 2 203.0.113.3 >/dev/null
calm

# count STEP: records the packets that each class has sent so far.
count() {
	for direction in up:"$WAN" down:"$IFB"; do
		tc -s class show dev "${direction#*:}" parent c05: |
			awk -v step="$1" -v direction="${direction%%:*}" '
			$1 == "class" { class = $3 }
			$1 == "Sent" { print step, direction, substr(class, 5), $4 }'
	done >>"$out/counts"
}

# reading NAME: records the bytes that arrived at the WAN device, and those counted on the ifb.
reading() {
	cat "/sys/class/net/$WAN/statistics/rx_bytes" >"$out/$1.wire"
	tc -s class show dev "$IFB" >"$out/$1.charged"
}

leg dash
state before
call start start
call again start
call check check
call status status
call dump dump
count none
# talk STEP FROM TO: sends ten packets, which are answered, and prints the number of lost ones.
talk() {
	"$WORK/load" ping "lan/$2" "net/$3" 10 5000 | grep -c lost
	count "$1"
}
{
	for host in 10 11 12 13 14 15; do talk 1-$host 192.168.1.$host 203.0.113.1; done
	talk mac 192.168.1.15 203.0.113.11
	for number in 2 3; do
		for host in 10 12; do talk $number-$host 192.168.1.$host 203.0.113.$number; done
	done
	talk six 2001:db8:1::10 2001:db8:ffff::1
} >"$out/lost"
nft list counter inet house marked >"$out/marked"
reading first
note ping ip netns exec lan busybox ping -c 3 -i 0.2 -W 2 -s 1472 203.0.113.1
reading last
for direction in down up; do
	leg $direction
	"$WORK/load" flows 2 4 >"$out/$leg/flows" <<-EOT
		desk lan/192.168.1.10 net/203.0.113.1 5443 2 $direction
		other lan/192.168.1.12 net/203.0.113.1 5444 2 $direction
	EOT
	echo $? >"$out/$leg/flows.code"
done
# Hosts share downloads. The round-trip time is like that of a line.
leg hosts
SCRIPT=shared.sh
ip link add link "$WAN" name vlan10 type vlan id 10
call start start
ip link del vlan10
line 10ms 60mbit
"$WORK/load" flows 2 6 >"$out/$leg/flows" <<-EOT
	one lan/192.168.1.10 net/203.0.113.1 5443 1 down
	eight lan/192.168.1.12 net/203.0.113.1 5444 8 down
EOT
echo $? >"$out/$leg/flows.code"
tc -n net qdisc del dev "$WAN" root
leg dash
SCRIPT=router.sh
call stop stop
state after
# The tunnel's device goes and comes back.
call anew start
ip link del map-wan
call gone start
ip link add map-wan type ip6tnl local 2001:db8:ffff::2 remote 2001:db8:ffff::11 mode ipip6 encaplimit none
ip link set map-wan up mtu 1500
call back start
call end stop
ip link add br-wan type bridge
ip link set "$WAN" master br-wan
call port start
