# pppd runs the hooks of `install-files`, by Debian's own ip-up and ip-down.
# Needs from the case: IFB; files.tar, the files below /.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"

# The lab removes these, because all other cases call the script themselves.
mkdir /run/debian
cp /etc/ppp/ip-up /etc/ppp/ip-down /etc/ppp/ipv6-up /etc/ppp/ipv6-down /run/debian
lab

# away: waits until the session's device is gone at both ends.
away() {
	tries=100
	while [ -d "/sys/class/net/$WAN" ] || ip -n net -o link show type ppp | grep -q .; do
		sleep "$pause"
		tries=$((tries - 1))
		[ $tries != 0 ] || exit 1
	done
}

# ends: ends pppd, which takes its device along.
ends() {
	kill "$pppd"
	wait "$pppd"
	away
}

# begins: starts a pppd that dials again eight seconds after it lost its session.
begins() {
	pppd plugin pppoe.so "nic-${WAN_BELOW:-below}" ifname "$WAN" persist holdoff 8 maxfail 0 >>/run/pppd.log 2>&1 &
	pppd=$!
}

# shaped LEG: waits for the session and its shaping.
shaped() {
	leg "$1"
	tries=60
	until dash /etc/qosc/home.sh check >/dev/null 2>&1; do
		sleep 1
		tries=$((tries - 1))
		[ $tries != 0 ] || break
	done
	# A second hook, for IPv6, may still be at work.
	sleep 2
	note check dash /etc/qosc/home.sh check
	note index cat "/sys/class/net/$IFB/ifindex" "/sys/class/net/$WAN/ifindex"
}

ends
# The provider's pppd runs the same hooks, and its device must have another name. The hooks leave it alone.
echo 'ifname far0' >/etc/ppp/pppoe-server-options
tar -C / -xof "$WORK/files.tar"
cp /run/debian/* /etc/ppp
chmod 755 /etc/ppp/ip-up /etc/ppp/ip-down /etc/ppp/ipv6-up /etc/ppp/ipv6-down
mkdir -p /usr/local/sbin
printf '#!/bin/sh\nexec cat >>%s/log\n' "$out" >/usr/local/sbin/logger
chmod 755 /usr/local/sbin/logger
: >"$out/log"
leg before
calm
state all

begins
shaped boot
# The session ends, and pppd dials again.
kill -HUP "$pppd"
away
shaped redial
# Another pppd begins a session before the hook looks again.
ends
begins
shaped again
# This link is gone for good.
ends
leg removed
tries=60
while [ -d "/sys/class/net/$IFB" ] && [ $tries -gt 0 ]; do
	sleep 1
	tries=$((tries - 1))
done
calm
note check dash /etc/qosc/home.sh check
state all
begins
shaped later

leg uninstalled
note uninstall /etc/qosc/home.uninstall.sh
note left sh -c 'find /etc -name "*qosc*" | grep .'
ends
cp /run/pppd.log "$out"
exit 0
