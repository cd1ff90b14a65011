# The time of packets through trees with filters, each after the same packets through a tree without them.
# Needs from the case: CASES, each `DEVICE:PACKETS:ROUNDS`; TURNS; COPIES of each packet, at most 32.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
leg filters

build() {
	ip link add "$1" type dummy
	ip link set "$1" up
	note "$1-load" tc -batch "$WORK/$1.batch"
}

# The kernel copies each packet that is sent to this device to the device with a tree, so that the cost of sending hides
# little. No packet is routed, and the device with the tree drops what leaves it.
ip link add send type dummy
ip link set send up
tc qdisc add dev send clsact

# through DEVICE: sends the packets of the case to a device.
through() {
	to=$1
	actions=
	number=0
	while [ $number -lt "$COPIES" ]; do
		actions="$actions action mirred egress mirror dev $to"
		number=$((number + 1))
	done
	# shellcheck disable=SC2086 # the actions are words
	tc filter replace dev send egress pref 1 handle 1 flower $actions
	"$WORK/packets" sweep "$rounds" <"$WORK/$device.$packets"
}

build base
built=
for case in $CASES; do
	device=${case%%:*}
	case $built in *" $device "*) ;; *) build "$device" ;; esac
	built="$built $device "
done
turn=0
while [ "$turn" -lt "$TURNS" ]; do
	for case in $CASES; do
		device=${case%%:*} rounds=${case##*:} packets=${case#*:}
		packets=${packets%:*}
		bare=$(through base)
		echo "$device:$packets $bare $(through "$device")" >>"$out/filters/times"
	done
	turn=$((turn + 1))
done
