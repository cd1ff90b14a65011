# Sends one file of packets after another, and reads the counters of all classes after each.
# Needs from the case: IFB, the ifb of the link; SHOTS, the number of files and one more; TUNNELS, if packets go through
# tunnels; NAT, if addresses are translated.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
. "$WORK/tunnels.sh"
lab
[ -z "$TUNNELS" ] || tunnels
[ -z "$NAT" ] || masquerade
echo 0 >/proc/sys/net/ipv4/ip_forward
echo 0 >/proc/sys/net/ipv6/conf/all/forwarding
calm
leg dash
call start start
number=0
while [ "$number" -lt "$SHOTS" ]; do
	[ "$number" = 0 ] || "$WORK/packets" send <"$WORK/shots/$number" || exit 1
	sleep 0.02
	{
		tc -s class show dev "$WAN" parent c05:
		echo "== ifb"
		[ ! -d "/sys/class/net/$IFB" ] || tc -s class show dev "$IFB" parent c05:
		echo "== police"
		tc -s filter show dev "$WAN" ingress
		tc -s filter show dev "$WAN" egress
		echo "== root"
		tc -s qdisc show dev "$WAN" root
	} >"$out/$number.counters"
	number=$((number + 1))
done
call stop stop
