# A line of 25 mbit with a queue of 1000 packets and a delay of 20 ms. 24 downloads start at once, under one script
# after another.
# Needs from the case: SCRIPTS, the names of the scripts; `none` stands for no script.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab
lan=${LAN%% *}
ip addr add 192.168.1.1/24 dev "$lan"
ip -n lan addr add 192.168.1.10/24 dev "$lan"
ip -n lan route add default via 192.168.1.1
ip -n net route add 192.168.1.0/24 via 198.51.100.2
ip netns add server
ip -n server link set lo up
ip -n net link add far0 type veth peer name far0 netns server
ip -n net link set far0 up
ip -n server link set far0 up
ip -n net addr add 203.0.113.1/24 dev far0
ip -n server addr add 203.0.113.9/24 dev far0
ip -n server route add default via 203.0.113.1
ip netns exec net sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
# On a line, packets arrive one by one.
for device in "$WAN" "$lan" far0; do
	for space in "" net lan server; do
		in_space="ip netns exec $space"
		[ -n "$space" ] || in_space=
		$in_space ethtool -K "$device" tso off gso off gro off >/dev/null 2>&1
	done
done
# A late timer of the guest must not make the line slower than the shaper, so the line may catch up on 5 ms.
tc -n net qdisc add dev "$WAN" root handle 1: htb default 1
tc -n net class add dev "$WAN" parent 1: classid 1:1 htb rate 25mbit ceil 25mbit burst 15k cburst 15k overhead 16 quantum 1514
tc -n net qdisc add dev "$WAN" parent 1:1 pfifo limit 1000
tc -n net qdisc add dev far0 root netem delay 20ms limit 100000
settle

leg burst
for one in $SCRIPTS; do
	SCRIPT=scripts/$one.sh
	[ "$one" = none ] || call "$one-start" start
	# No download learns from a previous one.
	for space in server lan; do ip -n "$space" tcp_metrics flush >/dev/null 2>&1; done
	note "$one" "$WORK/burst" server lan 203.0.113.9 24 5
	[ "$one" = none ] || call "$one-stop" stop
done
