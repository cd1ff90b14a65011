# A house, its router and the internet, for the cases that source this. The router is the namespace in which a case
# starts. The other ends of its devices are in `lan` and `net`.
#
# Needs from the case: WORK, the work directory; WAN, the WAN device; WAN_KIND, the way to make it; LAN, the LAN
# devices.
# shellcheck shell=sh disable=SC2034,SC2154

out=$WORK/out
mkdir -p "$out"
export LC_ALL=C

# The time between two checks of something that takes a while. In virtual time, waiting is free, but each check costs
# processes.
pause=0.1
! grep -q time-travel /proc/cmdline || pause=1

# lab: makes the devices. Their far ends have the same names in the namespace `net` or `lan`.
lab() {
	ip link set lo up
	ip netns add net
	ip netns add lan
	# Without router solicitations and duplicate address detection, an untouched lab is silent.
	modprobe ipv6
	set_silent='cd /proc/sys/net/ipv6/conf/default && echo 0 >accept_dad && echo 0 >router_solicitations'
	sh -c "$set_silent"
	for space in net lan; do
		ip netns exec $space sh -c "$set_silent"
		ip -n $space link set lo up
	done
	"wan_$WAN_KIND"
	for device in $LAN; do
		lan_device "$device"
	done
	echo 1 >/proc/sys/net/ipv4/ip_forward
	echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
	settle
}

# settle: waits until every device that is up has its carrier.
settle() {
	tries=100
	while [ $tries -gt 0 ]; do
		waits=$(
			ip -o link show up | grep -e NO-CARRIER -e 'state DOWN' -e 'state LOWERLAYERDOWN'
			ip -o link show up type bridge | grep 'state UNKNOWN'
			# 3 means forwarding. Until then, a bridge still reports changes of its ports.
			cat /sys/class/net/*/brport/state 2>/dev/null | grep -v '^3$'
		)
		if [ -z "$waits" ]; then
			calm
			return 0
		fi
		sleep "$pause"
		tries=$((tries - 1))
	done
	echo "no carrier: $waits"
}

# calm: waits until the kernel has reported everything that has settled. IPv6 reports its groups for ten seconds. In
# virtual time, waiting is free.
calm() {
	if grep -q time-travel /proc/cmdline; then
		sleep 15
	else
		sleep 1
	fi
}

# wire NAME SPACE [PEER]: makes an Ethernet from the router into a namespace.
wire() {
	# shellcheck disable=SC2086
	ip link add "$1" ${QUEUES:+numtxqueues $QUEUES} type veth peer name "${3:-$1}" netns "$2"
	ip -n "$2" link set "${3:-$1}" up
	ip link set "$1" up
}

addresses() {
	ip addr add 198.51.100.2/24 dev "$WAN"
	ip addr add 2001:db8:ffff::2/64 dev "$WAN" nodad
	ip -n net addr add 198.51.100.1/24 dev "$WAN"
	ip -n net addr add 2001:db8:ffff::1/64 dev "$WAN" nodad
	ip route add default via 198.51.100.1
	ip -6 route add default via 2001:db8:ffff::1
}

wan_ethernet() {
	wire "$WAN" net
	addresses
}

# The Ethernet device below has the device's name without the tag, or is called `below`.
wan_vlan() {
	below=${WAN%%.*}
	[ "$below" != "$WAN" ] || below=below
	wire "$below" net
	ip link add link "$below" name "$WAN" type vlan id 7
	ip -n net link add link "$below" name "$WAN" type vlan id 7
	ip link set "$WAN" up
	ip -n net link set "$WAN" up
	addresses
}

# A device whose packets begin with their IP header, like those of ppp and tun. GRE carries both families.
wan_raw() {
	wire below net
	ip addr add 192.0.2.2/30 dev below
	ip -n net addr add 192.0.2.1/30 dev below
	ip link add "$WAN" type gre local 192.0.2.2 remote 192.0.2.1
	ip -n net link add "$WAN" type gre local 192.0.2.1 remote 192.0.2.2
	ip link set "$WAN" up mtu "${WAN_MTU:-1500}"
	ip -n net link set "$WAN" up mtu "${WAN_MTU:-1500}"
	ip link set below mtu 1600
	ip -n net link set below mtu 1600
	addresses
}

# PPPoE as a provider offers it: a real session over an Ethernet, with the provider's end in `net`.
wan_pppoe() {
	wire "${WAN_BELOW:-below}" net
	modprobe pppoe
	[ -e /dev/ppp ] || mknod /dev/ppp c 108 0
	mkdir -p /etc/ppp
	common="noauth nodetach nodefaultroute noproxyarp noipdefault nopcomp noaccomp noccp lcp-echo-interval 0 +ipv6"
	# shellcheck disable=SC2086 # options are words
	printf '%s\n' $common >/etc/ppp/options
	: >/etc/ppp/pppoe-server-options
	# If the user of the guest may not read the host's pppd, there is a copy.
	if [ -e "$WORK/pppd" ]; then
		rm -f /usr/sbin/pppd
		cp "$WORK/pppd" /usr/sbin/pppd
		chmod 755 /usr/sbin/pppd
	fi
	rm -f /etc/ppp/ip-up /etc/ppp/ip-down /etc/ppp/ipv6-up /etc/ppp/ipv6-down
	ip netns exec net pppoe-server -I "${WAN_BELOW:-below}" -L 198.51.100.1 -R 198.51.100.2 -N 1 \
		-O /etc/ppp/pppoe-server-options
	sleep 0.3
	dial
}

# dial: begins a session, and adds the routes through it.
dial() {
	pppd plugin pppoe.so "nic-${WAN_BELOW:-below}" ifname "$WAN" mtu 1492 mru 1492 >/run/pppd.log 2>&1 &
	pppd=$!
	tries=100
	until ip -o addr show dev "$WAN" 2>/dev/null | grep -q 198.51.100.2; do
		sleep "$pause"
		tries=$((tries - 1))
		if [ $tries = 0 ]; then
			echo "no PPPoE session:"
			cat /run/pppd.log
			return 1
		fi
	done
	far=$(ip -n net -o link show type ppp | sed 's/^[0-9]*: \([^:@]*\).*/\1/')
	if [ "$far" != "$WAN" ]; then
		ip -n net link set "$far" down
		ip -n net link set "$far" name "$WAN"
		ip -n net link set "$WAN" up
	fi
	ip addr add 2001:db8:ffff::2/64 dev "$WAN" nodad
	ip -n net addr add 2001:db8:ffff::1/64 dev "$WAN" nodad
	ip route add default dev "$WAN"
	ip -6 route add default dev "$WAN"
}

# A bridge gets one port; any other name becomes an Ethernet device.
lan_device() {
	case $1 in
	br-*)
		wire "p-${1#br-}" lan "$1"
		# With a forward delay, the bridge would report each port fifteen seconds after it joined.
		ip link add "$1" type bridge forward_delay 0
		ip link set "p-${1#br-}" master "$1"
		ip link set "$1" up
		;;
	*) wire "$1" lan ;;
	esac
}

