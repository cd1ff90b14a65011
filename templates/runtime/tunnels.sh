# --- tunnels ------------------------------------------------------------------------------------------------------

# Downloads of some tunnels are queued behind their device, where the inner packets show: filters at both devices, or
# neither. Other devices of the line have filters alone.

# Prints the tunnel devices of the YAML and of earlier starts.
tunnel_devices() {
    {
        for tunnel in $tunnels; do echo "${tunnel%:*}"; done
        sed -n 's/^tunnel \([^ ]*\) .*/\1/p' "$state/before" 2>/dev/null
    } | awk '!seen[$1]++'
}

# Prints for each `tunnel DEV IFINDEX PORT` and what tc shows of its hooks, or `tunnel DEV gone`. Fails if
# tc does.
tunnels_now() {
    [ -n "$tunnels" ] || return 0
    echo '== tunnels'
    tunnel_devices | while read -r device; do
        if ! read -r number 2>/dev/null <"/sys/class/net/$device/ifindex"; then
            echo "tunnel $device gone"
            continue
        fi
        port=$(wg show "$device" listen-port 2>/dev/null) || [ -O /proc/1 ] || exit 1
        echo "tunnel $device $number $port"
        printf 'qdisc show dev %s ingress\nfilter show dev %s ingress\nfilter show dev %s egress\n' \
            "$device" "$device" "$device" | tc -d -batch - 2>/dev/null || exit 1
    done
}

# Sets no_tunnels to what keeps this router from queueing the downloads of any tunnel behind its device.
why_no_tunnels() {
    no_tunnels=$tunnels_refused
    [ "$header" -le 14 ] || no_tunnels="$dev carries PPPoE frames, in which no filter sees whose a packet is"
    [ "$ethtool:$split_down" != no:yes ] || no_tunnels="ethtool is missing, and aggregates would be charged one header"
    case "$tunnels " in
    *[0-9]' '*) command -v wg >/dev/null ||
        no_tunnels="wg is missing, which tells the port (Debian, OpenWrt: wireguard-tools)" ;;
    esac
}

# Tries what tunnels need. If the kernel refuses it, goes on without, and sets tunnels_refused.
try_tunnels() {
    [ -n "$through" ] && [ -n "$tunnel_trial" ] || return 0
    ! printf '%s' "$tunnel_trial" | sed "s/@probe/$probe/g" | try_out '' >/dev/null || return 0
    tunnels_refused="this kernel or this tc cannot make packets longer"
    tunnels_refused="$tunnels_refused (modules act_vlan and act_mpls; OpenWrt: kmod-sched-act-vlan, kmod-sched)"
    take_steps || exit 1
    add_ifbs
}

# Warns of the devices whose downloads this router cannot queue behind them.
warn_wrapped() {
    [ -z "$wrapped" ] || printf '%s\n' "$wrapped" | while read -r device what; do warn "$device: $what"; done
}

dump_tunnels() {
    [ -n "$tunnels" ] || return 0
    echo '==> tunnels'
    tunnels_now | engine tunnels
    for tunnel in $through; do echo "through $tunnel"; done
}

# Prints where the downloads of each tunnel are queued.
tunnels_said() {
    [ -z "$wrapped" ] || printf '%s\n' "$wrapped" | sed 's/ /: /; s/^/  /'
    queued="${uploads:+uploads and }downloads"
    for tunnel in $through; do
        device=${tunnel%%:*}
        case " $own_tunnels " in *" $device "*) own=yes ;; *) own='' ;; esac
        case $device:$(grep -s "^filter add dev $device ingress " "$state/state"):$own in
        *::*) echo "  $device: downloads are not yet queued behind it; start does that" ;;
        *:) echo "  $device: $queued are not queued: it was made anew; start mends that" ;;
        *) echo "  $device: $queued are queued behind it" ;;
        esac
    done
}

# Adds to lines what sed makes of the lines of each tunnel in the table.
find_ports() {
    for tunnel in $through; do
        port=${tunnel#*:}
        lines="$lines;s/@with ${tunnel%%:*} \\(.*\\)@port/\\1${port%%:*}/"
    done
    lines="$lines;/@with /d"
}

through='' wrapped='' own_tunnels='' parts="$parts tunnels"
# shellcheck disable=SC2016 # awk
engine_rules='
@include tunnels.awk
'
