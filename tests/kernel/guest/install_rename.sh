# The WAN device gets another name while the script is in place.
# Needs from the case: IFB; files.tar, the files below /.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
tar -C / -xof "$WORK/files.tar"

# hook FOLDER: runs the hook of ifupdown for the name that the configuration has.
hook() {
	IFACE=$WAN run-parts --regex='^qosc-' "/etc/network/$1"
}

leg hooks
note qdisc-before tc qdisc show dev "$WAN"
hook if-up.d
note started dash /etc/qosc/home.sh check
ip link set "$WAN" down
ip link set "$WAN" name renamed0
ip link set renamed0 up
settle
hook if-up.d
note renamed dash /etc/qosc/home.sh check
hook if-post-down.d
note down dash /etc/qosc/home.sh check
note stop dash /etc/qosc/home.sh stop
note stopped dash /etc/qosc/home.sh check
tc qdisc show dev renamed0 | sed "s/renamed0/$WAN/" >"$out/$leg/qdisc.out"
exit 0
