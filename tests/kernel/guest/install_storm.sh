# A hundred events for one device, one after the other, and then several at the same time.
# Needs from the case: IFB; files.tar, the files below /.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
tar -C / -xof "$WORK/files.tar"
mkdir -p /usr/local/sbin
printf '#!/bin/sh\nexec cat >>%s/log\n' "$out" >/usr/local/sbin/logger
chmod 755 /usr/local/sbin/logger
PATH=/usr/local/sbin:$PATH
: >"$out/log"

# event: what ifupdown does after `ifup`. Hooks of other packages are left out.
event() {
	IFACE=$WAN LOGICAL=$WAN ADDRFAM=inet METHOD=static MODE=start PHASE=post-up \
		run-parts --regex='^qosc-' /etc/network/if-up.d
}

# index: records which devices there are.
index() {
	note index cat "/sys/class/net/$IFB/ifindex" "/sys/class/net/$WAN/ifindex"
}

leg first
read -r from _ </proc/uptime
event
read -r to _ </proc/uptime
echo "$from $to" >"$out/first.took"
note check dash /etc/qosc/home.sh check
index

leg storm
listen events
read -r from _ </proc/uptime
events=99
while [ $events -gt 0 ]; do
	event
	events=$((events - 1))
done
read -r to _ </proc/uptime
echo "$from $to" >"$out/storm.took"
heard
note check dash /etc/qosc/home.sh check
index

leg together
note stop dash /etc/qosc/home.sh stop
tc monitor >"$out/$leg/monitor" 2>&1 &
monitor=$!
sleep 0.3
events=''
for _ in 1 2 3 4 5; do
	event &
	events="$events $!"
done
# shellcheck disable=SC2086 # words
wait $events
sleep 0.3
kill "$monitor"
grep -c "^qdisc htb c05: dev $WAN root" "$out/$leg/monitor" >"$out/$leg/builds"
note check dash /etc/qosc/home.sh check
exit 0
