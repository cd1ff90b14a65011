# The table of nft in docs/matches.md, and connections on ports that no match names.
# Needs from the case: behaviour.nft, flows; IFB.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
. "$WORK/streams.sh"
lab
household

leg behaviour
modprobe nf_conntrack
echo 1 >/proc/sys/net/netfilter/nf_conntrack_acct
note table nft -f "$WORK/behaviour.nft"
call start start
streams
sleep 2
streams_end
note up tc -s class show dev "$WAN" parent c05:
note down tc -s class show dev "$IFB" parent c05:
call stop stop
exit 0
