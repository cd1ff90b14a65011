#!/bin/sh
# CAKE in both directions, as one writes it by hand.
#
#   cake.sh [UP [DOWN]]    percent of the line rate; 98 and 95 by default
#
# From the lab: WAN, UP_KBIT and DOWN_KBIT. The overhead is that of PPPoE on VDSL2: 30 bytes and PTM.
set -eu
up=$((UP_KBIT * ${1:-98} / 100))
down=$((DOWN_KBIT * ${2:-95} / 100))

tc qdisc add dev "$WAN" root cake bandwidth "${up}kbit" overhead 30 ptm nat dual-srchost
ip link add cake-in type ifb
ip link set cake-in up
tc qdisc add dev cake-in root cake bandwidth "${down}kbit" overhead 30 ptm nat dual-dsthost ingress
tc qdisc add dev "$WAN" handle ffff: ingress
tc filter add dev "$WAN" parent ffff: matchall action mirred egress redirect dev cake-in
