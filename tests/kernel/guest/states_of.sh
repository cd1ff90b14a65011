# States of a router, kept and made again without a script: for the cases that source this after lab.sh and streams.sh.
# From the case: IFB; TABLE, the table of marks, where there is one.
# shellcheck shell=sh disable=SC2034,SC2154

# wipe: nothing of ours, by the shortest way.
wipe() {
	printf 'qdisc del dev %s root\nqdisc del dev %s clsact\n' "$WAN" "$WAN" >/run/wipe.tc
	"$real/tc" -force -batch /run/wipe.tc 2>/dev/null
	for device in "$IFB" "ifb2-${IFB#ifb-}" "ifbp-${IFB#ifb-}"; do
		[ ! -d "/sys/class/net/$device" ] || echo "link del dev $device"
	done >/run/wipe.ip
	echo "link set dev $WAN txqueuelen 1000 gso_max_segs 65535" >>/run/wipe.ip
	"$real/ip" -force -batch /run/wipe.ip
	"$real/ethtool" -K p-lan gro on
	[ -z "${TABLE-}" ] || "$real/nft" delete table inet "$TABLE" 2>/dev/null
	rm -rf /run/qosc
}

# keep NAME: after a clean start from nothing that was spied on. What it had the tools do makes the same again.
keep() {
	for tool in ip tc; do
		grep -v -e ifbp- -e ' show' /run/calls | sed -n -e '/ -batch /d' -e "s/^$tool //p" >"/run/kept.$1.$tool"
	done
	grep '^ethtool -K' /run/calls >"/run/kept.$1.sh"
	[ -z "${TABLE-}" ] || "$real/nft" list table inet "$TABLE" >"/run/kept.$1.nft"
	cp -a /run/qosc "/run/kept.$1"
}

# restore NAME: from nothing.
restore() {
	"$real/ip" -batch "/run/kept.$1.ip" || echo "cannot restore $1"
	"$real/tc" -batch "/run/kept.$1.tc" || echo "cannot restore $1"
	PATH=$real:$PATH dash "/run/kept.$1.sh"
	[ -z "${TABLE-}" ] || "$real/nft" -f "/run/kept.$1.nft" || echo "cannot restore $1"
	cp -a "/run/kept.$1" /run/qosc
}

# tables: those of nft, ours and others', and what the connection of another has for a mark.
tables() {
	[ -n "${TABLE-}" ] || return 0
	"$real/nft" list ruleset
	conntrack -L -p tcp 2>/dev/null | sed 's/.* \(src=\)/\1/'
}

# marks STEP: the same, kept.
marks() { tables >"$out/$leg/$1.marks" 2>&1; }

# glance STEP: all that a script touches here, by few processes. `state` of lab.sh takes longer and shows more.
glance() {
	{
		for device in "$WAN" "$IFB" "ifb2-${IFB#ifb-}" "ifbp-${IFB#ifb-}"; do
			[ -d "/sys/class/net/$device" ] || continue
			printf '%s show dev %s\n' qdisc "$device" class "$device" filter "$device"
		done
		printf 'filter show dev %s %s\n' "$WAN" ingress "$WAN" egress
		echo "actions list action police"
	} >/run/glance
	{
		"$real/tc" -d -force -batch /run/glance
		printf 'link show dev %s\nlink show type ifb\n' "$WAN" | "$real/ip" -d -force -batch -
		"$real/ethtool" -k p-lan
		"$real/ethtool" -k "$WAN"
		tables
		ls -A /run/qosc /run/qosc/*
	} >"$out/$leg/$1.glance" 2>&1
}

# real: where the tools are that nobody spies on.
real=/run/real
