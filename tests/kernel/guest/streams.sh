# Numbered streams through the router, and the kernel's events meanwhile. For cases that source this after lab.sh.
# Needs from the case: flows, the streams as `stream` reads them; IFB.
# shellcheck shell=sh disable=SC2034,SC2154

# household: adds a host in the house and one on the internet. They know the routes and the router's Ethernet addresses,
# so that only the streams use the line.
household() {
	lan=${LAN%% *}
	ip addr add 192.168.1.1/24 dev "$lan"
	ip -n lan addr add 192.168.1.10/24 dev "$lan"
	ip -n lan route add default via 192.168.1.1
	acquainted "" "$lan" 192.168.1.10 lan
	acquainted lan "$lan" 192.168.1.1 ""
	household_ways
	calm
}

# household_ways: adds the routes that depend on the WAN device.
household_ways() {
	case $WAN_KIND in
	pppoe) ip -n net route add 192.168.1.0/24 dev "$WAN" ;;
	*)
		ip -n net route add 192.168.1.0/24 via 198.51.100.2
		acquainted "" "$WAN" 198.51.100.1 net
		acquainted net "$WAN" 198.51.100.2 ""
		;;
	esac
}

# in_space SPACE COMMAND...: runs a command in a namespace. An empty name stands for the router, which has none.
in_space() {
	if [ -z "$1" ]; then
		shift
		"$@"
	else
		space=$1
		shift
		ip netns exec "$space" "$@"
	fi
}

# acquainted SPACE DEVICE ADDRESS OTHER: adds a permanent neighbour entry in SPACE for ADDRESS, which DEVICE has in
# OTHER.
acquainted() {
	in_space "$1" ip neigh replace "$3" dev "$2" nud permanent \
		lladdr "$(in_space "$4" cat "/sys/class/net/$2/address")"
}

# streams: begins to send all flows, and records tc's events. `enter N` says which step it is.
streams() {
	echo 0 >/run/step
	PACE=yes
	# The first packet of each flow finds the path ready and both ends listening.
	TZ=UTC chrt -f 40 tc -tshort monitor >"$out/$leg/monitor" 2>&1 &
	monitor=$!
	"$WORK/stream" /run/step /run/stop <"$WORK/flows" >"$out/$leg/streams" 2>"$out/$leg/streams.err" &
	stream=$!
	sleep 0.5
}

enter() {
	echo "$1" >/run/step
}

# streams_end: waits until every packet that can still arrive has arrived.
streams_end() {
	: >/run/stop
	wait "$stream"
	echo $? >"$out/$leg/streams.code"
	kill "$monitor"
	wait "$monitor" 2>/dev/null
	rm /run/stop
	PACE=
}

# held STEP: records the output of tc about the link, with one process.
held() {
	{
		printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$WAN" "$WAN"
		for device in "$WAN" "$IFB" "ifb2-${IFB#ifb-}"; do
			[ -d "/sys/class/net/$device" ] || continue
			printf 'qdisc show dev %s\nclass show dev %s parent c05:\n' "$device" "$device"
			for class in '' a000 b000; do printf 'filter show dev %s parent c05:%s\n' "$device" "$class"; done
		done
	} | tc -d -force -batch - >"$out/$leg/$1.held" 2>"$out/$leg/$1.held.err"
}
