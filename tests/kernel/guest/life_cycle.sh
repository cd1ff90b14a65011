# The life of a script on a router under each shell: started, started again, stopped. A whole life has more steps in
# between.
# Needs from the case: SHELLS; WHOLE, `yes` for a whole life.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154
. "$WORK/lab.sh"
lab
[ ! -s "$WORK/foreign.nft" ] || nft -f "$WORK/foreign.nft" || exit 1

# life: runs the life for the current leg. It begins in the state in which the previous leg ended.
life() {
	if [ -n "${ended-}" ]; then
		cp "$out/$ended/after.state" "$out/$leg/before.state"
	else
		state before
	fi
	call start start
	call dump dump
	listen second
	call second start
	heard second
	call check check
	[ "$leg$WHOLE" != dashyes ] || afterlife
	call stop stop
	state after
	ended=$leg
}

# afterlife: steps that do not depend on the shell, so one run is enough.
afterlife() {
	call status status
	call metrics status --metrics
	call print print
	# A change by hand: the root class gets another rate, or CAKE does.
	case $(tc qdisc show dev "$WAN" root) in
	*cake*) note meddle tc qdisc change dev "$WAN" root handle c05: cake bandwidth 1mbit ack-filter ;;
	*) note meddle tc class change dev "$WAN" parent c05: classid c05:1 htb rate 1mbit ;;
	esac
	call check-meddled check
	call status-meddled status
	call heal start
	call check-healed check
	call dump-healed dump
}

for one in $SHELLS; do
	leg "$one"
	life
done
call stop-again stop
call check-stopped check
call status-stopped status
