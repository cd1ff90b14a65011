# A PPPoE session ends and another begins. `start` is called as a hook of pppd would call it.
# Needs from the case: IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household

# counted STEP: records the counters and qdiscs of the ifb, and the indexes of the devices.
counted() {
	note "$1" tc -s class show dev "$IFB" parent c05:
	note "$1-qdiscs" tc -d qdisc show dev "$IFB"
	note "$1-index" cat "/sys/class/net/$IFB/ifindex" "/sys/class/net/$WAN/ifindex"
}

# away: ends the session, and waits until its device is gone.
away() {
	kill "$pppd"
	wait "$pppd"
	tries=100
	while [ -d "/sys/class/net/$WAN" ] || ip -n net link show "$WAN" >/dev/null 2>&1; do
		sleep 0.1
		tries=$((tries - 1))
		[ $tries != 0 ] || exit 1
	done
}

leg one
call start start
note ping busybox ping -c 3 -i 0.2 -W 5 198.51.100.1
counted before
tc -tshort monitor >"$out/$leg/monitor" 2>&1 &
monitor=$!
for round in one two; do
	leg $round
	away
	dial || exit 1
	household_ways
	call start --device "$WAN" start
	held start
	note ping busybox ping -c 3 -i 0.2 -W 5 198.51.100.1
	counted after
	call second start
	call check check
done
sleep 0.3
kill "$monitor"
call stop stop
exit 0
