# Numbers at their limits, and beyond them.
# Needs from the case: scripts router and high.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

for part in low high; do
	leg $part
	[ $part = low ] || SCRIPT=high.sh
	call start start
	call dump dump
	cat "/sys/class/net/$WAN/tx_queue_len" >"$out/$leg/queue"
	call second start
	call check check
	call stop stop
done

ip link add try type ifb
ip link set try up
tc qdisc add dev try clsact

# show WORDS...: prints each line of the standard input after the words.
show() { while IFS= read -r line; do echo "$*: $line"; done; }

police() {
	tc filter add dev try ingress pref 1 protocol all matchall action police rate "$1" "$2" "$3" mtu 2000 \
		conform-exceed drop index 7
	tc filter show dev try ingress | show police "$2" "$3"
	tc filter del dev try ingress
}
htb() {
	tc qdisc add dev try root handle 1: htb
	tc class add dev try parent 1: classid 1:1 htb rate 1mbit burst 2000 cburst 2000 quantum 1000 "$@"
	tc -d class show dev try | show htb "$@"
	tc qdisc del dev try root
}
queue() {
	tc qdisc add dev try root "$@"
	tc qdisc show dev try root | show "$@"
	tc qdisc del dev try root
}
{
	police 1mbit burst 34360000
	police 1mbit burst 34359739
	police 100mbit burst 12
	htb burst 34359739
	htb quantum 2147483648
	htb prio 8
	queue fq_codel target 1us
	queue fq_codel target 4294967296us
	queue fq_codel memory_limit 2147483649
	queue fq_codel memory_limit 4294967295
	queue fq_codel quantum 255
	queue cake rtt 4294967296us
	tc qdisc add dev try root handle 1: htb
	tc class add dev try parent 1: classid 1:ffff htb rate 1mbit
	tc qdisc add dev try parent 1:ffff handle ffff: fq_codel 2>&1 | show handle ffff:
	ip link set dev try txqueuelen 32768 2>&1 | show txqueuelen 32768
} >"$out/beyond" 2>&1
