# The clock of the router selects variants, also under load.
# Needs from the case: flows; IFB; a script with the variants of examples/night.yaml.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household
export TZ=UTC

# at STEP TIME: sets the clock, records what `check` and `print` say, and lets the timer's call run.
at() {
	date -s "$2" >/dev/null
	call "$1-check" check
	call "$1-print" print
	call "$1-switch" switch
	call "$1-checked" check
}

leg clock
date -s '2026-12-07 12:00:00' >/dev/null # a Monday
call early switch
call start start
at noon '2026-12-07 12:00:01'
at before '2026-12-07 22:59:58'
at night '2026-12-07 23:00:00'
call again start
call status status
call metrics status --metrics
at midnight '2026-12-08 00:00:00'
at last '2026-12-08 05:59:58'
at morning '2026-12-08 06:00:00'
at thursday '2026-12-10 19:00:00'
at friday '2026-12-11 19:00:00'
at late '2026-12-11 23:00:00'
at sunday '2026-12-13 22:59:58'
at monday '2026-12-14 00:00:00'
date -s '1970-01-02 00:00:00' >/dev/null
call unset-check check
call unset-switch switch
call unset-checked check
call stop stop
call stopped switch
call base-start start
call base-check check
call stop-again stop

# The hour from 2 to 3 does not exist on 29 March 2026, and comes twice on 25 October 2026.
leg summer
export TZ='CET-1CEST,M3.5.0,M10.5.0/3'
date -u -s '2027-03-28 00:59:58' >/dev/null
call start start
at march '2027-03-28 03:00:00'
date -u -s '2027-10-31 00:59:58' >/dev/null
call october switch
date -u -s '2027-10-31 01:00:00' >/dev/null
call october-again switch
call checked check
call stop stop
export TZ=UTC

# `rate` stays in force over a switch that leaves the line rates as they are.
leg rate
date -s '2026-12-07 12:00:00' >/dev/null
call start start
call rate rate 10mbit 50mbit
at night '2026-12-07 23:00:00'
at evening '2026-12-11 19:00:00'
call stop stop

# A trial is not disturbed.
leg trial
date -s '2026-12-07 22:59:50' >/dev/null
call try try 60
date -s '2026-12-07 23:00:00' >/dev/null
call switch switch
call confirm confirm
call later switch
call check check
call stop stop

leg load
date -s '2026-12-07 22:59:50' >/dev/null
call start start
streams
enter 1
sleep 1
date -s '2026-12-07 23:00:00' >/dev/null
enter 2
call switch-2 switch
held 2
sleep 1
date -s '2026-12-08 06:00:00' >/dev/null
enter 3
call switch-3 switch
held 3
sleep 1
date -s '2026-12-11 19:00:00' >/dev/null
enter 4
call switch-4 switch
held 4
sleep 1
enter 5
streams_end
call stop stop
exit 0
