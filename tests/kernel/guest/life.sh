# The steps of a script's life. For cases that source this after lab.sh.
# shellcheck shell=sh disable=SC2154

# life [PART...]: runs the life for the current leg, with these parts before the stop. It begins in the state in which
# the previous leg ended.
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
	for part in "$@"; do
		"$part"
	done
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
	*cake_mq*) note meddle tc qdisc change dev "$WAN" root handle c05: cake_mq bandwidth 1mbit ack-filter ;;
	*cake*) note meddle tc qdisc change dev "$WAN" root handle c05: cake bandwidth 1mbit ack-filter ;;
	*) note meddle tc class change dev "$WAN" parent c05: classid c05:a000 htb rate 1mbit ;;
	esac
	call check-meddled check
	call status-meddled status
	call heal start
	call check-healed check
	call dump-healed dump
}
