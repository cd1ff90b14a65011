# Sends the packets of each script, and reads how many its police dropped.
# Needs from the case: SCRIPTS, the names of the scripts; sent/SCRIPT.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154,SC2034
. "$WORK/lab.sh"
lab
echo 0 >/proc/sys/net/ipv4/ip_forward

for one in $SCRIPTS; do
	leg "$one"
	SCRIPT=scripts/$one.sh
	call start start
	"$WORK/packets" send <"$WORK/sent/$one" || exit 1
	sleep 0.03
	for hook in ingress egress; do
		tc -s filter show dev "$WAN" "$hook" >"$out/$leg/$hook.filters"
	done
	call stop stop
done
