# Lets Linux's TCP act out scenarios through the router, and counts which packets the filters of a class take.
# Needs from the case: IFB; the file `filters`, as `acks` reads it.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 1
ip -n net route add 192.168.1.0/24 via 198.51.100.2
leg dash
call start start
export WAN LAN SERVER4=198.51.100.1 SERVER6=2001:db8:ffff::1

counters() {
	{
		tc -s class show dev "$WAN" parent c05:
		echo "== ifb"
		tc -s class show dev "$IFB" parent c05:
		echo "== end"
	} >"$out/$1.counters"
}

# tcp NAME VALUE: sets a sysctl of TCP at both ends.
tcp() {
	for space in lan net; do
		ip netns exec $space sh -c "echo $2 >/proc/sys/net/ipv4/tcp_$1"
	done
}

# path WORD...: what happens to packets before they reach the shaper.
path() {
	tc -n lan qdisc replace dev "$LAN" root netem "$@"
	tc -n net qdisc replace dev "$WAN" root netem "$@"
}

# wide_path: forgets the path MTU that a scenario has lowered.
wide_path() {
	{
		ip route del 198.51.100.1/32
		ip route del 192.168.1.10/32
		ip -6 route del 2001:db8:ffff::1/128
		ip -6 route del 2001:db8:1::10/128
	} 2>/dev/null
	for space in lan net; do
		ip -n $space route flush cache
		ip -n $space -6 route flush cache
	done
}

# act LABEL SCENARIO...: plays scenarios in both families.
act() {
	label=$1
	shift
	for scenario; do
		for family in 4 6; do
			[ "$scenario" != path ] || wide_path
			"$WORK/acks" "$scenario/$label/ipv$family" $family "$scenario" <"$WORK/filters" >>"$out/counts" ||
				echo "$scenario/$label/ipv$family failed" >>"$out/counts"
		done
	done
}

counters before
for timestamps in 1 0; do
	tcp timestamps $timestamps
	for sack in 1 0; do
		tcp sack $sack
		path delay 5ms limit 10000
		act "ts$timestamps-sack$sack" bulk
		path delay 5ms loss 3% limit 10000
		act "ts$timestamps-sack$sack/loss" bulk
	done
done
tcp timestamps 1
tcp sack 1
path delay 5ms limit 10000
act usual odd requests keys more abandoned cork window keepalive urgent file smallest path
path delay 5ms loss 3% limit 10000
act usual/loss odd requests keys more abandoned cork window keepalive urgent file smallest path
path delay 5ms reorder 90% 50% limit 10000
act reordered bulk
tcp ecn 1
path delay 5ms loss 3% ecn limit 10000
act ecn bulk
counters after
call stop stop
