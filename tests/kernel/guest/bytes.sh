# Sends one packet of each size in each direction through the class `probe`, under one script after another, and reads
# what the class has left of its tokens, or what CAKE says of sizes.
# From the case: IFB; SCRIPTS, the names of the scripts; SIZES.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154,SC2034
. "$WORK/lab.sh"
lab
echo 0 >/proc/sys/net/ipv4/ip_forward

tokens() {
	{
		tc -s class show dev "$WAN" parent c05:
		echo "== ifb"
		tc -s class show dev "$IFB" parent c05:
	} >"$out/$leg/$1.tokens"
	{
		tc -s qdisc show dev "$WAN" root
		echo "== ifb"
		tc -s qdisc show dev "$IFB" root
	} >"$out/$leg/$1.root"
}

for one in $SCRIPTS; do
	leg "$one"
	SCRIPT=scripts/$one.sh
	call start start
	tokens rest
	for size in $SIZES; do
		"$WORK/packets" send <"$WORK/sizes/$size" || exit 1
		sleep 0.03
		tokens "$size"
	done
	call stop stop
done
