# Connections of several hosts, one after the other. After each, `counts` gets a line for each direction and class with
# the packets sent. Needs from the case: NAT.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154,SC2034
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 2
ip netns attach router $$
# The addresses of the house's hosts, all with one MAC address.
for address in 5 30 40 50 60 61 200; do
	echo "addr add 192.168.1.$address/24 dev br-lan"
	echo "addr add 2001:db8:1::$address/64 dev br-lan nodad"
done | ip -n lan -batch -
ip -n lan link set br-lan address 02:00:5e:10:00:77
ip -n net route add 192.168.1.0/24 via 198.51.100.2
[ "$NAT" = false ] || masquerade
# The household's own rules: DSCPs, marks, and a counter that would see our marks if they were left on downloads.
nft -f "$WORK/foreign.nft" || exit 1

# talk FROM TO COUNT: sends packets, which are answered, and prints the number of lost ones.
talk() { "$WORK/load" ping "$1" "$2" "$3" 5000 | grep -c lost; }

# count STEP: records the packets that each class has sent so far.
count() {
	for way in up:"$WAN" down:"$IFB"; do
		tc -s class show dev "${way#*:}" parent c05: | awk -v step="$1" -v way="${way%%:*}" '
			$1 == "class" { class = $3 }
			$1 == "Sent" { print step, way, substr(class, 5), $4 }'
	done >>"$out/counts"
}

leg dash
state before
call start start
call check check
nft monitor >"$out/dash/second.nft" 2>&1 &
monitor=$!
sleep 1
call second start
sleep 1
kill $monitor
count none
far4=net/198.51.100.1 far6=net/2001:db8:ffff::1
{
	for host in 5 30 40 50 60 61 200; do
		talk "lan/2001:db8:1::$host" $far6 10 &
		talk "lan/192.168.1.$host" $far4 10
		wait $!
		count "$host"
	done
	# The router itself, and a connection from outside.
	talk router/198.51.100.2 $far4 10
	count router
	talk $far4 lan/192.168.1.5 10
	count inbound
} >"$out/lost"
"$WORK/packets" send <"$WORK/groups" || exit 1
sleep 0.1
count groups
grep dport=7 /proc/net/nf_conntrack >"$out/conntrack"
nft list counter inet house marked >"$out/marked"

# Another file is started while a connection exists.
"$WORK/load" ping lan/192.168.1.5 $far4 1000 20000 >"$out/living" &
living=$!
sleep 1
SCRIPT=changed.sh
call changed start
wait $living
count living
call check-changed check
call dump dump
if [ "$NAT" = true ]; then
	# The table is edited by hand, which `check` notices and `start` repairs. Then it is deleted.
	nft delete chain inet qosc_home prerouting
	call check-edited check
	call heal start
	call check-healed check
	nft delete table inet qosc_home
	call check-gone check
	call heal-gone start
	call check-healed-gone check
fi
call stop stop
state after
