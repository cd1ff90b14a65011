# An upload of a host behind NAT, without a flowtable and with one.
# Needs from the case: flows, flowtable.nft.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 1
masquerade
# Both directions always have a rate. Virtual time stands still while a line without a rate is never idle.
line 5ms 20mbit
tc -n lan qdisc replace dev "$lan" root netem rate 20mbit limit 2000
SCRIPT=router.sh
for leg in without with; do
	leg "$leg"
	[ "$leg" = without ] || nft -f "$WORK/flowtable.nft" || exit 1
	call start start
	note flows "$WORK/load" flows 0 3 <"$WORK/flows"
	note up tc -s class show dev "$WAN" parent c05:
	call check check
	call stop stop
done
exit 0
