# Changes by others on a router on which a script is in place, and the next `start`, which repairs
# them.
# Needs from the case: IFB; scripts plain and other.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

# mend: repairs the damage of the current leg.
mend() {
	call check check
	call start start
	call dump dump
	call second start
	note ping busybox ping -c 1 -W 5 198.51.100.1
}

leg whole
state before
call start start

leg ifb-gone
ip link del "$IFB"
mend

leg ifb-down
ip link set "$IFB" down
mend

leg ifb-filter
tc qdisc add dev "$IFB" clsact
tc filter add dev "$IFB" egress matchall action drop
mend
note hook tc qdisc show dev "$IFB" clsact

leg root-replaced
tc qdisc replace dev "$WAN" root fq_codel
mend

leg ifb-root-replaced
tc qdisc replace dev "$IFB" root pfifo
mend

leg hooks-gone
tc qdisc del dev "$WAN" clsact
mend

leg filter-gone
tc filter del dev "$WAN" parent c05:a000 chain 1 pref 10
mend

leg entry-gone
tc filter del dev "$WAN" parent c05: pref 2
mend

leg filters-entry-gone
tc filter del dev "$WAN" parent c05:a000 pref 4
mend

leg entry-of-others
for place in "c05: pref 6" "c05: pref 4" "c05:a000 chain 3 pref 9"; do
	# shellcheck disable=SC2086 # words of a command
	tc filter add dev "$WAN" parent $place protocol ip u32 match ip dport 53 0xffff flowid c05:
done
mend

leg entry-elsewhere
class=$(tc class show dev "$WAN" | sed -n 's/^class htb \(c05:[ab][0-9a-f]*\) parent .* leaf .*/\1/p' | head -n 1)
tc filter add dev "$WAN" parent c05: pref 1 protocol all u32 match u32 0 0 at 0 flowid "$class"
mend

leg handle-of-the-other-slot
class=$(tc class show dev "$WAN" | sed -n 's/^class htb c05:a\([0-9a-f]*\) parent .* leaf .*/\1/p' | head -n 1)
tc qdisc replace dev "$WAN" parent "c05:a$class" handle "b$class:" pfifo
mend

# The trees of a script from before there were slots: no entries, ids of their own, filters at the root.
leg older-script
for device in "$WAN" "$IFB"; do
	tc qdisc del dev "$device" root
	tc -batch - <<-EOT
		qdisc add dev $device root handle c05: htb default 0 r2q 10 direct_qlen 1000
		class add dev $device parent c05: classid c05:1 htb rate 20mbit ceil 20mbit
		class add dev $device parent c05:1 classid c05:a9e9 htb rate 2mbit ceil 20mbit
		class add dev $device parent c05:1 classid c05:9a1 htb rate 9mbit ceil 20mbit
		filter add dev $device parent c05: pref 10 protocol ip u32 match ip dsfield 0xb8 0xfc flowid c05:a9e9
		filter add dev $device parent c05: pref 28672 protocol all u32 match u32 0 0 at 0 flowid c05:9a1
	EOT
done
call print print
mend

leg entry-of-slot-b
tc filter add dev "$WAN" parent c05: pref 8 protocol ip u32 match ip dport 53 0xffff flowid c05:
mend

leg settings
ip link set "$WAN" txqueuelen 77
echo 4096 5000 6000 >/proc/sys/net/ipv4/tcp_wmem
mend

leg device-anew
ip link del "$WAN"
ip route flush 198.51.100.0/24
wan_ethernet
settle
mend

leg whole
call stop stop

# Scripts that somebody has edited after they were compiled. The digest stays.
leg edited
call start start
sed '/^# rest (/,/^class/s/ ceil [0-9]*bit/ ceil 7000000bit/' "$WORK/router.sh" >"$WORK/edited.sh"
sed 's/^# rest (/# the rest (/' "$WORK/router.sh" >"$WORK/words.sh"
SCRIPT=words.sh
call words start
SCRIPT=edited.sh
call edited start
note held tc class show dev "$WAN" parent c05:
call second start
call check check
SCRIPT=router.sh
call back start
call dump dump
call stop stop

# Edits that cannot work: a word that nothing replaces, and words that tc and the kernel refuse.
leg mistaken
sed '/^# voice (/,/^class/s/ @overhead / @overhaed /' "$WORK/router.sh" >"$WORK/unknown.sh"
sed '/^# voice (/,/^class/s/ quantum / quantumm /' "$WORK/router.sh" >"$WORK/word.sh"
sed '/^# rest (/,/^qdisc/s/ flows [0-9]* / flows 99999999 /' "$WORK/router.sh" >"$WORK/number.sh"
sed "/^# voice (/,/^class/s/ dev @[a-z]* / dev $WAN /" "$WORK/router.sh" >"$WORK/device.sh"
state before
for edited in unknown word number device; do
	SCRIPT=$edited.sh
	call "$edited-nothing" start
done
state after
SCRIPT=router.sh
call start start
for edited in unknown word number device; do
	SCRIPT=$edited.sh
	call "$edited" start
	# Nothing was changed.
	SCRIPT=router.sh
	call "$edited-check" check
done
call dump dump
dash -s start <"$WORK/word.sh" >"$out/$leg/piped.out" 2>"$out/$leg/piped.err"
echo $? >"$out/$leg/piped.code"
call stop stop

# The same through a pipe, so that there is no copy to compare with.
leg piped
SCRIPT=router.sh
# piped STEP SCRIPT: starts a script as `ssh router sh -s start <script` does.
piped() {
	dash -s start <"$WORK/$2" >"$out/$leg/$1.out" 2>"$out/$leg/$1.err"
	echo $? >"$out/$leg/$1.code"
}
piped start router.sh
piped second router.sh
# A change that fails leaves all as it was, without a copy of the script that made it.
refuse_a_step
piped refused other.sh
refuse_no_step
call check-refused check
call dump-refused dump
note queue cat "/sys/class/net/$WAN/tx_queue_len"
piped edited edited.sh
note held tc class show dev "$WAN" parent c05:
piped again edited.sh
SCRIPT=router.sh
call file start
call second-file start
call stop stop

leg taken
tc qdisc add dev "$WAN" root handle 1: htb default 10
tc class add dev "$WAN" parent 1: classid 1:10 htb rate 1mbit
tc qdisc add dev "$WAN" clsact
tc filter add dev "$WAN" ingress pref 5 protocol ip u32 match ip src 10.0.0.0/8 action drop
call refused start
call start --take-over start
call dump dump
call second start
call stop stop
note left tc qdisc show dev "$WAN"
tc qdisc del dev "$WAN" clsact

leg lost
state before
SCRIPT=plain.sh
call start start
rm -r /run/qosc
mend
call stop stop
state after
call start start
rm -r /run/qosc
call stop-lost stop
state after-lost
exit 0
