# The time of packets from a LAN to the internet, in turns through houses of few hosts and of many. First the hosts are
# matched by address, then the same classes by mark.
# Needs from the case: HOUSES, pairs of a device, which is also the name of the files, and the number of rounds in a
# turn; TURNS; COPIES of each packet.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
leg scale

# Packets that are sent to this device arrive from the LAN several times, with their marks. Otherwise, the cost of
# sending would hide the cost of the path through the router.
ip link add many type dummy
ip link set many up
actions=
number=0
while [ $number -lt "$COPIES" ]; do
	actions="$actions action mirred ingress mirror dev $LAN"
	number=$((number + 1))
done
tc qdisc add dev many clsact
# shellcheck disable=SC2086 # the actions are words
tc filter add dev many egress matchall $actions

each() {
	for pair in $HOUSES; do
		house=${pair%%:*} rounds=${pair#*:}
		"$@"
	done
}

# Each house has its own path to the internet, which ends there. The work of a far end is not part of the measurement.
number=0
build() {
	number=$((number + 1))
	ip link add "$house" type dummy
	ip link set "$house" up
	ip route add "203.0.113.$number" dev "$house"
	note "$house-load" tc -batch "$WORK/$house.batch"
}
exchange() {
	tc filter del dev "$house" parent c05: 2>/dev/null
	note "$house-filters" tc -batch "$WORK/$house.filters"
}
turn() {
	echo "$1 $house $("$WORK/packets" sweep "$rounds" <"$WORK/$house.$1")" >>"$out/scale/times"
}
counted() {
	note "$house-$1" tc -s class show dev "$house" parent c05:
}
turns() {
	done=0
	while [ $done -lt "$TURNS" ]; do
		each turn "$1"
		done=$((done + 1))
	done
	each counted "$1"
}

each build
turns address
each exchange
turns mark
