# Stops and restarts while tc, or the user who calls, cannot do what is needed.
# Needs from the case: IFB; scripts router, other and broken.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

# Without a word in /run/mode, tc is as it was. `refuse PATTERN` refuses the lines of a batch that match, as the kernel
# does. `kill N` and `fail N` end the Nth listing in its middle, and with a second number all from there to it.
real=/run/real-tc
tc=$(readlink -f "$(command -v tc)")
cp "$tc" $real
cat >/run/tc <<-'EOT'
	#!/bin/dash
	mode='' what=''
	read -r mode what last </run/mode
	case $mode:$* in
	:* | refuse:*/*) exec /run/real-tc "$@" ;;
	*:*-batch*/*)
		cat "$3" >/run/lines
		set -- -d -batch -
		;;
	*:*-batch*) cat >/run/lines ;;
	*) exec /run/real-tc "$@" ;;
	esac
	if [ "$mode" = refuse ]; then
		sed "/$what${last:+ $last}/s/.*/qdisc add dev lo parent ffff:fff1 handle 1: htb/" /run/lines | /run/real-tc "$@"
		exit
	fi
	grep -q 'show dev eth0' /run/lines && echo >>/run/listings
	number=$(wc -l </run/listings)
	{ [ "$number" -ge "$what" ] && [ "$number" -le "${last:-$what}" ]; } || exec /run/real-tc "$@" </run/lines
	/run/real-tc "$@" </run/lines >/run/listing
	head -n $(($(wc -l </run/listing) / 2)) /run/listing
	[ "$mode" = fail ] || kill -9 $$
	exit 1
EOT
chmod +x /run/tc
: >/run/mode
mount --bind /run/tc "$tc"

# mode WORD...: sets what tc does from here on.
mode() {
	: >/run/listings
	echo "$*" >/run/mode
}

# records STEP: keeps the text of the records.
records() { (cd /run/qosc && exec grep -r . .) 2>/dev/null | sort >"$out/$leg/$1.records"; }

# both STEP: keeps the state and the records.
both() {
	state "$1"
	records "$1"
}

# well: a stop without a fault.
well() {
	mode
	call check check
	call stop stop
	state stopped
}

for leg in powerless refused half; do
	leg $leg
	state before
	call start start
	both started
	case $leg in
	powerless)
		printf '#!/bin/dash\nexec setpriv --bounding-set=-net_admin --inh-caps=-net_admin dash "$@"\n' >/run/powerless
		chmod +x /run/powerless
		shell=/run/powerless
		call fault stop
		shell=dash
		;;
	refused)
		mode refuse ' del '
		call fault stop
		;;
	half)
		# The root goes, but the redirect stays.
		mode refuse '^filter del\|clsact'
		call fault stop
		;;
	esac
	mode
	both faulty
	note ping busybox ping -c 1 -W 5 198.51.100.1
	well
done

# A listing that ends in its middle.
for mode in kill fail; do
	leg "$mode"
	state before
	for listing in 1 2; do
		mode "$mode" $listing
		call "start-$listing" start
		mode
		both "not-started-$listing"
	done
	call start start
	both started
	for words in start stop check print restart 'rate 9mbit 20mbit'; do
		name=${words%% *}
		# A start lists once more with the lock.
		mode "$mode" 1 2
		# The words of a call.
		# shellcheck disable=SC2086
		call "$name-1" $words
		mode
		both "$name-1"
	done
	# This one ends after the removal: what is left is not known, so the ifb stays.
	mode "$mode" 2
	call stop-2 stop
	mode
	note ifb ip link show dev "$IFB"
	call again start
	mode "$mode" 1
	call once start
	mode
	SCRIPT=other.sh
	mode "$mode" 1 2
	call change-1 start
	mode
	# The listing after the change.
	mode "$mode" 2
	call change-2 start
	mode
	SCRIPT=router.sh
	well
done

# A restart that fails leaves what was there.
leg restart
call start start
both started
SCRIPT=broken.sh
call broken restart
both broken
SCRIPT=router.sh
tc filter add dev "$WAN" ingress pref 5 protocol ip u32 match ip src 10.0.0.0/8 action drop
call foreign restart
tc filter del dev "$WAN" ingress pref 5
both foreign
call restart restart
well

# A root qdisc that cannot be put back.
leg lost
state before
tc qdisc add dev "$WAN" root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55
call refused start
call start --take-over start
well

# A root qdisc that tc does not put back at first.
leg root
tc qdisc add dev "$WAN" root handle 7: pfifo limit 77
state before
call start start
mode refuse pfifo
call fault stop
mode
note left tc qdisc show dev "$WAN"
call stop stop
state stopped
tc qdisc del dev "$WAN" root
exit 0
