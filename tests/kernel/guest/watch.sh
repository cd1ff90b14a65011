# `qosc watch` while hosts send more than the line carries: HTB, then no script, then CAKE.
# Needs from the case: QOSC, the program; watch-loop.sh, its loop for the router; cake.sh, another script of the link; flows.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household

# send: begins to send all flows.
send() {
	"$WORK/stream" /run/step /run/stop <"$WORK/flows" >"$out/$leg/streams" 2>"$out/$leg/streams.err" &
	stream=$!
	sleep 2
}

rest() {
	: >/run/stop
	wait "$stream"
	rm /run/stop
}

echo 0 >/run/step
leg htb
note before "$QOSC" watch --plain --count 1
call start start
send
note plain "$QOSC" watch --plain --count 3 --interval 2s
note page "$QOSC" watch --html "$out/$leg/page.html" --count 4 --link seen
note record sh "$WORK/watch-loop.sh" 1 3
leg busybox
note samples "$shell" "$WORK/watch-loop.sh" 2 2 seen
rest

leg cake
note changed "$QOSC" watch --plain --count 24 &
watch=$!
sleep 3
call stop stop
sleep 3
SCRIPT=cake.sh
call start start
wait $watch
send
note plain "$QOSC" watch --plain --count 3 --interval 2s
note record sh "$WORK/watch-loop.sh" 1 2
rest
call stop stop
exit 0
