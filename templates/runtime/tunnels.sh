# --- tunnels ------------------------------------------------------------------------------------------------------

# If the YAML names a WireGuard device, its downloads are queued after decryption. Packets to the port of the
# device pass the ingress of the WAN device, and packets from the device are redirected to the same ifb at its
# own ingress. Both filters exist or neither does: every download must be queued.

# Prints the tunnel devices of the YAML and of earlier starts.
tunnel_devices() {
    {
        for tunnel in $tunnels; do echo "${tunnel%:*}"; done
        sed -n 's/^tunnel \([^ ]*\) .*/\1/p' "$state/before" 2>/dev/null
    } | awk '!seen[$1]++'
}

# Prints the observed state of each: `tunnel DEV IFINDEX HOOK PORT`, then the filters at its hooks.
tunnels_now() {
    tunnel_devices | while read -r device; do
        if ! read -r number 2>/dev/null <"/sys/class/net/$device/ifindex"; then
            echo "tunnel $device gone"
            continue
        fi
        held=$({
            echo '== tc'
            printf 'qdisc show dev %s ingress\nfilter show dev %s ingress\nfilter show dev %s egress\n' \
                "$device" "$device" "$device" | tc -force -d -batch - 2>/dev/null
        } | read_sections tc)
        case $held in
        'qdisc clsact '*) kind=clsact ;;
        'qdisc ingress '*) kind=ingress ;;
        *) kind=none ;;
        esac
        echo "tunnel $device $number $kind $(wg show "$device" listen-port 2>/dev/null)"
        printf '%s\n' "$held" | sed -e '/^qdisc /d' -e '/^$/d'
    done
}

# Prints `own DEV PREF` for our filters, `others DEV` for the filters of others, and at last `at DEV IFINDEX
# HOOK PORT`. Other links use the same preferences, but redirect to other ifbs.
tunnels_found() {
    printf '%s\n' "$now" | awk -v ifb1="$ifb1" -v ifb2="$ifb2" -v first="$ingress_pref" -v end="$egress_pref" -v bank="$hook_bank" '
@include tunnels_found.awk
'
}

# Sets through (`DEV:PORT:MORE` of each tunnel that works on this router) and wrapped (`DEV WHY` for each other one).
choose_tunnels() {
    why=${tunnels_refused-}
    [ "$header" -le 14 ] || why="$dev carries PPPoE frames, in which no filter sees whose a packet is"
    [ "$ethtool:$split_down" != no:yes ] || why="ethtool is missing, and aggregates would be charged one header"
    command -v wg >/dev/null || why="wg is missing, which tells the port (Debian, OpenWrt: wireguard-tools)"
    chosen=$({
        tunnels_found
        for tunnel in $tunnels; do echo "wanted ${tunnel%:*} ${tunnel##*:}"; done
    } | awk -v why="$why" '
@include tunnels_chosen.awk
')
    through=''
    for tunnel in $(printf '%s\n' "$chosen" | sed -n 's/^+ //p'); do
        # `rate` only changes numbers, so it adds no tunnel.
        [ "${only_as_before-}" = '' ] || grep -qs "^filter add dev ${tunnel%%:*} ingress " "$state/described" || continue
        through="$through$tunnel "
    done
    wrapped=$(printf '%s\n' "$chosen" | sed -n 's/^- //p')
}

# Makes tc lines from the `@with` lines of the tunnels in through, and drops those of other tunnels. The
# kernel keeps the first VLAN tag outside the packet, so `n` tags make a packet 14 + 4 (n - 1) bytes longer.
with_tunnels() {
    awk -v through="$through" -v header="$header" '
@include with_tunnels.awk
'
}

probe_tunnels() { printf '%s' "${tunnel_trial#?}" | sed "s/@probe/$probe/g"; }

# Tries the tunnels on the probe. This comes last, because it does not end the script: it sets tunnels_refused.
try_tunnels() {
    [ -n "$through" ] || return 0
    probe_tunnels >"$state/batch"
    tc -batch "$state/batch" >/dev/null 2>&1 && return 0
    tunnels_refused="this kernel or this tc cannot make packets longer (modules act_vlan and act_mpls; OpenWrt: kmod-sched-act-vlan, kmod-sched)"
}

# Warns of the tunnels that this router cannot queue after decryption.
warn_wrapped() {
    [ -z "$wrapped" ] || printf '%s\n' "$wrapped" | while read -r device why; do
        warn "downloads by $device are queued as they come in, as one flow: $why"
    done
}

# Records whether the hook of each tunnel device was there before us. A device that was made anew gets a new record.
remember_tunnels() {
    for tunnel in $through; do
        device=${tunnel%%:*}
        at=$(tunnels_found | grep -e "^at $device " -e "^own $device ")
        number=${at##*"at $device "}
        kind=${number#* }
        number=${number%% *}
        ! before "tunnel $device $number" >/dev/null || continue
        grep -v "^tunnel $device " "$state/before" | rewrite_before
        case $kind:$at in
        none*:* | *:own*) note tunnel "$device" "$number" made ;;
        *) note tunnel "$device" "$number" shared ;;
        esac
    done
}

# Prints `DEV:IFINDEX` for each tunnel whose hook a start made.
tunnels_made() { sed -n 's/^tunnel \([^ ]*\) \([^ ]*\) made$/\1:\2/p' "$state/before" 2>/dev/null | tr '\n' ' '; }

# Removes from `before` the tunnels that this start does not queue after decryption.
forget_tunnels() {
    grep -qs '^tunnel ' "$state/before" || return 0
    for tunnel in $through; do echo "tunnel ${tunnel%%:*} "; done >"$state/left"
    { grep -v '^tunnel ' "$state/before"; grep '^tunnel ' "$state/before" | grep -Ff "$state/left"; } | rewrite_before
    rm -f "$state/left"
}

# Prints where the downloads of each tunnel are queued. If the kernel refused that at the last start, it still does.
tunnels_said() {
    read -r tunnels_refused 2>/dev/null <"$state/refused"
    choose_tunnels
    [ -z "$wrapped" ] || printf '%s\n' "$wrapped" | sed 's/ /: downloads are queued as they come in, as one flow: /; s/^/  /'
    for tunnel in $through; do
        device=${tunnel%%:*}
        case $device:$(grep -s "^filter add dev $device ingress " "$state/described"):$(tunnels_found | grep "^own $device ") in
        *::*) echo "  $device: downloads are queued as they come in; start queues them after they were decrypted" ;;
        *:) echo "  $device: downloads are not queued: it was made anew; start mends that" ;;
        *) echo "  $device: downloads are queued after they were decrypted" ;;
        esac
    done
}
