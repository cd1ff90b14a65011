# Changes of the configuration while uploads fill the line: pings meanwhile, and what each start says.
# Needs from the case: LINE, the line's delay and download rate; PINGS, their number; STEPS, the names of the scripts.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 40
masquerade
line $LINE

# ping NAME: pings in the middle of the load.
ping() {
	"$WORK/load" ping lan/192.168.1.12 net/198.51.100.1 "$PINGS" 10000 >"$out/$leg/$1.times" 2>"$out/$leg/$1.err"
}

leg start
call start start
for step in $STEPS; do
	leg "$step"
	ping idle
	echo "three lan/192.168.1.10 net/198.51.100.1 5001 3 up" |
		"$WORK/load" flows 2 7 >"$out/$leg/flows" 2>"$out/$leg/flows.err" &
	flows=$!
	sleep 2.5
	{
		sleep 1.5
		SCRIPT=$step.sh
		call change start
	} &
	change=$!
	ping busy
	wait $change
	wait $flows
	echo $? >"$out/$leg/flows.code"
done
leg start
SCRIPT=router.sh
call stop stop
