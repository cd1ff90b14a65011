# The time of packets that do not borrow: without a script, with all of them in HTB, and with police.
# Needs from the case: TURNS, the number of measurements.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

# Packets are dropped here, so the time covers the path to this point: the police, or the ifb.
ip route add blackhole 203.0.113.0/24
leg gateway

# A packet that is sent to this device leaves the internet's end of the line 32 times. Otherwise, the cost of
# sending would hide the cost of receiving.
ip -n net link add many type dummy
ip -n net link set many up
copies=
for _ in 1 2 3 4 5 6 7 8; do
	for _ in 1 2 3 4; do
		copies="$copies action mirred egress mirror dev $WAN"
	done
done
tc -n net qdisc add dev many clsact
# shellcheck disable=SC2086 # the copies are words
tc -n net filter add dev many egress matchall $copies

# took WHAT: records the nanoseconds for all packets of the file.
took() {
	from=$(date +%s%N)
	"$WORK/packets" send <"$WORK/orders"
	echo "$1 $(($(date +%s%N) - from))" >>"$out/gateway/times"
}

round=0
while [ $round -lt "$TURNS" ]; do
	took none
	for what in htb police; do
		SCRIPT=$what.sh
		call "$what-start" start
		took $what
		note "$what-counters" tc -s -d class show dev "$IFB"
		note "$what-filters" tc -s filter show dev "$WAN" ingress
		call "$what-stop" stop
	done
	round=$((round + 1))
done
