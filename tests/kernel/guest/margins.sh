# Flows that all begin at once, under one margin of the shaper after another: the wait of a ping of a quiet host, and
# the bytes that the shaper passes. `margins.rs` describes the results.
# From the case: topology.env for topology.sh; IFB, the device that shapes downloads; and the file `cases`, each a line
# `SCRIPT RTT DIRECTION FLOWS CONTROL STEADY LENGTH` with the RTT in milliseconds and the other times in seconds.
# shellcheck shell=sh disable=SC1091,SC2086,SC2154
. "$WORK/topology.env"
. "$WORK/topology.sh"
export LC_ALL=C
mkdir -p "$WORK/out"
set -e
stand

# counted: prints the bytes and packets that the shaper passed.
counted() { tc -s qdisc show dev "$shaper" root | sed -n 's/^ *Sent \([0-9]*\) bytes \([0-9]*\) pkt.*/\1 \2/p'; }

overhead=${CHARGE#overhead }
overhead=${overhead%% *}

while read -r script rtt direction flows control steady length <&3; do
	rate=$DOWN shaper=$IFB
	[ "$direction" = down ] || { rate=$UP shaper=$WAN; }
	# A fresh tree for each case: in a CAKE that has seen bursts, the next ones last longer.
	sh "$WORK/$script.sh" start >"$WORK/out/start" 2>&1
	for way in 'provider internet' 'internet provider'; do
		tc -n ${way% *} qdisc change dev ${way#* } root netem delay "$((rtt * 500))us" limit 100000
	done
	for space in internet loader; do
		# No flow learns from earlier ones.
		ip -n $space tcp_metrics flush >/dev/null 2>&1 || :
		ip netns exec $space sh -c "echo $control >/proc/sys/net/ipv4/tcp_congestion_control"
	done
	sleep 2
	# The flows begin after one second.
	{
		sleep $((1 + steady))
		counted
		sleep $((length - steady))
		counted
	} >"$WORK/out/counted" &
	"$WORK/burst" internet loader 203.0.113.1 "$flows" "$length" quiet "$direction" 3 "$steady" >"$WORK/out/burst"
	wait
	echo "$script $rtt $direction $flows $control $rate $overhead $((length - steady))" "$(xargs <"$WORK/out/burst")" "$(xargs <"$WORK/out/counted")" \
		>>"$WORK/out/results"
	sh "$WORK/$script.sh" stop >"$WORK/out/stop" 2>&1
done 3<"$WORK/cases"
