# What `check` says after each common change by others, under two shells and awks.
# Needs from the case: IFB; VOICE, the id of a class without its slot; script other.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154,SC2317
. "$WORK/lab.sh"
lab

# damage STEP COMMAND...: changes what is there, looks at it, and repairs it.
damage() {
	damaged=$1
	shift
	"$@" || echo "$damaged: this did not work: $*"
	call "$damaged" check
	call "$damaged-mended" --take-over start
}

# slot: prints the letter of the slot that is in use.
slot() { tc filter show dev "$WAN" parent c05: | sed -n 's/.*flowid c05:\([ab]\)000.*/\1/p'; }

setting() { echo 4096 5000 6000 >/proc/sys/net/ipv4/tcp_wmem; }

several() {
	tc qdisc del dev "$WAN" root
	ethtool -K "$WAN" gro on
	nft delete table inet qosc_home
}

change_class() {
	tc class change dev "$WAN" parent "c05:$(slot)000" classid "c05:$(slot)$VOICE" htb rate 3mbit ceil 4mbit \
		burst 1522 cburst 2375 prio 0 quantum 1522 overhead 4 mpu 64 linklayer ethernet
}

add_class() {
	tc class add dev "$WAN" parent c05: classid c05:1f htb rate 1mbit
	tc qdisc add dev "$WAN" parent c05:1f pfifo
}

filter_of() {
	tc filter add dev "$WAN" parent c05: pref 6 protocol ip u32 match ip dport 53 0xffff flowid "c05:$(slot)$VOICE"
}

for name in dash busybox; do
	leg $name
	call start start
	damage root tc qdisc del dev "$WAN" root
	damage cake tc qdisc replace dev "$WAN" root cake
	damage htb tc qdisc replace dev "$WAN" root handle 1: htb
	damage ifb ip link del "$IFB"
	damage down ip link set "$IFB" down
	damage redirect tc filter del dev "$WAN" ingress
	damage hook tc qdisc del dev "$WAN" clsact
	damage entry tc filter del dev "$WAN" parent c05:
	damage marks nft delete table inet qosc_home
	damage rule nft add chain inet qosc_home theirs
	damage setting setting
	damage queue-length ip link set "$WAN" txqueuelen 77
	damage gro ethtool -K "$WAN" gro on
	damage class change_class
	damage queue tc qdisc change dev "$WAN" parent "c05:$(slot)$VOICE" fq_codel limit 77
	damage added add_class
	damage filter filter_of
	# A new start makes the first list in the first chain.
	call stop-before stop
	call start-again start
	damage filters tc filter del dev "$WAN" parent c05:a000 chain 1 pref 10
	damage police tc filter del dev "$WAN" ingress pref 3079
	damage head tc filter add dev "$WAN" parent c05: pref 6 protocol ip handle 5: u32 divisor 16
	# Downloads move to the second ifb.
	damage pfifo tc qdisc replace dev "$IFB" root pfifo
	damage second tc filter del dev "$WAN" ingress
	damage several several
	tc qdisc del dev "$WAN" root
	call short check
	call verbose check -v
	call long check --verbose
	call status status
	call mended start
	SCRIPT=other.sh
	call other check
	SCRIPT=router.sh
	mv /run/qosc/home/state /run/state
	call lost check
	mv /run/state /run/qosc/home/state
	call stop stop
done

# Only root can read the table of marks.
leg user
install -m 644 "$WORK/router.sh" /run/user.sh
chmod 755 /run
as_user() { note "$1" setpriv --reuid 65534 --regid 65534 --clear-groups dash /run/user.sh "$@"; }
call start start
for asked in start stop restart status check print confirm dump; do as_user $asked; done
as_user try 60
as_user rate 5mbit 20mbit
call check-root check
call end stop

# A tc that fails.
leg blind
call start start
tc=$(readlink -f "$(command -v tc)")
mount --bind /bin/false "$tc"
call check check
umount "$tc"
exit 0
