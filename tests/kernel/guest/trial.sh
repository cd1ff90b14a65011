# Trials that run out, are confirmed, lose their terminal, or meet other calls. Scripts: old.sh, new.sh and
# tuned.sh.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
# The seconds of a trial, which are more than a start takes here.
long=${LONG:-20}

# watchers: lists the processes that would roll back. Fails if there is none.
# shellcheck disable=SC2317 # `note` calls it
watchers() {
	busybox ps -o args | grep '[n]ew\.sh try'
}

SCRIPT=old.sh
leg nothing
state before
call confirm confirm
call zero try 0
call try try 2
call status status
over trial
state after

leg back
call start start
SCRIPT=new.sh
call try try 2
call dump dump
over trial
call back-dump dump
call back-check check

leg kept
call try try "$long"
note watched watchers
call again try 5
call confirm confirm
call twice confirm
sleep 1
note watchers watchers
call dump dump
call nothing try 5
SCRIPT=old.sh
call start start

leg terminal
SCRIPT=new.sh
setsid dash "$WORK/new.sh" try 4 >/dev/null 2>&1 &
terminal=$!
sleep 0.5
kill -HUP "-$terminal"
wait $terminal
over trial
call dump dump

leg other
call try try "$long"
SCRIPT=old.sh
call start start
note gone ls /run/qosc/trial/trial
call dump dump

leg same
SCRIPT=new.sh
call try try 6
call start start
over trial
call dump dump

leg stopped
call try try "$long"
call stop stop
note watchers watchers
leg nothing
state stopped

# One configuration changes all settings outside of the qdiscs, and the other turns offloads off.
ethtool -K "$WAN" gro on
for now in old tuned; do
	leg "$now"
	SCRIPT=$now.sh
	call start start
	state before
	SCRIPT=tuned.sh
	[ "$now" = old ] || SCRIPT=old.sh
	call try try 2
	state tried
	over trial
	SCRIPT=$now.sh
	call check check
	state after
	call stop stop
done
ethtool -K "$WAN" gro off

# Another link is at work on the device, so a start is refused before its first change.
leg refused
rival() {
	mkdir -p /run/qosc/other
	read -r boot </proc/sys/kernel/random/boot_id
	read -r number <"/sys/class/net/$WAN/ifindex"
	printf 'device %s %s\nboot %s\n' "$WAN" "$number" "$boot" >/run/qosc/other/before
}
SCRIPT=old.sh
call start start
SCRIPT=new.sh
rival
call try try "$long"
note none ls /run/qosc/trial/trial
note watchers watchers
rm -r /run/qosc/other
call again try "$long"
rival
SCRIPT=old.sh
call other start
rm -r /run/qosc/other
SCRIPT=new.sh
call status status
call confirm confirm
call dump dump
call stop stop

# The watchdog was killed, and by now its number belongs to another process.
leg unwatched
SCRIPT=old.sh
call start start
SCRIPT=new.sh
call try try "$long"
read -r id watcher rest </run/qosc/trial/trial
kill -KILL "${watcher%:*}"
# In virtual time, the killed process may run only when all others wait.
sleep 0.1
call status status
call again try 5
sleep 100 &
innocent=$!
echo "$id $innocent:${watcher#*:} $rest" >/run/qosc/trial/trial
call reused status
# A trial of an older script, which recorded the process alone.
echo "$id $innocent $rest" >/run/qosc/trial/trial
call older status
echo "$id $innocent:${watcher#*:} $rest" >/run/qosc/trial/trial
call confirm confirm
note spared kill -0 $innocent
kill $innocent
call dump dump
call stop stop

# A script from a pipe, as `ssh router sh -s try 60 <new.sh` runs it. Nothing on the router has its code.
leg piped
SCRIPT=old.sh
call start start
# As sshd does, `cat` waits until nothing holds its pipe any more.
{
	dash -s try 2 <"$WORK/new.sh" 2>&1
	echo $? >"$out/$leg/try.code"
} | cat >"$out/$leg/try.out"
note running test -e /run/qosc/trial/trial
call new-dump dump
over trial
call dump dump
call check check
call stop stop

# `undo` does not wait for the deadline.
leg undone
state before
call none undo
SCRIPT=new.sh
call first try "$long"
call undo-first undo
note watchers watchers
state first
SCRIPT=old.sh
call start start
SCRIPT=new.sh
call try try "$long"
call dump dump
# Another script of this link, and from a pipe, as `deploy` calls it.
# shellcheck disable=SC2016 # the inner shell expands it
note undo sh -c 'dash -s undo <"$WORK/tuned.sh"'
note watchers-after watchers
call again undo
SCRIPT=old.sh
call check check
call back-dump dump
# The watchdog was killed.
SCRIPT=new.sh
call try-again try "$long"
read -r id watcher rest </run/qosc/trial/trial
kill -KILL "${watcher%:*}"
call undo-unwatched undo
SCRIPT=old.sh
call back-again dump
call stop stop
exit 0
