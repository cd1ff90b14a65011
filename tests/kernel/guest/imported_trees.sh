# Sets up one tree after another at a dummy device, and counts packets in its classes.
# Needs from the case: TREES, SHOTS, the numbers of trees and of packets for each; LEG, `tc` for the trees of tc or
# `script` for those of scripts.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
ip link set lo up
ip link add d0 type dummy
echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6
ip link set d0 up
number=0
while [ "$number" -lt "$TREES" ]; do
	if [ "$LEG" = tc ]; then
		tc -batch "$WORK/trees/$number" || echo "tc failed at tree $number"
	else
		sh "$WORK/scripts/$number.sh" start || echo "start failed at tree $number"
	fi
	for kind in qdisc class filter; do
		echo "==> tc -d $kind show dev d0"
		tc -d $kind show dev d0
	done >"$out/$number.dump"
	shot=0
	while [ "$shot" -le "$SHOTS" ]; do
		[ "$shot" = 0 ] || "$WORK/packets" send <"$WORK/shots/$number.$shot" || exit 1
		sleep 0.02
		tc -s class show dev d0 >"$out/$number.$shot.counters"
		shot=$((shot + 1))
	done
	if [ "$LEG" = tc ]; then
		tc qdisc del dev d0 root
	else
		sh "$WORK/scripts/$number.sh" stop || echo "stop failed at tree $number"
	fi
	number=$((number + 1))
done
exit 0
