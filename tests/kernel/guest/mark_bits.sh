# Marks of others, bit by bit, under one script after another. Packets arrive with marks from below the WAN device,
# connections have marks, and uploads get marks on their way. nft sets record the marks of packets at several hooks.
# Needs from the case: VARIANTS; for each, bits-VARIANT.sh and bits-VARIANT.nft; LAST, the last number of a remote
# address.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 2
masquerade
ip netns attach router $$
# Remote ends. The last number of an address decides which mark belongs to it.
number=100
while [ "$number" -le "$LAST" ]; do
	echo "addr add 198.51.100.$number/24 dev $WAN"
	echo "addr add 2001:db8:ffff::$number/64 dev $WAN nodad"
	number=$((number + 1))
done | ip -n net -batch -

# talk FROM4 FROM6: sends three packets to each remote end, which answers them.
talk() {
	number=100
	while [ "$number" -le "$LAST" ]; do
		echo "$1 net/198.51.100.$number"
		echo "$2 net/2001:db8:ffff::$number"
		number=$((number + 1))
	done | "$WORK/load" talk 3
}

for variant in $VARIANTS; do
	leg "$variant"
	state before
	nft -f "$WORK/bits-$variant.nft" || exit 1
	conntrack -F 2>/dev/null
	SCRIPT=bits-$variant.sh
	call start start
	call check check
	talk lan/192.168.1.10 "lan/2001:db8:1::10" >"$out/$leg/lost"
	for way in up:"$WAN" down:"$IFB"; do
		tc -s class show dev "${way#*:}" parent c05: >"$out/$leg/${way%%:*}.classes"
	done
	note dump-router "$shell" "$WORK/$SCRIPT" dump
	talk router/198.51.100.2 "router/2001:db8:ffff::2" >>"$out/$leg/lost"
	nft list table inet watch >"$out/$leg/watch"
	nft list table netdev above >"$out/$leg/above"
	conntrack -L -p udp >"$out/$leg/connections4" 2>/dev/null
	conntrack -L -f ipv6 -p udp >"$out/$leg/connections6" 2>/dev/null
	nft delete table inet watch
	nft delete table netdev below
	nft delete table netdev above
	call stop stop
	state after
done
exit 0
