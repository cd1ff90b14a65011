# Records that are cut, as by a full disk or a kill.
# Needs from the case: scripts router and other, of the link `home`; eth0 and br-lan.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
records=/run/qosc/home

for own in dash busybox; do
	leg $own
	state before
	call start start
	cp $records/before /run/before
	for part in 0 3 20 40 60 80 90 97 all; do
		size=$(wc -c <$records/state)
		# The last line is cut, too.
		bytes=$((size - 5))
		[ "$part" = all ] || bytes=$((size * part / 100))
		head -c $bytes $records/state >/run/cut && cp /run/cut $records/state
		echo "$own/state-$part" >>"$out/cuts"
		call "state-$part-check" check
		call "state-$part-start" start
		call "state-$part-again" check
	done
	head -c $((size / 2)) $records/state >/run/cut && cp /run/cut $records/state
	call state-stop stop
	state after-state

	# A start was killed when it wrote its first record: in the middle of each line, and before its end.
	lines=$(wc -l </run/before)
	line=0
	while [ $line -lt "$lines" ]; do
		line=$((line + 1))
		bytes=$(head -n $line /run/before | wc -c)
		length=$(sed -n ${line}p /run/before | wc -c)
		for back in 1 $((length / 2)) $((length * 9 / 10)); do
			name="before-$line-$back"
			mkdir -p $records
			head -c $((bytes - back)) /run/before >$records/before
			echo "$name" >>"$out/$own/befores"
			# Most places take the short way.
			if [ $((line % 4)) = 1 ]; then
				call "$name-check" check
				call "$name-start" start
				call "$name-again" check
			fi
			call "$name-stop" stop
			cat /proc/sys/net/ipv4/tcp_wmem /proc/sys/net/ipv4/tcp_rmem >"$out/$own/$name.sysctls"
			ethtool -k br-lan >>"$out/$own/$name.sysctls"
			tc qdisc show dev eth0 >>"$out/$own/$name.sysctls"
		done
	done
	state after-before

	# A change was killed when it added to the record. Nothing merges with the rest of its line.
	call added-start start
	number=0
	for rest in 'sysctl net/ipv4/tcp_mem 1 2' 'tunnel eth0 2 ma' root; do
		number=$((number + 1))
		printf '%s' "$rest" >>$records/before
		call "added-$number-check" check
		SCRIPT=other.sh
		call "added-$number-change" start
		cat $records/before >>"$out/$own/added"
		SCRIPT=router.sh
		call "added-$number-back" start
	done
	printf 'sysctl net/ipv4/tcp_mem 1 2' >>$records/before
	call added-stop stop
	state after
done
exit 0
