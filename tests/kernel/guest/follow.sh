# The call `follow` beside everything that may happen to it.
# Needs from the case: other.sh, a script of the same link; eth0 and br-lan.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
mkdir /run/disk
mount -t tmpfs -o size=2M disk /run/disk
export QOSC_RUN=/run/disk/qosc QOSC_MEMORY=/run/memory
pipe=$QOSC_RUN/follow/probes

# begin STEP ARGUMENT...: begins to follow in the background.
begin() {
	step=$1
	shift
	"$shell" "$WORK/router.sh" follow "$@" >"$out/$leg/$step.out" 2>"$out/$leg/$step.err" &
	follower=$!
	sleep 3
}

# ends STEP [SIGNAL]: ends the follower, and records its exit code.
ends() {
	[ -z "${2-}" ] || kill "-$2" $follower
	wait $follower
	echo $? >"$out/$leg/$1.code"
}

# kinds: counts the processes of the follower.
# shellcheck disable=SC2317 # `note` calls it
kinds() {
	for kind in '[r]outer.sh follow' '^[^ ]*[a]wk -' '^tc -s' 'ping .*[0-9]$'; do
		busybox ps -o args | grep -c "$kind"
	done
}


# murder WORDS: kills the processes with these words.
murder() {
	busybox ps -o pid,args | grep "$1" | while read -r pid _; do kill -9 "$pid"; done
}

for leg in dash busybox; do
	leg $leg
	state before
	call early follow
	call start start
	state started
	begin follow
	note kinds kinds
	call check check
	call again start
	call second follow
	call rate rate 5mbit 5mbit
	call status status
	# Everybody else may kill the prober.
	murder '[p]ing .*eth0'
	sleep 6
	call killed-prober check
	# An address that no longer answers: the rates stay.
	ip -n net link set eth0 down
	sleep 5
	call dead check
	ip -n net link set eth0 up
	sleep 2
	dd if=/dev/zero of=/run/disk/filler bs=1k 2>/dev/null
	sleep 2
	call full check
	rm /run/disk/filler
	ends follow TERM
	call ended check
	state ended
	note left kinds

	# Another script of the link on trial: it waits, and goes on when that has gone back.
	begin trial
	SCRIPT=other.sh
	call try try 4
	SCRIPT=router.sh
	sleep 12
	call tried check
	SCRIPT=other.sh
	call change start
	SCRIPT=router.sh
	ends trial
	call back start

	begin dry --dry-run
	ends dry HUP
	begin stop
	# During a change.
	for way in 1 2 3; do echo "16 bytes from 198.51.100.1: icmp_seq=$way ttl=64 time=1 ms" 1<>"$pipe"; done
	call stop stop
	ends stop
	state after

	call start-again start
	begin died
	murder '[r]outer.sh follow'
	sleep 3
	note orphans kinds
	call died check
	call mended start
	call in-place check
	call last-stop stop
	state last
done
exit 0
