# The work of the guest for a user: a shell on the router. `run.sh` sources this file.
#
# From the host:
#
#   SCRIPT    the name of the script
#   SIZE      the size of the terminal, as words of stty(1)
#
# and perhaps the file commands, in place of a terminal.
# shellcheck shell=sh disable=SC1091,SC2086,SC2154
. "$WORK/shell.env"
mkdir /router && cd /router && cp "$WORK/router.sh" "$SCRIPT" && chmod 755 "$SCRIPT" || exit 4
command -v ping >/dev/null || ln -s /bin/busybox /usr/bin/ping
[ -e /dev/tty1 ] || mknod /dev/tty1 c 4 1
PATH=$PATH:$WORK PS1='router# ' HOME=/router
export PATH PS1 HOME
about() {
	echo "router    $WAN to the line ($((UP / 1000)) kbit/s up, $((DOWN / 1000)) kbit/s down), $LAN to the hosts"
	while read -r space _ v4 _ v6 _ name; do
		[ "$v4" != - ] || v4=$v6
		echo "$space $v4 ($name)"
	done <"$WORK/hosts" | sed '1s/^/hosts     /; 1!s/^/          /; 6q'
	echo "script    ./$SCRIPT start, status, check, try 60, confirm, undo, stop; ./$SCRIPT --help lists all calls"
	echo 'internet  ping 100.64.78.2; from a host: ip netns exec other1 ping 100.64.78.2'
	echo 'also here qosc, and the files of this machine as they are now; what you write stays here. To leave: exit'
}

exec 3<>/dev/tty1
stty ${SIZE:--onlcr} <&3
if [ -e "$WORK/commands" ]; then
	busybox sh <"$WORK/commands" >&3 2>&3 3>&-
else
	about >&3
	# A session leader gets the first terminal that it opens.
	busybox setsid sh -c 'exec busybox sh -i <>/dev/tty1 >&0 2>&0 3>&-'
fi
echo $? >"$WORK/out/start.said"
