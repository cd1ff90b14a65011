# Sends packets of one size after another in each direction, under one script after another. Reads the tokens left in
# the buckets of all classes, and the packet sizes that CAKE reports. Then sends packets to police, and reads how many
# these dropped.
# Needs from the case: IFB; SCRIPTS, the names of the scripts; sizes/SCRIPT, with one size in each line; sent/SIZE. For
# scripts with police, also policed/SCRIPT.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154,SC2034
. "$WORK/lab.sh"
lab
echo 0 >/proc/sys/net/ipv4/ip_forward

# read_back STEP: reads classes and qdiscs with one process for each device.
read_back() {
	tc -s -batch - >"$out/$leg/$1.wan" <<-EOT
		class show dev $WAN parent c05:
		qdisc show dev $WAN
	EOT
	tc -s -batch - >"$out/$leg/$1.ifb" <<-EOT
		class show dev $IFB parent c05:
		qdisc show dev $IFB
	EOT
}

for one in $SCRIPTS; do
	leg "$one"
	SCRIPT=scripts/$one.sh
	call start start
	read_back rest
	while read -r size; do
		"$WORK/packets" send <"$WORK/sent/$size" || exit 1
		sleep 0.03
		read_back "$size"
	done <"$WORK/sizes/$one"
	if [ -e "$WORK/policed/$one" ]; then
		"$WORK/packets" send <"$WORK/policed/$one" || exit 1
		sleep 0.03
		for hook in ingress egress; do
			tc -s filter show dev "$WAN" "$hook" >"$out/$leg/$hook.filters"
		done
	fi
	call stop stop
done
