# --- aggregates ---------------------------------------------------------------------------------------------------

# GRO and GSO hand the shaper up to 64 KiB as one packet: charged its overhead once, and for that long the line is
# taken. What arrives by a device is put together there, so that is where it must be turned off.

# A device and everything below it: bridge ports, the parent of a VLAN, the Ethernet under a PPPoE session.
with_lower() {
    [ -d "/sys/class/net/$1" ] || return 0
    echo "$1"
    for below in "/sys/class/net/$1"/lower_* "/sys/class/net/$1"/brif/*; do
        [ -e "$below" ] || continue
        below=${below##*/}
        # In a subshell: this function calls itself, and its variables are the script's.
        (with_lower "${below#lower_}")
    done
    read -r kind <"/sys/class/net/$1/type"
    if [ "$kind" = 512 ] && [ -r /proc/net/pppoe ]; then
        while read -r id _ over; do
            [ "$id" = Id ] || (with_lower "$over")
        done </proc/net/pppoe
    fi
}

# The features that must be off, by device: `DEVICE rx|tx`.
aggregators() {
    if [ "$split_up" = yes ]; then
        echo "$dev tx"
        for device in $receivers; do
            with_lower "$device" | while read -r device; do echo "$device rx"; done
        done
    fi
    if [ "$split_down" = yes ]; then
        with_lower "$dev" | while read -r device; do echo "$device rx"; done
    fi
}

# Every feature that makes aggregates and is on: `DEVICE FEATURE`, one a line.
aggregates() {
    [ "$ethtool" = yes ] || return 0
    aggregators | sort -u | {
        device='' which=''
        while read -r next way; do
            if [ "$next" = "$device" ]; then
                which="$which $way"
            else
                [ -z "$device" ] || features_on "$device" "$which"
                device=$next which=$way
            fi
        done
        [ -z "$device" ] || features_on "$device" "$which"
    }
}

features_on() {
    ethtool -k "$1" 2>/dev/null | while read -r feature value fixed; do
        [ "$value$fixed" = on ] || continue
        # What `ethtool -k` shows by its long name, `ethtool -K` takes by its short one.
        way=rx
        case $feature in
        generic-receive-offload:) feature=gro ;;
        large-receive-offload:) feature=lro ;;
        rx-gro-hw: | rx-gro-list: | rx-udp-gro-forwarding:) ;;
        generic-segmentation-offload:) feature=gso way=tx ;;
        tx-tcp*-segmentation: | tx-udp-segmentation:) way=tx ;;
        *) continue ;;
        esac
        case $2 in
        *$way*) echo "$1 ${feature%:}" ;;
        esac
    done
}

# One ethtool a device: `LINES of DEVICE FEATURE`, on or off.
switch_features() {
    to=$2
    printf '%s\n' "$1" | {
        device=''
        while read -r next feature; do
            [ -n "$next" ] || continue
            if [ "$next" != "$device" ]; then
                [ -z "$device" ] || ethtool -K "$@" >/dev/null 2>&1
                device=$next
                set -- "$device"
            fi
            set -- "$@" "$feature" "$to"
        done
        [ -z "$device" ] || ethtool -K "$@" >/dev/null 2>&1
    }
}

# Turns off what makes aggregates, and remembers it first. What another link has turned off was on before, too.
aggregates_off() {
    printf '%s\n' "$1" | while read -r device feature; do
        [ -z "$device" ] || note "offload $device $feature"
    done
    for device in $(aggregators | sed 's/ .*//' | sort -u); do
        others "offload $device " | while IFS= read -r line; do note "$line"; done
    done
    switch_features "$1" off
}

# Turns on again what was on before, but for what another link still wants off.
aggregates_back() {
    [ "$ethtool" = yes ] && [ -r "$state/before" ] || return 0
    back=$(
        sort "$state/before" | while read -r what device feature; do
            [ "$what" = offload ] || continue
            [ -d "/sys/class/net/$device" ] || continue
            others "offload $device $feature\$" >/dev/null || echo "$device $feature"
        done
    )
    switch_features "$back" on
}
