# The work of the guest for a trace: each method of shaping on a line whose rate changes. `run.sh` sources this file.
#
# From the host:
#
#   LOWER, MEAN, UPPER  line rates of the trace, up and down
#   MARGIN              the margin in millionths, up and down
#
# and the files trace, methods and NAME.scenario.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154
. "$WORK/trace.env"
export WAN

set -e
# A new rate of netem would not reach the packets in its queue.
for end in modem provider; do
	# shellcheck disable=SC2086 # words of tc
	tc -n $end qdisc replace dev line root handle 2: stab $CHARGE htb default 1
	tc -n $end class add dev line parent 2: classid 2:1 htb rate 1gbit
	tc -n $end qdisc add dev line parent 2:1 pfifo limit 1000
done
set +e

# set_line NAMESPACE RATE: sets the rate of one end of the line.
set_line() {
	tc -n "$1" class change dev line parent 2: classid 2:1 htb rate "${2}bit" burst 1600 cburst 1600
}

# play: changes the rates of the line as in the trace. The oracle shapes to the new rate just before it falls, and just
# after it rises.
play() {
	set -e
	up=0 down=0 old='0 0'
	while read -r to_up to_down seconds line_up line_down; do
		[ "$up" -lt "$to_up" ] || up=$to_up
		[ "$down" -lt "$to_down" ] || down=$to_down
		shape "$old" "$up $down"
		set_line modem "$line_up"
		set_line provider "$line_down"
		shape "$up $down" "$to_up $to_down"
		up=$to_up down=$to_down old="$to_up $to_down"
		sleep "$seconds"
	done <"$WORK/trace"
}

# shape OLD NEW
shape() {
	[ "$method" = oracle ] && [ "$1" != "$2" ] || return 0
	sh "$WORK/router.sh" rate "${2% *}bit" "${2#* }bit"
}

while read -r method command <&3; do
	[ "$method" = none ] || tried start sh "$WORK/router.sh" start
	for load in download upload; do
		play >"$WORK/out/play.said" 2>&1 &
		player=$! follower=
		tried "$method" eval "$command"
		[ "$!" = "$player" ] || follower=$!
		"$QOSC" lab-guest "$WORK/$method-$load.scenario" "$WORK/out" 2>"$WORK/out/failed" || exit 3
		tried played wait "$player"
		# If it has ended, it has told why.
		[ -z "$follower" ] || kill "$follower" || { cp "$WORK/out/$method.said" "$WORK/out/failed" && exit 3; }
		wait
	done
	[ "$method" = none ] || tried stop sh "$WORK/router.sh" stop
done 3<"$WORK/methods"
