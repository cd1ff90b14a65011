# Other line rates than those of the file, one after another, and the file's own at the end.
# Needs from the case: RATES, each UP:DOWN; LEGS, the names of the shells; MORE, `yes` for the tests that need only
# one file.
# shellcheck shell=sh disable=SC1091,SC2034,SC2086,SC2153,SC2154
. "$WORK/lab.sh"
lab

# scale STEP UP DOWN: sets the rates and dumps the state.
scale() {
	call "$1" rate $2 $3
	call "$1-dump" dump
}

for one in $LEGS; do
	leg "$one"
	state before
	call early rate 1mbit 2mbit
	call start start
	number=0
	for rates in $RATES; do
		number=$((number + 1))
		scale "at-$number" "${rates%:*}" "${rates#*:}"
		call "check-$number" check
	done
	# The same rates again, one direction after the other.
	call one-up rate 3mbit -
	call one-up-dump dump
	call one-up-check check
	call one-down rate - "${rates#*:}"
	call other-up rate "${rates%:*}" -
	call status status
	call print print
	listen again
	call again rate "${rates%:*}" "${rates#*:}"
	heard again
	call back start
	call back-dump dump
	call back-check check
	call from-file rate - 50mbit
	call from-file-check check
	call back-again start
	listen second
	call second start
	heard second
	call stop stop
	call late rate 1mbit 2mbit
	state after
done

[ "$MORE" = yes ] || exit 0

# A trial of the file's rates, a step that the kernel refuses, and a call that is killed.
leg faults
call start start
call before rate 5mbit 50mbit
call try try 3
call tried check
over scaled
call gone-back check
spy
plan refuse 2
call refused rate 6mbit 60mbit
plan nothing
call refused-dump dump
call refused-check check
plan kill 2
call killed rate 6mbit 60mbit
plan nothing
call unsure rate 6mbit 60mbit
call mended start
call mended-dump dump
call mended-check check
call stop stop

leg wrong
number=0
while IFS= read -r words; do
	number=$((number + 1))
	call "$number" rate $words
done <"$WORK/wrong"
exit 0
