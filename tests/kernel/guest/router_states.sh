# States of a router, recorded and restored without a script. For cases that source this after lab.sh and streams.sh.
# Needs from the case: IFB; TABLE, the table of marks, if there is one.
# shellcheck shell=sh disable=SC2034,SC2154

# wipe: removes everything of ours, in the fastest way.
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
	rm -rf "${QOSC_RUN:-/run/qosc}"
}

# keep NAME: records a state after a clean start from nothing that was spied on. The same calls of the tools restore
# it.
keep() {
	for tool in ip tc; do
		grep -v -e ifbp- -e ' show' /run/calls | sed -n -e '/ -batch /d' -e "s/^$tool //p" >"/run/kept.$1.$tool"
	done
	grep '^ethtool -K' /run/calls >"/run/kept.$1.sh"
	[ -z "${TABLE-}" ] || "$real/nft" list table inet "$TABLE" >"/run/kept.$1.nft"
	cp -a "${QOSC_RUN:-/run/qosc}" "/run/kept.$1"
}

# restore NAME: restores a state on a router without anything of ours.
restore() {
	"$real/ip" -batch "/run/kept.$1.ip" || echo "cannot restore $1"
	"$real/tc" -batch "/run/kept.$1.tc" || echo "cannot restore $1"
	PATH=$real:$PATH dash "/run/kept.$1.sh"
	[ -z "${TABLE-}" ] || "$real/nft" -f "/run/kept.$1.nft" || echo "cannot restore $1"
	cp -a "/run/kept.$1" "${QOSC_RUN:-/run/qosc}"
}

# tables: shows the nft tables, ours and others', and the mark of the other tool's connection.
tables() {
	[ -n "${TABLE-}" ] || return 0
	"$real/nft" list ruleset
	conntrack -L -p tcp 2>/dev/null | sed 's/.* \(src=\)/\1/'
}

# marks STEP: records these tables.
marks() { tables >"$out/$leg/$1.marks" 2>&1; }

# glance STEP: records everything that a script touches here, with few processes. `state` of lab.sh takes longer and
# shows more.
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

# real: the folder of the tools that are not spied on.
real=/run/real
