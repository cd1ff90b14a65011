#!/bin/sh
# Packet rates by packet size, for `qosc fit`. Each size is sent for some seconds, faster than the line carries it; what arrives in
# each whole second is a measurement. It takes about @MINUTES@ minutes, in which the line is full.
#
# Before:
#   - stop the shaper on the router (`./home.sh stop`, or `tc qdisc del dev DEV root`), or that is what will be measured
#   - nobody else uses the line; the sender is on a cable, not on Wi-Fi
#   - the far end has a faster line than the one to be measured, and lets UDP to port @PORT@ in
#   - packets must arrive one by one: `ethtool -K DEV gro off` at the receiver
# Uploads: receive at the far end, send from the house. Downloads: the other way round.
#
#   sh measure.sh receive >fit.csv    as root, at the receiver: needs tcpdump and iperf3; ends with Ctrl-C
#   sh measure.sh send                at the sender: needs iperf3, and python3 for payloads below 16 bytes, iperf3's least
#   qosc fit --size udp fit.csv       over IPv6: --size udp6
#
# tcpdump says at its end what it dropped: if that is more than a thousandth, the receiver is too slow for these rates.
set -u

host=${HOST:-}
rate=${RATE:-} # of the line, in bit/s
port=@PORT@
seconds=@SECONDS@
# what UDP carries; over IPv4 the IP packet is 28 bytes more
payloads='@PAYLOADS@'

receive() {
	iperf3 -s -p "$port" >/dev/null &
	trap 'kill $! 2>/dev/null' EXIT
	trap : INT
	echo 'size,pps'
	# Of each run the first and the last second are cut short, and are not counted.
	tcpdump -i any -n -tt -B 16384 -s 96 "udp and dst port $port" | (
		trap '' INT
		exec awk '
			BEGIN { size = -1 } # what was never set is equal to 0, and 0 is a size
			{ now = int($1) }
			$NF != size { size = $NF; second = now; whole = 0; count = 0 }
			now != second { if (whole++ && now == second + 1) { print size "," count; fflush() } second = now; count = 0 }
			{ count++ }
		'
	)
}

# send_small BYTES PPS: what iperf3 cannot send.
send_small() {
	python3 -c '
import socket, sys, time
size, pps, seconds, port = map(int, sys.argv[2:])
family, kind, _, _, to = socket.getaddrinfo(sys.argv[1], port, 0, socket.SOCK_DGRAM)[0]
out, data, sent, start = socket.socket(family, kind), bytes(size), 0, time.monotonic()
while True:
    now = time.monotonic() - start
    if now > seconds:
        break
    while sent < now * pps:
        out.sendto(data, to)
        sent += 1
    time.sleep(0.001)
' "$host" "$1" "$2" "$seconds" "$port"
}

send() {
	if [ -z "$host" ] || [ -z "$rate" ]; then
		echo 'say where to, and the rate of the line in bit/s: HOST=198.51.100.9 RATE=6500000 sh measure.sh send' >&2
		exit 2
	fi
	python3 -c '' 2>/dev/null || echo 'no python3: payloads below 16 bytes are left out, and with them what shows an mpu' >&2
	failed=0
	for payload in $payloads; do
		# half as much again as the line could carry if packets cost nothing but themselves
		pps=$((rate * 3 / 2 / (8 * (payload + 28))))
		echo "payload $payload, $pps packets a second" >&2
		if [ "$payload" -ge 16 ]; then
			if iperf3 -c "$host" -p "$port" -u -l "$payload" -b $((pps * payload * 8)) -t "$seconds" >/dev/null; then
				failed=0
			else
				echo "payload $payload: iperf3 could not" >&2
				failed=$((failed + 1))
			fi
			if [ $failed = 3 ]; then
				echo 'three sizes in a row: does the receiver run, does UDP come through, and is HOST the address that it answers from?' >&2
				exit 1
			fi
		else
			send_small "$payload" "$pps" 2>/dev/null
		fi
		# half of what was sent may wait on the line: until it is through
		sleep $((seconds / 2 + 1))
	done
	echo 'done: end the receiver with Ctrl-C' >&2
}

case ${1:-} in
receive | send) "$1" ;;
*)
	echo 'usage: sh measure.sh receive >fit.csv, or: sh measure.sh send' >&2
	exit 2
	;;
esac