# leg NAME: selects the shell and the tools of the following calls, and the folder for their output.
leg() {
	leg=$1
	echo "$(cut -d' ' -f1 /proc/uptime) $leg"
	mkdir -p "$out/$leg"
	case $leg in
	busybox)
		small_tools
		shell=/run/small-ash
		;;
	bash) shell=bash ;;
	*) shell=dash ;;
	esac
}

# call STEP ARGUMENT...: runs the script as a user does.
call() {
	step=$1
	shift
	# The words of env, or none.
	# shellcheck disable=SC2086
	setsid ${PACE:+env LD_PRELOAD="$WORK/pace.so"} "$shell" "$WORK/${SCRIPT:-router.sh}" "$@" >"$out/$leg/$step.out" 2>"$out/$leg/$step.err" &
	echo $! >/run/group
	wait $!
	echo $? >"$out/$leg/$step.code"
}

# over LINK: waits until no trial of a link is running.
over() {
	tries=600
	while [ -e "${QOSC_RUN:-/run/qosc}/$1/trial" ] && [ $tries -gt 0 ]; do
		sleep "$pause"
		tries=$((tries - 1))
	done
	# The process that rolls back still holds the lock.
	[ ! -e "${QOSC_RUN:-/run/qosc}/lock" ] || flock "${QOSC_RUN:-/run/qosc}/lock" true
}

# hold SECONDS: holds the lock of the scripts in the background, as the process $holder.
hold() {
	mkdir -p "${QOSC_RUN:-/run/qosc}"
	{
		exec 9>>"${QOSC_RUN:-/run/qosc}/lock"
		flock 9
		exec sleep "$1"
	} &
	holder=$!
	# The holder must have the lock now.
	sleep 0.5
}

