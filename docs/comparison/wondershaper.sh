#!/bin/sh
# The rules of wondershaper 1.1a, rewritten for HTB. The original needs CBQ, which Linux 6.3 removed.
#
#   wondershaper.sh [UP [DOWN]]    percent of the line rate; 90 and 90 by default
#
# From the lab: WAN, UP_KBIT and DOWN_KBIT. Like the original, it knows no overhead. Its advice is to stay below the
# rates of the line.
set -eu
up=$((UP_KBIT * ${1:-90} / 100))
down=$((DOWN_KBIT * ${2:-90} / 100))

tc qdisc add dev "$WAN" root handle 1: htb default 20
tc class add dev "$WAN" parent 1: classid 1:1 htb rate "${up}kbit"
tc class add dev "$WAN" parent 1:1 classid 1:10 htb prio 1 quantum 1514 rate $((up / 2))kbit ceil "${up}kbit"
tc class add dev "$WAN" parent 1:1 classid 1:20 htb prio 2 quantum 1514 rate $((up * 4 / 10))kbit ceil $((up * 9 / 10))kbit
tc qdisc add dev "$WAN" parent 1:10 handle 10: sfq perturb 10
tc qdisc add dev "$WAN" parent 1:20 handle 20: sfq perturb 10

# First: TOS for low delay, ICMP, and TCP packets below 64 bytes.
tc filter add dev "$WAN" parent 1: protocol ip prio 10 u32 match ip tos 0x10 0xff flowid 1:10
tc filter add dev "$WAN" parent 1: protocol ip prio 11 u32 match ip protocol 1 0xff flowid 1:10
tc filter add dev "$WAN" parent 1: protocol ip prio 12 u32 match ip protocol 6 0xff \
	match u8 5 0x0f at 0 match u16 0 0xffc0 at 2 flowid 1:10

# Downloads: drop what is faster.
tc qdisc add dev "$WAN" handle ffff: ingress
tc filter add dev "$WAN" parent ffff: protocol all prio 50 matchall \
	action police rate "${down}kbit" burst 10k conform-exceed drop
