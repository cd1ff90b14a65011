# Numbered streams through the router, and what the kernel tells meanwhile; for the cases that source this after lab.sh.
# From the case: flows, the streams as `stream` reads them; IFB.
# shellcheck shell=sh disable=SC2034,SC2154

# household: a host in the house and one on the internet, who know the way and the router's Ethernet addresses, so that
# nothing but the streams is on the line.
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

# household_ways: what depends on the WAN device.
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

# in_space SPACE COMMAND...: the router is no namespace.
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

# acquainted SPACE DEVICE ADDRESS OTHER: who has that address there, in OTHER, is known for good.
acquainted() {
	in_space "$1" ip neigh replace "$3" dev "$2" nud permanent \
		lladdr "$(in_space "$4" cat "/sys/class/net/$2/address")"
}

# streams: from here on all flows are sent, and tc tells what is changed. `enter N` says which step it is.
streams() {
	echo 0 >/run/step
	PACE=yes
	# The first packet of each finds the way open and both ends listening.
	TZ=UTC chrt -f 40 tc -tshort monitor >"$out/$leg/monitor" 2>&1 &
	monitor=$!
	"$WORK/stream" /run/step /run/stop <"$WORK/flows" >"$out/$leg/streams" 2>"$out/$leg/streams.err" &
	stream=$!
	sleep 0.5
}

enter() {
	echo "$1" >/run/step
}

# until every packet has come that will come.
streams_end() {
	: >/run/stop
	wait "$stream"
	echo $? >"$out/$leg/streams.code"
	kill "$monitor"
	wait "$monitor" 2>/dev/null
	rm /run/stop
	PACE=
}

# held STEP: all that tc shows of the link, by one process.
held() {
	{
		printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$WAN" "$WAN"
		for device in "$WAN" "$IFB" "ifb2-${IFB#ifb-}"; do
			[ -d "/sys/class/net/$device" ] || continue
			printf '%s show dev %s\nclass show dev %s parent c05:\nfilter show dev %s parent c05:\n' \
				qdisc "$device" "$device" "$device"
		done
	} | tc -d -force -batch - >"$out/$leg/$1.held" 2>"$out/$leg/$1.held.err"
}
