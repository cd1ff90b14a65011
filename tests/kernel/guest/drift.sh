# Changes by others on a router on which a script is in place, and the next `start`, which repairs
# them.
# Needs from the case: IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

# mend: repairs the damage of the current leg.
mend() {
	call check check
	call start start
	call dump dump
	call second start
	note ping busybox ping -c 1 -W 5 198.51.100.1
}

leg whole
state before
call start start

leg ifb-gone
ip link del "$IFB"
mend

leg ifb-down
ip link set "$IFB" down
mend

leg root-replaced
tc qdisc replace dev "$WAN" root fq_codel
mend

leg ifb-root-replaced
tc qdisc replace dev "$IFB" root pfifo
mend

leg hooks-gone
tc qdisc del dev "$WAN" clsact
mend

leg filter-gone
tc filter del dev "$WAN" parent c05: pref 10
mend

leg settings
ip link set "$WAN" txqueuelen 77
echo 4096 5000 6000 >/proc/sys/net/ipv4/tcp_wmem
mend

leg device-anew
ip link del "$WAN"
ip route flush 198.51.100.0/24
wan_ethernet
settle
mend

leg whole
call stop stop

leg taken
tc qdisc add dev "$WAN" root handle 1: htb default 10
tc class add dev "$WAN" parent 1: classid 1:10 htb rate 1mbit
tc qdisc add dev "$WAN" clsact
tc filter add dev "$WAN" ingress pref 5 protocol ip u32 match ip src 10.0.0.0/8 action drop
call refused start
call start --take-over start
call dump dump
call second start
call stop stop
note left tc qdisc show dev "$WAN"
tc qdisc del dev "$WAN" clsact

leg lost
state before
SCRIPT=plain.sh
call start start
rm -r /run/qosc
mend
call stop stop
state after
call start start
rm -r /run/qosc
call stop-lost stop
state after-lost
exit 0
