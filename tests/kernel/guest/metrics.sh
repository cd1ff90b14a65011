# The metrics of a script beside the counters of tc: for HTB with policers, and for CAKE.
# Needs from the case: scripts router and cake; packets-LEG and flood, files of packets.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab
echo 0 >/proc/sys/net/ipv4/ip_forward
echo 0 >/proc/sys/net/ipv6/conf/all/forwarding
calm

# reading STEP: what the script prints, and what tc shows before and after.
reading() {
	{
		for device in "$WAN" "$IFB"; do
			[ ! -d "/sys/class/net/$device" ] ||
				printf 'qdisc show dev %s\nclass show dev %s parent c05:\n' "$device" "$device"
		done
		printf 'filter show dev %s egress\nfilter show dev %s ingress\n' "$WAN" "$WAN"
	} >/run/lines
	tc -s -force -batch /run/lines >"$out/$leg/$1.before" 2>/dev/null
	call "$1" status --metrics
	tc -s -force -batch /run/lines >"$out/$leg/$1.after" 2>/dev/null
	call "$1-table" status
}

for one in dash busybox cake; do
	leg "$one"
	[ "$one" != cake ] || SCRIPT=cake.sh
	call stopped status --metrics
	call start start
	date +%s >"$out/$leg/now"
	"$WORK/packets" send <"$WORK/packets-$one" || exit 1
	sleep 1
	"$WORK/packets" send <"$WORK/flood" &
	sender=$!
	sleep 2
	# In virtual time, little time passes while commands run, so what is queued stays queued.
	kill $sender
	wait $sender
	reading busy
	sleep 20
	reading idle
	call rate rate 3mbit 4mbit
	"$WORK/packets" send <"$WORK/packets-$one" || exit 1
	sleep 1
	reading scaled
	call again start
	tc filter del dev "$WAN" ingress
	reading drifted
	call wrong check --metrics
	call stop stop
done
