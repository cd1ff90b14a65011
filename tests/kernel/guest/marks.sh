# Sends packets and keeps what comes out of the shaper: on the far end of the WAN, and on the ifb.
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
