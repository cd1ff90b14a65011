# Two links on one router, each with a script of its own, and a link whose device is named only when it starts.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
wire "$OTHER_WAN" net

leg pair
state before
SCRIPT=router.sh
call first-start start
state first
SCRIPT=other.sh
call other-start start
call other-check check
SCRIPT=router.sh
call first-check check
listen both
call first-second start
SCRIPT=other.sh
call other-second start
heard both
call other-stop stop
state first-alone
call other-again start
SCRIPT=router.sh
call first-stop stop
SCRIPT=other.sh
call other-still check
call other-end stop
state after

leg device
SCRIPT=router.sh
state before
call start start
call elsewhere --device "$OTHER_WAN" start
call check check
call dump dump
call second --device "$OTHER_WAN" start
note left tc qdisc show dev "$WAN"
call stop stop
state after
call missing --device nosuch start

# A trial on another device goes back to the first one.
leg moved
state before
call start start
call try --device "$OTHER_WAN" try 3
note tried tc qdisc show dev "$OTHER_WAN"
waits=0
until [ ! -e /run/qosc/cells/trial ] || [ $waits = 30 ]; do sleep 1; waits=$((waits + 1)); done
call check check
note left tc qdisc show dev "$OTHER_WAN"
call stop stop
state after

# A device with the old name is a new one, and another link starts on it before the first one stops.
leg renewed
call start --device "$OTHER_WAN" start
ip link del "$OTHER_WAN"
wire "$OTHER_WAN" net
SCRIPT=other.sh
call other-start start
SCRIPT=router.sh
call stop stop
SCRIPT=other.sh
call other-check check
call other-stop stop
SCRIPT=router.sh

# Another link on the same device, and a device of others with the name of our ifb.
leg rival
call start start
SCRIPT=other.sh
call refused --device "$WAN" start
call print --device "$WAN" print
call dump --device "$WAN" dump
SCRIPT=router.sh
call stop stop
ip link add "$IFB" type dummy
call foreign-ifb start
call foreign-ifb-dump dump
ip link del "$IFB"
