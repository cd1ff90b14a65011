#!/bin/sh
# Three tiers of HTB with fq_codel, in the style of the script `simple.qos` of sqm-scripts. This is not that script: it
# repeats the shape of its tree, with tiers by DSCP. sqm-scripts itself needs the shell functions of OpenWrt.
#
#   simple-qos.sh [UP [DOWN]]    percent of the line rate; 98 and 95 by default
#
# From the lab: WAN, UP_KBIT and DOWN_KBIT. HTB knows no PTM, so the rates are 64/65 of the line's.
set -eu

# tiers DEVICE RATE: priority, best effort and background, with a third, a sixth and a sixth of the rate.
tiers() {
	tc qdisc add dev "$1" root handle 1: stab overhead 30 linklayer ethernet htb default 12
	tc class add dev "$1" parent 1: classid 1:1 htb quantum 1514 rate "$2kbit" ceil "$2kbit"
	tier "$1" 11 1 $(($2 / 3)) $(($2 / 3))
	tier "$1" 12 2 $(($2 / 6)) $(($2 - 16))
	tier "$1" 13 3 $(($2 / 6)) $(($2 - 16))
	for dscp in 46 48 56 40; do mark "$1" "$dscp" 11; done
	for dscp in 8 1; do mark "$1" "$dscp" 13; done
	tc filter add dev "$1" parent 1: prio 5 protocol ip u32 match ip protocol 1 0xff flowid 1:11
}

# tier DEVICE CLASS PRIORITY RATE CEIL
tier() {
	tc class add dev "$1" parent 1:1 classid "1:$2" htb quantum 1514 prio "$3" rate "$4kbit" ceil "$5kbit"
	tc qdisc add dev "$1" parent "1:$2" handle "$2:" fq_codel limit 1001 quantum 300 noecn
}

# mark DEVICE DSCP CLASS
mark() {
	tc filter add dev "$1" parent 1: prio 3 protocol ip u32 match ip dsfield $(($2 * 4)) 0xfc flowid "1:$3"
	tc filter add dev "$1" parent 1: prio 4 protocol ipv6 u32 match ip6 priority $(($2 * 4)) 0xfc flowid "1:$3"
}

tiers "$WAN" $((UP_KBIT * 64 * ${1:-98} / 65 / 100))
ip link add sqm-in type ifb
ip link set sqm-in up
tiers sqm-in $((DOWN_KBIT * 64 * ${2:-95} / 65 / 100))
tc qdisc add dev "$WAN" handle ffff: ingress
tc filter add dev "$WAN" parent ffff: matchall action mirred egress redirect dev sqm-in
