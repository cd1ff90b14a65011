# Prints the records of qosc's links and the counters of their devices, again and again. `qosc watch` sends it to a
# shell, on this machine or over ssh.
#
# Arguments: the seconds between two samples; the number of samples, or 0 for no end; the name of a link, or nothing.
# shellcheck shell=sh
set -u
PATH=/usr/sbin:/usr/bin:/sbin:/bin${PATH:+:$PATH} LC_ALL=C
export PATH LC_ALL

# links: prints the record of each link, and finds the devices.
links() {
	devices=''
	for folder in "$run"/*; do
		name=${folder##*/}
		[ -z "$only" ] || [ "$only" = "$name" ] || continue
		[ -r "$folder/state" ] || continue
		# Scripts of older versions have the description in a file of its own.
		described=$folder/described
		[ -r "$described" ] || described=$folder/state
		read -r _ _ _ wan _ <"$folder/state" || continue
		ifb=$(sed -n 's/.*Redirect to device \(ifb[^ )]*\)).*/\1/p' "$folder/state" | head -n 1)
		# If a tunnel's uploads are queued before they are encrypted, an ifb has the tree of all uploads.
		up=$(sed -n 's/^\(ifbu-[^ ]*\) [a-z]*$/\1/p' "$folder/state")
		wan=${up:-$wan}
		printf '==> link %s\nwan %s\nifb %s\n' "$name" "$wan" "$ifb" || exit 0
		grep '^class add ' "$described"
		devices="$devices $wan $ifb"
	done
}

main() {
	interval=$1 count=$2 only=${3-}
	run=${QOSC_RUN:-/run/qosc}
	command -v tc >/dev/null || {
		echo '==> missing tc'
		exit 1
	}
	records=none
	while :; do
		# A start replaces the record, so this line changes.
		# shellcheck disable=SC2012 # the names are qosc's own
		now=$(ls -li "$run"/*/state 2>/dev/null)
		if [ "$now" != "$records" ]; then
			records=$now
			echo '==> links' || exit 0
			links
		fi
		read -r uptime _ </proc/uptime
		echo "==> sample $uptime" || exit 0
		for device in $devices; do
			[ -d "/sys/class/net/$device" ] || continue
			echo "==> tc -s qdisc show dev $device" || exit 0
			tc -s qdisc show dev "$device"
			echo "==> tc -s class show dev $device parent c05:" || exit 0
			tc -s class show dev "$device" parent c05:
		done 2>/dev/null
		echo '==> end' || exit 0
		count=$((count - 1))
		[ "$count" != 0 ] || exit 0
		# Some busybox has no fractions of a second.
		sleep "$interval" 2>/dev/null || sleep 1 || exit 1
	done
}

# The shell reads this file from its standard input, which no command may read.
main "$@" </dev/null
