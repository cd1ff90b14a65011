#!/bin/sh
# Measures packet rates by packet size, for `qosc fit`. The sender sends each size for some seconds, faster than the line
# carries it. The packets that arrive in each whole second are one measurement. The run fills the line for about
# @MINUTES@ minutes.
#
# Before the run:
#   - stop the shaper on the router (`./home.sh stop`, or `tc qdisc del dev DEV root`); otherwise the run measures the shaper
#   - stop all other traffic on the line, and connect the sender by cable, not by Wi-Fi
#   - use a far end that has a faster line and accepts UDP to port @PORT@
#   - turn off aggregation at the receiver: `ethtool -K DEV gro off`
# For uploads, receive at the far end and send from the LAN. For downloads, swap the two.
#
#   sh measure.sh receive >fit.csv    at the receiver, as root: needs tcpdump and iperf3; stop it with Ctrl-C
#   sh measure.sh send                at the sender: needs iperf3, and python3 for payloads below the 16 bytes of iperf3
#   qosc fit --size udp fit.csv       for IPv6: --size udp6
#
# At its end, tcpdump prints how many packets it dropped. If these are more than 0.1 %, the receiver is too slow.
set -u

host=${HOST:-@HOST@}
rate=${RATE:-@RATE@} # of the line, in bit/s
port=@PORT@
seconds=@SECONDS@
# UDP payloads; over IPv4, the IP packet has 28 bytes more
payloads='@PAYLOADS@'

receive() {
	iperf3 -s -p "$port" >/dev/null &
	trap 'kill $! 2>/dev/null' EXIT
	trap : INT
	echo 'size,pps'
	# The first and the last second of each size are not whole and do not count.
	tcpdump -i any -n -tt -B 16384 -s 96 "udp and dst port $port" | (
		trap '' INT
		exec awk '
			BEGIN { size = -1 } # an unset variable equals 0, which is a valid size
			{ now = int($1) }
			$NF != size { size = $NF; second = now; whole = 0; count = 0 }
			now != second { if (whole++ && now == second + 1) { print size "," count; fflush() } second = now; count = 0 }
			{ count++ }
		'
	)
}

# send_small BYTES PPS: sends payloads that are too small for iperf3.
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
		echo 'give the receiver and the rate of the line in bit/s: HOST=198.51.100.9 RATE=6500000 sh measure.sh send' >&2
		exit 2
	fi
	python3 -c '' 2>/dev/null || echo 'no python3: payloads below 16 bytes are skipped, and without them an mpu may not show' >&2
	failed=0
	for payload in $payloads; do
		# 1.5 times the rate that the line would carry without overhead
		pps=$((rate * 3 / 2 / (8 * (payload + 28))))
		echo "payload $payload, $pps packets per second" >&2
		if [ "$payload" -ge 16 ]; then
			if iperf3 -c "$host" -p "$port" -u -l "$payload" -b $((pps * payload * 8)) -t "$seconds" >/dev/null; then
				failed=0
			else
				echo "payload $payload: iperf3 failed" >&2
				failed=$((failed + 1))
			fi
			if [ $failed = 3 ]; then
				echo 'iperf3 failed for three sizes in a row: check that the receiver runs, that UDP gets through, and that HOST is its address' >&2
				exit 1
			fi
		else
			send_small "$payload" "$pps" 2>/dev/null
		fi
		# up to half of the packets may still be queued: wait until they are sent
		sleep $((seconds / 2 + 1))
	done
	echo 'done: stop the receiver with Ctrl-C' >&2
}

case ${1:-} in
receive | send) "$1" ;;
*)
	echo 'usage: sh measure.sh receive >fit.csv, or: sh measure.sh send' >&2
	exit 2
	;;
esac
