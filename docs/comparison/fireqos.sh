#!/bin/sh
# FireQOS with classes as in examples/vdsl2-home.yaml. Needs the Debian package `fireqos`.
#
#   fireqos.sh [UP [DOWN]]    percent of the line rate; 98 and 95 by default
#
# From the lab: WAN, UP_KBIT and DOWN_KBIT. FireQOS knows no PTM, so the rates are 64/65 of the line's.
set -eu
up=$((UP_KBIT * 64 * ${1:-98} / 65 / 100))
down=$((DOWN_KBIT * 64 * ${2:-95} / 65 / 100))

# direction NAME WORD RATE: one direction of the line.
direction() {
	cat <<-EOT
		interface46 $WAN $1 $2 rate $3kbit ethernet overhead 30
		  class voice commit 400kbit
		    match udp dports 3478,5060:5061
		    match udp sports 3478,5060:5061
		  class interactive commit 20%
		    match udp port 53
		    match tcp port 22,53
		    match icmp
		    match4 tcp ack
		  class default commit 50%
		  class bulk commit 5% ceil 90%
		    match tcp port 873,6881:6999

	EOT
}

conf=$(mktemp)
{
	direction out output "$up"
	direction in input "$down"
} >"$conf"
fireqos start "$conf"
