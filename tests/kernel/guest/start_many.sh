# The time of a start with many hosts, and of the bare batch with the same objects, in turns.
# Needs from the case: batch; TURNS.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
leg many

# timed WHAT COMMAND...: runs a command, and adds its times to `times`.
timed() {
	what=$1
	shift
	read -r from rest </proc/uptime
	"$@"
	read -r to rest </proc/uptime
	echo "$what $from $to" >>"$out/many/times"
}

turn=0
while [ $turn -lt "$TURNS" ]; do
	turn=$((turn + 1))
	timed batch note "batch-$turn" tc -batch "$WORK/batch"
	tc qdisc del dev "$WAN" root
	timed start call "start-$turn" start
	call "check-$turn" check
	call "stop-$turn" stop
done
exit 0
