# A second network namespace has a device with the name and the number of ours, and sees the same /run.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
read -r number <"/sys/class/net/$WAN/ifindex"
ip netns add there
ip -n there link add "$WAN" index "$number" type dummy
ip -n there link set "$WAN" up

# there STEP SCRIPT ARGUMENT...: calls a script in the second namespace.
there() {
	step=$1
	script=$2
	shift 2
	note "$step" ip netns exec there dash "$WORK/$script.sh" "$@"
}

leg dash
state before
call start start
for step in stop start restart check status print dump confirm; do
	there "there-$step" router $step
done
there there-rate router rate 5mbit 20mbit
there other-start other start
there other-check other check
export QOSC_RUN=/run/there
for step in start check stop; do
	there "own-$step" router $step
done
unset QOSC_RUN
there other-stop other stop
call check check
call second start
call stop stop
state after
exit 0
