# Hosts that share a line: the bytes of each, and the pings of busy hosts and of idle ones.
# Needs from the case: LEGS, the names of files in flows/ and pings/; LINE, the line's delay and download rate;
# PINGS, the number of pings of each place; SPAN, the seconds before and while bytes are counted.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
. "$WORK/tunnels.sh"
lab
hosts 40
ways
masquerade
line $LINE

# pings NAME: pings from every place in the file pings/LEG at the same time.
pings() {
	at=0
	pids=
	while read -r from to; do
		at=$((at + 1))
		"$WORK/load" ping "$from" "$to" "$PINGS" 10000 >"$out/$leg/$1-$at.times" 2>"$out/$leg/$1-$at.err" &
		pids="$pids $!"
	done <"$WORK/pings/$leg"
	[ -z "$pids" ] || wait $pids
}

leg start
call start start
for one in $LEGS; do
	leg "$one"
	pings idle
	"$WORK/load" flows $SPAN <"$WORK/flows/$leg" >"$out/$leg/flows" 2>"$out/$leg/flows.err" &
	flows=$!
	if [ -s "$WORK/pings/$leg" ]; then
		sleep 2.5
		pings busy
	fi
	wait $flows
	echo $? >"$out/$leg/flows.code"
	note up tc -s qdisc show dev "$WAN"
	note down tc -s qdisc show dev "$IFB"
done
leg start
call stop stop
