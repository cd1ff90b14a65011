# Hosts with a host class: the bytes that they get.
# Needs from the case: LEGS, the names of files in flows/; SECONDS_EACH, the duration of each.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 10
ip -n net route add 192.168.1.0/24 via 198.51.100.2
line 10ms 12mbit

leg start
call start start
call again start
for one in $LEGS; do
	leg "$one"
	"$WORK/load" flows 2 "$SECONDS_EACH" <"$WORK/flows/$leg" >"$out/$leg/flows" 2>"$out/$leg/flows.err"
	echo $? >"$out/$leg/flows.code"
	note up tc -s class show dev "$WAN"
	note down tc -s class show dev "$IFB"
done
leg start
call stop stop
