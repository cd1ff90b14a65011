# A start in which each step in turn fails, as the tools themselves fail.
# From the case: scripts a and b; WHAT is started: b from nothing (`start`), or b where a is (`change`); PLAN: `refuse`, or
# `never`, where the way back fails, too; PARTS and PART, which of the turns are taken here; IFB.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
. "$WORK/states_of.sh"
lab
ethtool -K p-lan gro on

leg whole
spy
glance before
SCRIPT=a.sh
call start start
held start
glance start
keep a
plan nothing 0
[ "$WHAT" = change ] || wipe
SCRIPT=b.sh
call performed start
cp /run/calls "$out/calls"
held performed
wipe

turns=$(wc -l <"$out/calls")
turn=$PART
[ "$WHAT" = start ] || restore a
while [ "$turn" -le "$turns" ]; do
	# A deletion is done on the way back, too; what is only tried changes nothing.
	if [ "$PLAN" = never ] && sed -n "${turn}p" "$out/calls" | grep -q -v -e ' # ' -e ' del ' -e ifbp-; then
		turn=$((turn + PARTS))
		continue
	fi
	leg "$turn"
	plan "$PLAN" "$turn"
	call start start
	plan nothing 0
	glance start
	held start
	note ping busybox ping -c 1 -W 5 198.51.100.1
	# What is there now is what was there before, so that the next turn begins as this one did.
	read -r code <"$out/$leg/start.code"
	if [ "$code" = 0 ] || [ "$PLAN" = never ]; then
		wipe
		[ "$WHAT" = start ] || restore a
	fi
	turn=$((turn + PARTS))
done
wipe
exit 0
