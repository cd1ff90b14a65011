# Rates that the call `rate` has set, and then starts of hooks and of people.
# Needs from the case: IFB; scripts router and faster (of the same device).
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
held() { note "$1" sh -c "tc class show dev $WAN parent c05:; tc class show dev $IFB parent c05:"; }
hook() { call "$1" start --if-present --device "$WAN"; }

for name in dash busybox; do
	leg $name
	SCRIPT=router.sh
	call start start
	held made
	call rate rate 3mbit 10mbit
	held scaled
	listen hook
	hook hook
	heard hook
	call reload reload --if-present
	held kept
	nft flush ruleset
	tc class change dev "$WAN" parent c05: classid c05:1 htb rate 1mbit ceil 1mbit
	call damaged check
	hook repair
	held repaired
	call check check
	call plain start
	call check-plain check
	held yaml
	call rate-again rate 3mbit 10mbit
	SCRIPT=faster.sh
	hook other
	held yaml-other
	call check-other check
	SCRIPT=router.sh
	call back start
	call rate-last rate 3mbit 10mbit
	ip link del "$WAN"
	ip route flush 198.51.100.0/24
	wan_ethernet
	settle
	hook anew
	held yaml-anew
	call check-anew check
	call stop stop
done

leg fails
call start start
call rate rate 3mbit 10mbit
nft flush ruleset
tc qdisc del dev "$WAN" root
refuse_a_step
hook refused
refuse_no_step
call check check
held put-back
call stop stop
exit 0
