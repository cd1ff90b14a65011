# --- tunnels ------------------------------------------------------------------------------------------------------

# Where the file names WireGuard's device, downloads are queued after they were decrypted: what comes in for the port at which
# the device listens passes the ingress of the WAN device, and what comes out of the device goes to the same ifb at
# its own ingress. Both or neither: packets that nothing queues must not come about.

# The devices that are asked for, and those of an earlier start.
tunnel_devices() {
    {
        for tunnel in $tunnels; do echo "${tunnel%:*}"; done
        sed -n 's/^tunnel \([^ ]*\) .*/\1/p' "$state/before" 2>/dev/null
    } | awk '!seen[$1]++'
}

# What the kernel holds of each: `tunnel DEV IFINDEX HOOK PORT`, then the filters at its hooks.
tunnels_now() {
    tunnel_devices | while read -r device; do
        if ! read -r number 2>/dev/null <"/sys/class/net/$device/ifindex"; then
            echo "tunnel $device gone"
            continue
        fi
        held=$(printf 'qdisc show dev %s ingress\nfilter show dev %s ingress\nfilter show dev %s egress\n' "$device" "$device" "$device" |
            tc -force -d -batch - 2>/dev/null | normal)
        case $held in
        'qdisc clsact '*) kind=clsact ;;
        'qdisc ingress '*) kind=ingress ;;
        *) kind=none ;;
        esac
        echo "tunnel $device $number $kind $(wg show "$device" listen-port 2>/dev/null)"
        printf '%s\n' "$held" | sed -e '/^qdisc /d' -e '/^$/d'
    done
}

# Goes through what `look` found of them: prints `own DEV PREF` of each preference of ours, `others DEV` where someone else has
# filters there, and at last `at DEV IFINDEX HOOK PORT`. Other links use the same preferences, for other ifbs.
tunnels_found() {
    printf '%s\n' "$now" | awk -v ifb1="$ifb1" -v ifb2="$ifb2" -v first="$ingress_pref" -v end="$egress_pref" -v bank="$hook_bank" '
@include tunnels_found.awk
'
}

# Which tunnels it can be done for on this router. Sets through, `DEV:PORT:MORE` for each, and wrapped, a line of `DEV WHY`
# for each of the rest.
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
        # At other rates, what is there is told other numbers, and nothing else.
        [ "${only_as_before-}" = '' ] || grep -qs "^filter add dev ${tunnel%%:*} ingress " "$state/described" || continue
        through="$through$tunnel "
    done
    wrapped=$(printf '%s\n' "$chosen" | sed -n 's/^- //p')
}

# Lines for a tunnel become lines for tc where it can be done, and are left out where not. With `n` tags of a VLAN a packet is
# 14 + 4 (n - 1) bytes longer: the first lies beside it.
with_tunnels() {
    awk -v through="$through" -v header="$header" '
@include with_tunnels.awk
'
}

probe_tunnels() { printf '%s' "${tunnel_trial#?}" | sed "s/@probe/$probe/g"; }

# Whether the kernel can do it is tried after all else, which does not fail with it.
try_tunnels() {
    [ -n "$through" ] || return 0
    probe_tunnels >"$state/batch"
    tc -batch "$state/batch" >/dev/null 2>&1 && return 0
    tunnels_refused="this kernel or this tc cannot make packets longer (modules act_vlan and act_mpls; OpenWrt: kmod-sched-act-vlan, kmod-sched)"
}

# Says for which it cannot be done.
warn_wrapped() {
    [ -z "$wrapped" ] || printf '%s\n' "$wrapped" | while read -r device why; do
        warn "downloads by $device are queued as they come in, as one flow: $why"
    done
}

# Keeps whether the hook of a tunnel's device was there before us; one that was made anew has nothing of its forerunner's.
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

# The tunnels whose hook a start made: `DEV:IFINDEX`.
tunnels_made() { sed -n 's/^tunnel \([^ ]*\) \([^ ]*\) made$/\1:\2/p' "$state/before" 2>/dev/null | tr '\n' ' '; }

# What an earlier start did at devices for which this one does it no longer.
forget_tunnels() {
    grep -qs '^tunnel ' "$state/before" || return 0
    for tunnel in $through; do echo "tunnel ${tunnel%%:*} "; done >"$state/left"
    { grep -v '^tunnel ' "$state/before"; grep '^tunnel ' "$state/before" | grep -Ff "$state/left"; } | rewrite_before
    rm -f "$state/left"
}

# A line for each tunnel of where its downloads are queued. If the last start could not queue them after decryption, the
# next one could not either.
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
