# Parallel lines, each flooded with packets of one size after another. Records how many arrive at the far ends.
# Needs from the case: lines, with `RATE CHARGE...` for each; rounds, with `SIZE GAP MILLISECONDS` for each;
# orders/SIZE, packets for all lines.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"

# The lines carry nothing but the floods.
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip netns add far
ip netns exec far sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
number=0
while read -r rate charge; do
	number=$((number + 1))
	ip link add line$number mtu 1600 type veth peer name line$number mtu 1600 netns far
	ip -n far link set line$number up
	ip link set line$number up
	# As in templates/lab/topology.sh.
	echo "qdisc add dev line$number root handle 1: stab $charge netem limit 1000 rate ${rate}bit" >>/run/make
	echo "qdisc del dev line$number root" >>/run/clear
done <"$WORK/lines"
settle

while read -r size gap milliseconds; do
	tc -batch /run/make || exit 1
	"$WORK/packets" flood $((milliseconds + 40)) "$gap" <"$WORK/orders/$size" &
	sleep 0.02
	ip netns exec far cat /proc/net/dev >"$out/$size.before"
	sleep "$(printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000)))"
	ip netns exec far cat /proc/net/dev >"$out/$size.after"
	wait $! || exit 1
	# This drops the waiting packets, so that the next size begins on an empty line.
	tc -batch /run/clear || exit 1
done <"$WORK/rounds"
