# What stands in for tc, ip, nft and ethtool once the lab spies on them; see `spy` in lab.sh.
# shellcheck shell=sh disable=SC2154
echo "$tool $*" >>/run/calls
read -r what turn </run/plan
[ "$(wc -l </run/calls)" = "${turn:-0}" ] || what=
case $what in
kill)
	"/run/real/$tool" "$@"
	busybox kill -KILL "-$(cat /run/group)"
	;;
refuse)
	# Of a batch, only the last line: all before it is done.
	case "$*" in
	*batch\ -) exit 1 ;;
	*batch*) sed -i "\$s/.*/qdisc add dev lo parent ffff:fff1 handle 1: htb # the last step/" "$2" ;;
	*) exit 1 ;;
	esac
	;;
esac
exec "/run/real/$tool" "$@"
