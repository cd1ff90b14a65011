#!/bin/sh
# HTB and fq_codel in the style of `simple.qos` of sqm-scripts: three tiers by DSCP for uploads, and one for downloads.
# This is not that script. It is written anew with the same rates and code points, because sqm-scripts needs the shell
# functions of OpenWrt.
#
#   simple-qos.sh [UP [DOWN]]    percent of the line rate; 98 and 95 by default
#
# From the lab: WAN, UP_KBIT and DOWN_KBIT. HTB knows no PTM, so the rates are 64/65 of the line's.
set -eu
up=$((UP_KBIT * 64 * ${1:-98} / 65 / 100))
down=$((DOWN_KBIT * 64 * ${2:-95} / 65 / 100))

# tree DEVICE RATE DEFAULT: an empty HTB tree with this rate.
tree() {
	tc qdisc add dev "$1" root handle 1: stab overhead 30 linklayer ethernet htb default "$3"
	tc class add dev "$1" parent 1: classid 1:1 htb quantum 1514 rate "$2kbit"
}

# class DEVICE NUMBER PRIORITY RATE CEIL OPTION...: a class with a fq_codel of these options.
class() {
	device=$1 number=$2
	tc class add dev "$device" parent 1:1 classid "1:$number" htb quantum 1514 prio "$3" rate "$4kbit" ceil "$5kbit"
	shift 5
	tc qdisc add dev "$device" parent "1:$number" fq_codel limit 1001 "$@"
}

# marked DSCP NUMBER: sends uploads with this code point to a class.
marked() {
	field=$(($1 * 4))
	tc filter add dev "$WAN" parent 1: prio 1 protocol ip u32 match ip dsfield $field 0xfc flowid "1:$2"
	tc filter add dev "$WAN" parent 1: prio 2 protocol ipv6 u32 match ip6 priority $field 0xfc flowid "1:$2"
}

tree "$WAN" "$up" 12
class "$WAN" 11 1 128 $((up / 3)) quantum 300 noecn
class "$WAN" 12 2 $((up / 6)) $((up - 16)) quantum 300 noecn
class "$WAN" 13 3 $((up / 6)) $((up - 16)) quantum 300 noecn
for dscp in 46 48 36; do marked "$dscp" 11; done # EF, CS6, AF42
marked 8 13                                      # CS1

ip link add sqm-in type ifb
ip link set sqm-in up
tree sqm-in "$down" 10
class sqm-in 10 0 "$down" "$down" ecn
tc qdisc add dev "$WAN" handle ffff: ingress
tc filter add dev "$WAN" parent ffff: matchall action mirred egress redirect dev sqm-in
