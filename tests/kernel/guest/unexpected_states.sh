# A script called in states that it did not leave: another device named, the root lost, filters of others beside
# ours, a device renamed.
# Needs from the case: IFB.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
wire spare net

leg elsewhere
call start start
call stop-elsewhere --device spare stop
call check check
tc qdisc add dev spare root handle 1: htb
call start-elsewhere --device spare start
call check-again check
tc qdisc del dev spare root
call move --device spare start
note left tc qdisc show dev "$WAN"
call check-moved check
call restart restart
note moved-back tc qdisc show dev spare
call check-back check
call stop stop

leg lost
tc qdisc add dev "$WAN" root handle 7: pfifo limit 77
state before
call start start
tc qdisc del dev "$WAN" root
call stop stop
state after
tc qdisc del dev "$WAN" root

leg beside
state before
call start start
tc filter add dev "$WAN" ingress pref 5 protocol ip u32 match ip src 10.0.0.0/8 action drop
call refused start
call taken --take-over start
call check check
note filters tc filter show dev "$WAN" ingress
call stop stop
state after

# Devices with the names of ours that others have made.
leg namesake
for made in dummy ifb; do
	for name in "$IFB" "ifbp-${IFB#ifb-}"; do
		ip link add "$name" type $made
		state "before-$made-$name"
		call "start-$made-$name" start
		call "stop-$made-$name" stop
		state "after-$made-$name"
		ip link del "$name"
	done
done
# One that took the place of ours while we were started.
call start start
ip link del "$IFB"
ip link add "$IFB" type dummy
call check check
call again start
call stop stop
note spared ip link show dev "$IFB"
ip link del "$IFB"

leg absent
call start --device nowhere start
call hook --device nowhere --if-present start
call reload --device nowhere --if-present reload
note files ls /run/qosc

# A folder of others with the name of the link keeps its files.
leg shared-folder
mkdir -p "/run/shared/${IFB#ifb-}"
echo theirs >"/run/shared/${IFB#ifb-}/theirs"
export QOSC_RUN=/run/shared
call nothing stop
call start start
call stop stop
export QOSC_RUN=/run/qosc
note files find /run/shared -type f

leg renamed
call start start
ip link set "$WAN" down
ip link set "$WAN" name wan9
ip link set wan9 up
call stop stop
note left tc qdisc show dev wan9
