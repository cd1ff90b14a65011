# One configuration runs, and the trial of another goes back.
# Needs from the case: PAIRS, words `FROM:TO` of two scripts in scripts/.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab
ethtool -K "$WAN" gro on

leg whole
state before
for pair in $PAIRS; do
	from=${pair%:*}
	leg "$from-${pair#*:}"
	SCRIPT=scripts/$from.sh
	call start start
	SCRIPT=scripts/${pair#*:}.sh
	call try try 1
	over walk
	SCRIPT=scripts/$from.sh
	call dump dump
	call check check
	call second start
done
leg whole
call stop stop
state after
