# Counts the programs that each call executes, by wrappers around all tools, and its forks.
# Needs from the case: scripts router, other and many.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

mkdir /run/counted
for tool in tc ip nft ethtool awk sed grep sort cat tr cut head tail wc df cmp date mkdir rmdir flock ln ls mv rm cp sleep sh modprobe insmod; do
	real=$(command -v $tool) || continue
	# An awk program has many lines, and each line counts.
	words=2
	[ $tool != awk ] || words=0
	cat >"/run/counted/$tool" <<-EOT
		#!/bin/dash
		[ $words = 0 ] && echo $tool >>/run/calls || echo "$tool \${1-} \${2-}" >>/run/calls
		exec $real "\$@"
	EOT
	chmod +x "/run/counted/$tool"
done
for script in router other many; do
	sed 's#^PATH=#PATH=/run/counted:#' "$WORK/$script.sh" >"$WORK/counted-$script.sh"
done

forks() { awk '/^processes/ { print $2 }' /proc/stat; }

# count STEP SCRIPT CALL...: the programs, one a line, and the number of forks.
count() {
	step=$1
	SCRIPT=counted-$2.sh
	shift 2
	: >/run/calls
	from=$(forks)
	call "$step" "$@"
	# Two are of `forks`, and two of `call`.
	echo $(($(forks) - from - 4)) >"$out/$leg/$step.forks"
	cp /run/calls "$out/$leg/$step.calls"
}

for leg_shell in dash busybox; do
	leg $leg_shell
	[ $leg_shell = dash ] && shell=dash || shell=/run/ash
	printf '#!/bin/dash\nexec busybox ash "$@"\n' >/run/ash
	chmod +x /run/ash
	count start router start
	count second router start
	count check router check
	count status router status
	count metrics router status --metrics
	count change other start
	count back router start
	count rate-first router rate 15mbit 30mbit
	count rate router rate 14mbit 29mbit
	count stop router stop
	count start-many many start
	count second-many many start
	count stop-many many stop
done
