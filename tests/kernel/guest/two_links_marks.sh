# Two links with hosts behind NAT on each. Their marks use the same bits, and each host sends packets over
# both links.
# Needs from the case: other.sh; OTHER_WAN, OTHER_IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
wire "$OTHER_WAN" net
ip addr add 198.51.101.2/24 dev "$OTHER_WAN"
ip -n net addr add 198.51.101.1/24 dev "$OTHER_WAN"
hosts 2
masquerade
nft -f - <<-EOT
	table ip other-way {
		chain postrouting { type nat hook postrouting priority 100; oifname "$OTHER_WAN" masquerade; }
	}
EOT

# counted STEP: records the counters of both links' classes.
counted() {
	for device in "$WAN" "$IFB" "$OTHER_WAN" "$OTHER_IFB"; do
		tc -s class show dev "$device" parent c05: >"$out/$leg/$1.$device" 2>/dev/null
	done
}

# talk STEP: sends packets from each host over each link, and counts. All are answered.
talk() {
	for host in 10 11; do
		"$WORK/load" ping "lan/192.168.1.$host" net/198.51.100.1 "$host" 5000
		"$WORK/load" ping "lan/192.168.1.$host" net/198.51.101.1 $((2 * host)) 5000
	done >"$out/$leg/$1.lost"
	counted "$1"
}

leg two
state before
SCRIPT=router.sh
call first-start start
SCRIPT=other.sh
call other-start start
call other-check check
SCRIPT=router.sh
call first-check check
talk both
call first-second start
nft list table inet qosc_other >"$out/$leg/both.table"
call first-stop stop
nft list table inet qosc_other >"$out/$leg/one.table"
SCRIPT=other.sh
call other-still check
talk one
call other-stop stop
state after
exit 0
