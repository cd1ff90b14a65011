# A call step by step. A case that disturbs one step after another sources this after lab.sh, streams.sh and
# router_states.sh.
# Needs from the case: scripts a and b; PLAN; IFB; TABLE and foreign.nft, if there are marks. WHAT is the call: `start`
# of b from nothing, `change` from a to b, `restart` of b over a, or `stop` of a. These variables choose the turns:
#
#   PARTS, PART    every PARTS-th step, beginning with step PART
#   ONLY           if set, only steps of these tools
#   MOST, SEED     if set, this many steps, spread over all, and every call of nft
#   SHARE          if set, only every tenth of them; see share.rs
# shellcheck shell=sh disable=SC2034,SC2154

# verb: prints the name of the call that will be disturbed.
verb() {
	case $WHAT in
	stop | restart) echo "$WHAT" ;;
	*) echo start ;;
	esac
}

# perform STEP: makes the call that will be disturbed.
perform() {
	case $WHAT in
	stop)
		SCRIPT=a.sh
		call "$1" stop
		;;
	*)
		SCRIPT=b.sh
		call "$1" "$(verb)"
		;;
	esac
}

# ready: builds the lab, adds the other tool's objects, and begins to spy on the tools.
ready() {
	lab
	ethtool -K p-lan gro on
	if [ -n "${TABLE-}" ]; then
		nft -f "$WORK/foreign.nft" || exit 1
		conntrack -I -p tcp -s 10.7.0.1 -d 10.7.0.2 --sport 1 --dport 2 --state ESTABLISHED -t 86400 -m 0xa5008010 || exit 1
	fi
	spy
}

# whole: makes the call undisturbed, which the turns are compared with. State a is kept for `restore`.
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

# pick: prints and records the numbers of the chosen turns. With the plan `never`, deletions are not turns: the rollback
# needs them too.
pick() {
	awk -v part="$PART" -v parts="$PARTS" -v only="${ONLY-}" -v most="${MOST-}" -v seed="${SEED-0}" -v plan="${PLAN-}" \
		-v share="${SHARE-}" -v shares="${SHARES-}" '
		NR % parts != part % parts { next }
		only != "" && $1 !~ ("^(" only ")$") { next }
		plan == "never" && (!/ # / || / del /) { next }
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
