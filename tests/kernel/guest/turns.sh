# A call step by step: what a case that disturbs each of its steps in turn sources after lab.sh, streams.sh and states_of.sh.
# From the case: scripts a and b; WHAT is called: `start` of b from nothing, `change` from a to b, `stop` of a; which of the
# turns are taken: PARTS and PART, every so manieth; ONLY, if it is set, of which tools; MOST and SEED, if they are set, so many
# spread over all, and every call of nft; SHARE, if it is set: only every tenth of them, see share.rs; PLAN; IFB; TABLE and foreign.nft, where there are marks.
# shellcheck shell=sh disable=SC2034,SC2154

# perform STEP: what is to be disturbed.
perform() {
	case $WHAT in
	stop)
		SCRIPT=a.sh
		call "$1" stop
		;;
	*)
		SCRIPT=b.sh
		call "$1" start
		;;
	esac
}

# ready: the lab, what is another's, and the tools spied on.
ready() {
	lab
	ethtool -K p-lan gro on
	if [ -n "${TABLE-}" ]; then
		nft -f "$WORK/foreign.nft" || exit 1
		conntrack -I -p tcp -s 10.7.0.1 -d 10.7.0.2 --sport 1 --dport 2 --state ESTABLISHED -t 86400 -m 0xa5008010 || exit 1
	fi
	spy
}

# whole: the call undisturbed, as the turns are to be judged by it; a is kept for `restore`.
whole() {
	leg whole
	glance before
	SCRIPT=a.sh
	call start start
	held start
	glance start
	keep a
	[ "$WHAT" != start ] || wipe
	plan nothing 0
	perform performed
	cp /run/calls "$out/calls"
	held performed
	wipe
	glance wiped
}

# pick: the numbers of the turns to take, which are kept. What is only tried changes nothing, and a deletion is done on the way back, too:
# so where that is to fail, neither is a turn.
pick() {
	awk -v part="$PART" -v parts="$PARTS" -v only="${ONLY-}" -v most="${MOST-}" -v seed="${SEED-0}" -v plan="${PLAN-}" \
		-v share="${SHARE-}" -v shares="${SHARES-}" '
		NR % parts != part % parts { next }
		only != "" && $1 !~ ("^(" only ")$") { next }
		plan == "never" && (!/ # / || / del / || /ifbp-/) { next }
		{ turn[++n] = NR; always[n] = $1 == "nft" }
		END {
			for (i = 1; i <= n; i++) {
				at = i + seed % n
				if (most == "" || always[i] || int(at * most / n) > int((at - 1) * most / n)) picked[count++] = turn[i]
			}
			for (i = 0; i < count; i++)
				if (share == "" || i % shares == share || count <= share && i == share % count) print picked[i]
		}' "$out/calls" | tee "$out/turns"
}
