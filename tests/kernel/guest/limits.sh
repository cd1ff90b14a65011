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
policer() {
	tc filter add dev try ingress pref 1 protocol all matchall action police rate 1mbit burst 2000 "$@" \
		conform-exceed drop 2>&1 | show policer "$@"
	tc filter show dev try ingress | show policer "$@"
	tc filter del dev try ingress
}
htb() {
	tc qdisc add dev try root handle 1: htb
	tc class add dev try parent 1: classid 1:1 htb rate 1mbit burst 2000 cburst 2000 quantum 1000 "$@"
	tc -d class show dev try | show htb "$@"
	tc qdisc del dev try root
}
rate() {
	tc qdisc add dev try root handle 1: htb
	tc class add dev try parent 1: classid 1:1 htb rate "$1" burst 2000 cburst 2000 2>&1 | show rate "$1"
	tc class show dev try | show rate "$1"
	tc qdisc del dev try root
}
queue() {
	tc qdisc add dev try root "$@" 2>&1 | show "$@"
	tc -d qdisc show dev try root | show "$@"
	tc qdisc del dev try root 2>/dev/null
}
pref() {
	tc filter add dev try ingress pref "$1" protocol ip u32 match u32 0 0 at 0 action ok 2>&1 | show pref "$1"
	tc filter show dev try ingress | show pref "$1"
	tc filter del dev try ingress
}
mark() {
	tc filter add dev try ingress pref 1 protocol ip handle "$1" fw action ok 2>&1 | show mark "$1"
	tc filter show dev try ingress | show mark "$1"
	tc filter del dev try ingress
}
# setting PATH NUMBERS...
setting() {
	words=$*
	file=/proc/sys/$1
	shift
	old=$(cat "$file")
	# The shell reports refused numbers.
	sh -c 'echo "$1" >"$2"' sh "$*" "$file" 2>&1 | show setting "$words"
	# The shell would read a byte at a time, and such a file then ends after the first.
	head -n 1 "$file" | show setting "$words"
	echo "$old" >"$file"
}
# Derived numbers at their limits. Each line is one of the calls above.
while read -r line; do
	# shellcheck disable=SC2086
	$line
done <"$WORK/derived" >"$out/derived" 2>&1
{
	police 1mbit burst 34360000
	police 1mbit burst 34359739
	police 100mbit burst 12
	htb burst 34359739
	htb quantum 2147483648
	htb prio 8
	rate 7bit
	queue fq_codel target 1us
	queue fq_codel target 4294967296us
	queue fq_codel target 1000s
	queue fq_codel memory_limit 2147483649
	queue fq_codel memory_limit 4294967295
	queue fq_codel quantum 255
	queue fq_codel quantum 1048577
	queue fq_codel flows 65537
	queue cake rtt 4294967296us
	queue cake memlimit 4294967296
	queue cake overhead 257
	queue cake mpu 257
	policer mtu 4294967296
	policer mtu 0
	pref 65536
	mark 0x100000000
	setting net/core/rmem_max 2303
	setting net/core/rmem_max 2147483648
	setting net/core/wmem_max 4607
	setting net/core/wmem_max 2147483648
	setting net/ipv4/tcp_rmem 4095 4096 4096
	setting net/ipv4/tcp_rmem 4096 4096 2147483648
	setting ../../sys/class/net/try/queues/tx-0/byte_queue_limits/limit_max 1879048193
	tc qdisc add dev try root handle 1: htb
	tc class add dev try parent 1: classid 1:10000 htb rate 1mbit 2>&1 | show classid 1:10000
	tc class add dev try parent 1: classid 1:ffff htb rate 1mbit
	tc qdisc add dev try parent 1:ffff handle ffff: fq_codel 2>&1 | show handle ffff:
	ip link set dev try txqueuelen 32768 2>&1 | show txqueuelen 32768
} >"$out/beyond" 2>&1
