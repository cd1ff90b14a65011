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
exec 3<>/dev/tty1
stty ${SIZE:--onlcr} <&3
if [ -e "$WORK/commands" ]; then
	busybox sh <"$WORK/commands" >&3 2>&3 3>&-
else
	# A session leader gets the first terminal that it opens.
	busybox setsid sh -c 'exec busybox sh -i <>/dev/tty1 >&0 2>&0 3>&-'
fi
echo $? >"$WORK/out/shell"
