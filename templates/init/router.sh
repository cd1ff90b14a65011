# shellcheck shell=sh
# Prints what `qosc init --from` needs to know of this router: on each line a word and a value. It changes nothing.
device=$(ip route get 1.1.1.1 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
[ -n "$device" ] || device=$(ip -6 route get 2606:4700:4700::1111 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
if [ -n "$device" ]; then
    echo "device $device"
    below=$device
    if [ -r "/sys/class/net/$device/type" ] && read -r type <"/sys/class/net/$device/type" && [ "$type" = 512 ]; then
        below=$(sed -n '2s/.* //p' /proc/net/pppoe 2>/dev/null)
        [ -z "$below" ] || echo "pppoe $below"
    fi
    [ -z "$below" ] || [ ! -e "/proc/net/vlan/$below" ] || echo "vlan $below"
    [ ! -r "/sys/class/net/$device/mtu" ] || echo "mtu $(cat "/sys/class/net/$device/mtu")"
    tc qdisc show dev "$device" 2>/dev/null | sed -n 's/^qdisc \([^ ]*\) .* root .*/qdisc \1/p'
fi
ip -o -4 addr show scope global 2>/dev/null | while read -r _ name _ address _; do
    case $name:$address in
    "$device":* | *@*) ;;
    *:10.* | *:192.168.* | *:172.1[6-9].* | *:172.2[0-9].* | *:172.3[01].*) echo "lan $name $address" ;;
    esac
done
for tool in tc ip nft awk ethtool; do
    command -v "$tool" >/dev/null 2>&1 || echo "no-tool $tool"
done
for module in sch_htb sch_fq_codel sch_ingress cls_u32 act_mirred ifb; do
    [ -d "/sys/module/$module" ] || modinfo "$module" >/dev/null 2>&1 ||
        find "/lib/modules/$(uname -r)" -name "$module.ko*" 2>/dev/null | grep -q . || echo "no-module $module"
done
for file in /etc/config/sqm /etc/sqm/*.iface.conf; do
    [ ! -s "$file" ] || echo "sqm $file"
done
df -k /etc 2>/dev/null | awk 'END { print "flash", $(NF - 2) }'
