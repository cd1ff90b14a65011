# The lab without any script of ours: its reports on a router that nobody touches, and on one that somebody does.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
leg dash
state first
listen quiet
heard quiet
state second
note ping-v4 busybox ping -c 1 -W 5 198.51.100.1
note ping-v6 busybox ping -6 -c 1 -W 5 2001:db8:ffff::1

# Tests the sender: lengths distinguish its packets at the root and at the ingress.
tc qdisc add dev "$WAN" root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
tc filter add dev "$WAN" parent 1: pref 10 protocol ip u32 match u16 60 0xffff at 2 flowid 1:2
tc qdisc add dev "$WAN" clsact
tc filter add dev "$WAN" ingress pref 10 protocol ip u32 match u16 60 0xffff at 2 action police rate 1gbit burst 1m
note send "$WORK/packets" send <"$WORK/orders"
sleep 0.2
note classes tc -s class show dev "$WAN"
note ingress tc -s filter show dev "$WAN" ingress
state touched
