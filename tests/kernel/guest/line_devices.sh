# A line whose television comes by a device of its own, beside a PPPoE session on the same Ethernet.
# Needs from the case: PART, which is traffic or changes; IFB; for traffic, scripts own and line; GROUP and SESSION, lines
# of packets to a group, by the device and in the session.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
WAN_BELOW=eth1
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 4
masquerade

# television: makes the device of the VLAN, and the route to the provider's servers.
television() {
	ip link add link eth1 name eth1.8 type vlan id 8
	ip addr add 10.8.0.2/24 dev eth1.8
	ip link set eth1.8 up
	ip route add 203.0.113.0/24 via 10.8.0.1
}

ip -n net link add link eth1 name eth1.8 type vlan id 8
ip -n net addr add 10.8.0.1/24 dev eth1.8
ip -n net addr add 203.0.113.5/32 dev lo
ip -n net link set eth1.8 up
ip -n net route add 192.168.1.13 via 10.8.0.2
television

# watched CHANNEL: four downloads of ten seconds with pings beside them, and a channel of 20 Mbit/s if it is on. It
# begins two seconds earlier.
watched() {
	echo 0 >/run/step
	[ "$1" = off ] || "$WORK/stream" /run/step /run/stop >"$out/$leg/streams" 2>"$out/$leg/streams.err" <<-EOT &
		channel net/203.0.113.5 10000 lan/192.168.1.13 10000 537 1316
	EOT
	stream=$!
	sleep 2
	echo "down lan/192.168.1.10 net/198.51.100.1 5001 4 down" >/run/flows
	"$WORK/load" flows 3 10 </run/flows >"$out/$leg/flows" 2>"$out/$leg/flows.err" &
	flows=$!
	sleep 3.3
	"$WORK/load" ping lan/192.168.1.12 net/198.51.100.1 800 10000 >"$out/$leg/busy.times" 2>"$out/$leg/busy.err"
	wait $flows
	echo $? >"$out/$leg/flows.code"
	if [ "$1" = on ]; then
		: >/run/stop
		wait $stream
		echo $? >"$out/$leg/streams.code"
		rm /run/stop
	fi
	sleep 3
}

traffic() {
	ip netns exec net ethtool -K eth1 tso off gso off >/dev/null
	tc -n net qdisc add dev eth1 root netem delay 10ms rate 51mbit limit 1000
	for SCRIPT in own line; do
		leg idle
		SCRIPT=$SCRIPT.sh
		call start start
		"$WORK/load" ping lan/192.168.1.12 net/198.51.100.1 800 10000 >"$out/$leg/idle.times" 2>"$out/$leg/idle.err"
		for channel in on off; do
			leg "${SCRIPT%.sh}-$channel"
			cp "$out/idle/idle.times" "$out/$leg/idle.times"
			watched $channel
		done
	done
	leg groups
	for packets in GROUP SESSION; do
		tc -s class show dev "$IFB" >"$out/$leg/before-$packets"
		eval "echo \"\$$packets\"" | "$WORK/packets" send
		sleep 1
		tc -s class show dev "$IFB" >"$out/$leg/after-$packets"
	done
}

# told STEP CALL...: makes a call. Before it, records the input of `plan` and the output of `print`.
told() {
	call "$1-dump" dump
	call "$1-print" print
	call "$@"
}

changes() {
	leg here
	state before
	told start start
	call again start
	call check check
	call status status
	call stop stop
	state after

	leg drifted
	call start start
	tc filter del dev eth1.8 ingress
	call check check
	told mended start
	call again start

	leg anew
	ip link del eth1.8
	television
	call status status
	told start start
	call again start

	leg gone
	ip link del eth1.8
	told start start
	call again start
	call status status

	leg back
	television
	call status status
	told start start
	call again start
	call stop stop

	# Somebody else has filters at the device.
	leg foreign
	tc qdisc add dev eth1.8 clsact
	tc filter add dev eth1.8 ingress pref 9 protocol ip matchall action ok
	state before
	told start start
	call again start
	call status status
	call stop stop
	state after
}

$PART
