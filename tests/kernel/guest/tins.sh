# A CAKE in each direction: each packet in its tin, other rates under traffic, and the change from CAKE to
# HTB and back.
# Needs from the case: IFB; SHOTS, the number of files of packets and one more; flows.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab

tins() {
	{
		tc -s qdisc show dev "$WAN" root
		echo "== ifb"
		for device in "$IFB" "ifb2-${IFB#ifb-}"; do
			[ ! -d "/sys/class/net/$device" ] || tc -s qdisc show dev "$device" root
		done
	} >"$out/$leg/tins-$1"
}

leg tins
state before
SCRIPT=cake.sh
call start start
echo 0 >/proc/sys/net/ipv4/ip_forward
number=0
while [ "$number" -lt "$SHOTS" ]; do
	[ "$number" = 0 ] || "$WORK/packets" send <"$WORK/shots/$number" || exit 1
	sleep 0.02
	tins "$number"
	number=$((number + 1))
done
echo 1 >/proc/sys/net/ipv4/ip_forward
call status status
listen second
call second start
heard second
call stop stop
state after

household
leg streams
call start start
streams
number=0
for rates in 5mbit:9mbit 30mbit:60mbit 7mbit:11mbit; do
	number=$((number + 1))
	enter "$number"
	call "rate-$number" rate "${rates%:*}" "${rates#*:}"
done
call rate-dump dump
enter 4
call back start
# The calls of a program that follows the line, such as cake-autorate.
enter 5
for kbit in 9000 4000 6500 5200 12000; do
	for device in "$WAN" "$IFB"; do
		tc qdisc change root dev "$device" cake bandwidth "${kbit}Kbit"
	done
	sleep 0.1
done
call followed-check check
call followed-status status
call followed-dump dump
enter 6
call followed start
enter 7
sleep 0.5
streams_end
call back-dump dump
call back-check check
SCRIPT=adsl.sh
call adsl start
call adsl-dump dump
call adsl-check check
SCRIPT=htb.sh
call htb start
call htb-dump dump
listen htb-second
call htb-second start
heard htb-second
SCRIPT=cake.sh
call cake start
call cake-dump dump
call cake-check check
call stop stop
exit 0
