# A script's life with the tools of a stock OpenWrt: its busybox, tc, ip, nft and modprobe. In the
# first leg, ethtool is installed; in the second, it is not. Scripts: router.sh and changed.sh.
# Needs from the case: BUSYBOX, the folder with busybox and its list of applets.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

# tools TOOL...: makes /run/small-ash, a shell that finds only the busybox and these tools of the host.
tools() {
	rm -rf /run/small
	mkdir /run/small
	cp "$BUSYBOX/busybox" /run/small
	while read -r applet; do
		ln -s busybox "/run/small/${applet##*/}"
	done <"$BUSYBOX/busybox.links"
	for tool; do
		rm -f "/run/small/$tool"
		cp -L "$(command -v "$tool")" "/run/small/$tool"
	done
	cat >/run/small-ash <<-'EOT'
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind /run/small /usr/sbin && mount --bind /run/small /usr/bin &&
			exec ash "$@"' small "$@"
	EOT
	chmod +x /run/small-ash
}

# life: the whole life of the script.
life() {
	state before
	SCRIPT=router.sh
	call start start
	call dump dump
	call second start
	call check check
	call status status
	call metrics status --metrics
	call print print

	SCRIPT=changed.sh
	call print-changed print
	call change start
	call change-dump dump
	note meddle tc class change dev "$WAN" parent c05: classid c05:a000 htb rate 1mbit
	call check-meddled check
	call rate rate 3mbit 12mbit
	call check-rate check
	call again start
	call again-dump dump

	SCRIPT=router.sh
	call try try 60
	call confirm confirm
	call confirm-dump dump
	SCRIPT=changed.sh
	call expire try 2
	over "$LINK"
	SCRIPT=router.sh
	call back-check check
	call back-dump dump

	call restart restart
	call restart-dump dump
	call stop stop
	state after
	call check-stopped check
}

# The applets' list decides, and not the host: this tool must be missing.
tools tc ip nft modprobe ethtool
leg ethtool
shell=/run/small-ash
cat >/run/strange <<-'EOT'
	for tool in diff setsid nohup stat od comm paste timeout tac getopt; do command -v "$tool"; done
	exit 0
EOT
note strange /run/small-ash /run/strange
life

tools tc ip nft modprobe
leg none
shell=/run/small-ash
life

# Each tool that is missing is named with its package.
SCRIPT=router.sh
leg missing
shell=/run/small-ash
state before
tools ip nft modprobe
call no-tc start
tools tc nft modprobe
call no-ip start
tools tc ip modprobe
call no-nft start
call no-nft-stop stop
tools tc ip nft modprobe
rm /run/small/flock
call no-flock start
state after
exit 0