# refuse_a_step: tc refuses the step in the middle of the next change. /run/line has the comment of that step.
refuse_a_step() {
	tc=$(readlink -f "$(command -v tc)")
	cp "$tc" /run/real-tc
	cat >/run/tc <<-'EOT'
		#!/bin/dash
		case "$*" in
		*/program)
			if [ ! -e /run/line ]; then
				middle=$(($(grep -c "#" "$3") / 2))
				sed -i "${middle}s/^[^#]*/qdisc add dev lo parent ffff:fff1 handle 1: htb /" "$3"
				sed -n "${middle}s/.*#/#/p" "$3" >/run/line
			fi
			;;
		esac
		exec /run/real-tc "$@"
	EOT
	chmod +x /run/tc
	mount --bind /run/tc "$tc"
}

# refuse_no_step: undoes refuse_a_step.
refuse_no_step() {
	umount "$tc"
	rm -f /run/line
}

# small_tools: makes /run/small-ash, which is busybox ash as on a small router, where busybox provides every small tool.
small_tools() {
	mkdir /run/small
	busybox --install -s /run/small
	for tool in busybox tc ip ethtool modprobe nft flock; do
		command -v $tool >/dev/null || continue
		rm -f "/run/small/$tool"
		cp "$(command -v $tool)" /run/small
	done
	cat >/run/small-ash <<-'EOT'
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind /run/small /usr/sbin && mount --bind /run/small /usr/bin &&
			exec busybox ash "$@"' small "$@"
	EOT
	chmod +x /run/small-ash
}

# spy: from here on, tc, ip, nft and ethtool, or the tools in SPIED, count the steps that a script makes with them. At
# the step in /run/plan, they do what it says; see spy.c.
spy() {
	mkdir -p /run/real
	for tool in ${SPIED:-tc ip nft ethtool}; do
		place=$(readlink -f "$(command -v "$tool")")
		cp "$place" "/run/real/$tool"
		mount --bind "$WORK/spy" "$place"
	done
	plan nothing 0
}

plan() {
	: >/run/calls
	echo 0 >/run/count
	echo "$*" >/run/plan
}

# note STEP COMMAND...: runs another command, and keeps its output and exit code for a test.
note() {
	step=$1
	shift
	"$@" >"$out/$leg/$step.out" 2>"$out/$leg/$step.err"
	echo $? >"$out/$leg/$step.code"
}

# state STEP: records everything that the script may touch, in words that stay the same while nothing changes.
state() {
	{
		devices=$(ls /sys/class/net)
		echo "== links"
		# Bridges show timers that count down.
		ip -d link show | sed 's/_timer  *[0-9.]*//g'
		echo "== qdiscs"
		tc -d qdisc show
		for device in $devices; do
			echo "== classes and filters of $device"
			printf '%s\n' "class show dev $device" "filter show dev $device" "filter show dev $device ingress" \
				"filter show dev $device egress" >/run/lines
			tc -d -batch /run/lines
		done
		for kind in police mirred pedit csum skbedit; do
			echo "== actions $kind"
			tc actions list action $kind 2>/dev/null
		done
		for device in $devices; do
			echo "== offloads of $device"
			ethtool -k "$device"
		done
		echo "== settings"
		(
			cd /proc/sys/net || exit
			grep -r . core/*mem* core/default_qdisc core/*backlog* ipv4/tcp_*mem ipv4/tcp_ecn* ipv4/tcp_*lowat \
				ipv4/tcp_limit* ipv4/tcp_congestion_control ipv4/conf ipv6/conf 2>/dev/null | sort
		)
		echo "== nft"
		nft list ruleset
		echo "== files"
		# Each call makes the lock, and the last link to leave removes it.
		ls -d /run/qosc/*/ 2>/dev/null
	} >"$out/$leg/$1.state" 2>&1
	return 0
}

# listen STEP, then heard STEP: record the changes that the kernel reports in between. A change of our own at the end
# proves that the monitors were listening.
listen() {
	tc monitor >"$out/$leg/$1.tc" 2>&1 &
	tc_monitor=$!
	ip monitor link address route rule >"$out/$leg/$1.ip" 2>&1 &
	ip_monitor=$!
	sleep 0.3
}

heard() {
	ip link set lo alias "the end"
	tc qdisc add dev lo root pfifo limit 7
	sleep 0.3
	kill "$tc_monitor" "$ip_monitor"
	wait "$tc_monitor" "$ip_monitor" 2>/dev/null
	tc qdisc del dev lo root
	ip link set lo alias ""
}
