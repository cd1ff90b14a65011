# How long packets take from a LAN to the internet, by turns past houses of few hosts and of many; first where hosts are known by
# address, then in the same classes by mark.
# From the case: HOUSES, pairs of a device, also the name of the files, and how often its orders are sent in a turn; TURNS;
# COPIES, what becomes of a packet.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
leg scale

# What is sent to this device comes in from the LAN so many times, with its mark: what sending one costs would hide what
# the way through the router does.
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

# Each house has a way to the internet of its own, which ends there: what a far end would do is no part of it.
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
