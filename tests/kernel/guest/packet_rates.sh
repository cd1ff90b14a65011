# Overloads a class for each packet size at the same time, and counts for some seconds the packets
# that leave.
# Needs from the case: SCRIPTS, the names of the scripts; SECONDS_EACH, the duration of each.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab
echo 0 >/proc/sys/net/ipv4/ip_forward

reading() {
	{
		date +%s%N
		tc -s class show dev "$WAN" parent c05:
		echo "== ifb"
		tc -s class show dev "$IFB" parent c05:
		echo "== end"
		date +%s%N
	} >"$out/$leg/$1.counters"
}

for one in $SCRIPTS; do
	leg "$one"
	SCRIPT=scripts/$one.sh
	call start start
	"$WORK/packets" flood $((SECONDS_EACH * 1000 + 4000)) 15000 <"$WORK/orders" &
	sleep 2
	reading first
	sleep "$SECONDS_EACH"
	reading last
	wait $!
	call stop stop
done
