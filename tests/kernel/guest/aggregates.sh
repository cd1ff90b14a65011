# The largest packet that reaches the shaper in a TCP stream: forwarded up, forwarded down, and from the router
# itself.
# Needs from the case: scripts auto and keep; IFB.
# shellcheck shell=sh disable=SC1091,SC2154,SC2034
. "$WORK/lab.sh"
lab
ip addr add 192.168.1.1/24 dev br-lan
ip -n lan addr add 192.168.1.10/24 dev br-lan
ip -n lan route add default via 192.168.1.1
ip -n net route add 192.168.1.0/24 via 198.51.100.2
# A veth passes aggregated packets whole, so the far ends make none. The router aggregates the packets that it
# receives.
ip netns exec lan ethtool -K br-lan tso off gso off
ip netns exec net ethtool -K "$WAN" tso off gso off
ethtool -K p-lan gro on
ethtool -K "$WAN" gro on
ip netns exec net iperf3 -s >/run/server 2>&1 &
sleep 0.3

# largest STEP DEVICE COMMAND...: records the largest packet that fq_codel saw.
largest() {
	way=$1
	device=$2
	shift 2
	call start start
	"$@" -t 1.5 >"$out/$leg/$way.out" 2>&1 || {
		echo "no stream"
		cat "$out/$leg/$way.out"
	}
	tc -s qdisc show dev "$device" | sed -n 's/.*maxpacket \([0-9]*\).*/\1/p' | sort -n | tail -n 1 \
		>"$out/$leg/$way.largest"
	call stop stop
	# Lets the server finish.
	sleep 0.5
}

for one in keep auto; do
	leg $one
	SCRIPT=$one.sh
	largest up "$WAN" ip netns exec lan iperf3 -c 198.51.100.1
	largest down "$IFB" ip netns exec lan iperf3 -R -c 198.51.100.1
	largest own "$WAN" iperf3 -c 198.51.100.1
done
exit 0
