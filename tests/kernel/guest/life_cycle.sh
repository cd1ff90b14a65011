# The life of a script on a router under each shell: started, started again, stopped. A whole life has more steps in
# between.
# Needs from the case: SHELLS; WHOLE, `yes` for a whole life.
# shellcheck shell=sh disable=SC1091,SC2153,SC2154
. "$WORK/lab.sh"
. "$WORK/life.sh"
lab
# Monday noon: the script takes no variant.
! grep -q '^switches=' "$WORK/router.sh" || date -s '2026-12-07 12:00:00' >/dev/null
[ ! -s "$WORK/foreign.nft" ] || nft -f "$WORK/foreign.nft" || exit 1
[ ! -s "$WORK/behaviour.nft" ] || nft -c -f "$WORK/behaviour.nft" || exit 1

for one in $SHELLS; do
	leg "$one"
	if [ "$leg$WHOLE" = dashyes ]; then
		life afterlife
	else
		life
	fi
done
call stop-again stop
call check-stopped check
call status-stopped status
