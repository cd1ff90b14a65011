# Our marks beside those of another tool, which routes by them. Its objects must be the same after start, traffic and
# stop.
# Needs from the case: foreign.nft; flows; SECONDS_EACH, their duration, although they are killed earlier; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 4
masquerade
# Both directions always have a rate. Virtual time stands still while a line without a rate is never idle.
line 5ms 20mbit
tc -n lan qdisc replace dev "$lan" root netem rate 20mbit limit 2000
nft -f "$WORK/foreign.nft" || exit 1
ip rule add pref 100 fwmark 0x100/0xf00 lookup 100
ip rule add pref 101 fwmark 0x200/0xf00 lookup 101
for table in 100 101; do
	ip route add 192.168.1.0/24 dev "${LAN%% *}" table $table
	ip route add default via 198.51.100.1 dev "$WAN" table $table
done

# theirs STEP: records all objects of others, and every connection's mark.
theirs() {
	{
		nft -s -a list table ip masquerade
		nft -s -a list table inet balance
		ip rule
		# While our ifb exists, it has an address of its own.
		ip route show table all | grep -v "dev $IFB "
		ip -6 rule
		sysctl net.ipv4.conf.all.src_valid_mark
	} >"$out/$leg/$1.theirs" 2>&1
	conntrack -L -p tcp >"$out/$leg/$1.connections" 2>/dev/null
	nft list counters table inet balance >"$out/$leg/$1.counters"
}

leg dash
"$WORK/load" flows 0 "$SECONDS_EACH" <"$WORK/flows" >"$out/$leg/flows" 2>"$out/$leg/flows.err" &
flows=$!
sleep 3
theirs before
call start start
sleep 3
theirs during
note tables nft list ruleset
note down tc -s class show dev "$IFB" parent c05:
call second start
call stop stop
sleep 2
theirs after
note left nft list tables
kill $flows
wait $flows 2>/dev/null
exit 0
