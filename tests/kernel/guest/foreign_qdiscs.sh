# A router whose WAN device already has something: a root qdisc, an ingress qdisc, or filters.
# Needs from the case: IFB.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab

# with LEG COMMAND...: makes something, runs the script's life, and removes it again.
with() {
	leg "$1"
	shift
	for line in "$@"; do
		printf '%s\n' "$line" | tc -batch - || echo "cannot: $line"
	done
	state before
	call start start
	call check check
	call dump dump
	call second start
	call stop stop
	state after
	tc qdisc del dev "$WAN" root 2>/dev/null
	tc qdisc del dev "$WAN" clsact 2>/dev/null
	tc qdisc del dev "$WAN" ingress 2>/dev/null
}

with pfifo "qdisc add dev $WAN root handle 7: pfifo limit 77"
with bfifo "qdisc add dev $WAN root bfifo limit 12345"
with fq_codel "qdisc add dev $WAN root fq_codel limit 999 flows 512 target 7ms interval 130ms quantum 333 memory_limit 3Mb noecn"
with sfq "qdisc add dev $WAN root sfq perturb 10 quantum 3000"
with cake "qdisc add dev $WAN root cake bandwidth 30mbit diffserv4 nat overhead 30 ptm"
with unlimited "qdisc add dev $WAN root cake"
with codel "qdisc add dev $WAN root codel limit 500 target 700us interval 200ms ecn ce_threshold 1ms"
with fq "qdisc add dev $WAN root fq"
with paced "qdisc add dev $WAN root handle 9: fq limit 5000 maxrate 10mbit ce_threshold 2ms"
with pie "qdisc add dev $WAN root pie limit 100 target 20ms tupdate 30ms ecn bytemode"
with tbf "qdisc add dev $WAN root tbf rate 10mbit burst 20kb latency 50ms peakrate 20mbit mtu 2000"
with stab "qdisc add dev $WAN root stab overhead 20 linklayer atm fq_codel"
with ingress "qdisc add dev $WAN ingress"
with clsact "qdisc add dev $WAN clsact"

# Objects that are not ours and cannot be restored are left alone.
with red "qdisc add dev $WAN root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55"
with prio "qdisc add dev $WAN root handle 1: prio"
with filter "qdisc add dev $WAN clsact" \
	"filter add dev $WAN ingress pref 5 protocol ip u32 match ip src 10.0.0.0/8 action drop"
# What sqm-scripts leaves on a device: its ifb and the filter that leads to it.
ip link add "ifb4$WAN" type ifb
with sqm "qdisc add dev $WAN root cake bandwidth 30mbit" "qdisc add dev $WAN ingress" \
	"filter add dev $WAN parent ffff: protocol all prio 10 u32 match u32 0 0 action mirred egress redirect dev ifb4$WAN"
with sqm-root "qdisc add dev $WAN root cake bandwidth 30mbit"
exit 0
