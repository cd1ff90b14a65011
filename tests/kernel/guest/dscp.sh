# Sends packets and records those that leave the shaper: at the far end of the WAN, and at the ifb.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/lab.sh"
lab
echo 0 >/proc/sys/net/ipv4/ip_forward
leg dash
call start start
"$WORK/packets" receive "net/$WAN" 3000 >"$out/up" &
"$WORK/packets" receive "$IFB" 3000 >"$out/down" &
sleep 0.5
"$WORK/packets" send <"$WORK/orders" || exit 1
wait
call stop stop
