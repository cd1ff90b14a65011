#!/bin/sh
# The commands of `layer_cake.qos` of sqm-scripts with its defaults, for a cable line: CAKE in both directions, three
# tins by DSCP for uploads, and one tin for downloads, whose DSCP is cleared. tc's keyword `docsis` means the same as
# `overhead 18 mpu 64`.
#
#   layer-cake.sh [UP [DOWN]]    percent of the line rate; 95 by default
#
# From the lab: WAN, UP_KBIT and DOWN_KBIT.
set -eu
up=$((UP_KBIT * ${1:-95} / 100))
down=$((DOWN_KBIT * ${2:-95} / 100))

tc qdisc add dev "$WAN" root cake bandwidth "${up}kbit" overhead 18 mpu 64 diffserv3 nat
ip link add ifb4wan type ifb
ip link set ifb4wan up
tc qdisc add dev ifb4wan root cake bandwidth "${down}kbit" overhead 18 mpu 64 besteffort nat wash
tc qdisc add dev "$WAN" handle ffff: ingress
tc filter add dev "$WAN" parent ffff: protocol all prio 10 matchall action mirred egress redirect dev ifb4wan
