# The work of the guest: the situations without the script, the script, and the situations with it.
# shellcheck shell=sh disable=SC1090,SC1091,SC2154
. "$WORK/topology.env"
. "$WORK/topology.sh"
export LC_ALL=C
mkdir -p "$WORK/out"

# tried STEP COMMAND...: runs a command and keeps its output. If it fails, there is nothing to
# measure.
tried() {
	step=$1
	shift
	"$@" >"$WORK/out/$step.said" 2>&1 || {
		echo "$step: exit $?" >"$WORK/out/failed"
		cat "$WORK/out/$step.said" >>"$WORK/out/failed"
		exit 3
	}
}

set -e
stand >"$WORK/out/stand.said" 2>&1
uname -r >"$WORK/out/release"
set +e
for other in trace shell; do
	if [ -e "$WORK/$other.sh" ]; then
		. "$WORK/$other.sh"
		exit
	fi
done
[ ! -s "$WORK/unshaped.json" ] || "$QOSC" lab-guest "$WORK/unshaped.json" "$WORK/out" 2>"$WORK/out/failed" || exit 3
tried start sh "$WORK/router.sh" start
tried state tc -d qdisc show dev "$WAN"
"$QOSC" lab-guest "$WORK/shaped.json" "$WORK/out" 2>"$WORK/out/failed" || exit 3
tried stop sh "$WORK/router.sh" stop
