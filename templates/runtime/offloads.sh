# --- offloads -------------------------------------------------------------------------------------------------------

# GRO and GSO give the shaper aggregated packets of up to 64 KiB, which are charged their overhead once and
# hold the line for long. The receiving device aggregates, so offloads are turned off there. TCP of the router
# itself always aggregates: only the number of segments in a packet can be limited.

# Prints the device $1 and all below it: bridge ports, the parent of a VLAN, the Ethernet under a PPPoE session.
with_lower() {
    [ -d "/sys/class/net/$1" ] || return 0
    echo "$1"
    for below in "/sys/class/net/$1"/lower_* "/sys/class/net/$1"/brif/*; do
        [ -e "$below" ] || continue
        below=${below##*/}
        # This function calls itself, and all variables are global, so it needs a subshell.
        (with_lower "${below#lower_}")
    done
    read -r kind <"/sys/class/net/$1/type"
    if [ "$kind" = 512 ] && [ -r /proc/net/pppoe ]; then
        while read -r id _ over; do
            [ "$id" = Id ] || (with_lower "$over")
        done </proc/net/pppoe
    fi
}

# Prints all devices by which uploads may come in, if the YAML names no LAN device.
all_others() {
    for device in /sys/class/net/*; do
        device=${device##*/}
        case $device in
        "$dev" | lo | ifb* | bonding_masters) ;;
        *)
            read -r flags <"/sys/class/net/$device/flags"
            [ $((flags & 1)) = 0 ] || echo "$device"
            ;;
        esac
    done
}

# Prints the devices that must not aggregate packets.
receiving() {
    {
        if [ "$split_up" = yes ]; then
            for device in ${receivers:-$(all_others)}; do with_lower "$device"; done
        fi
        if [ "$split_down" = yes ]; then with_lower "$dev"; fi
        # tunnels {
        for tunnel in $tunnels; do [ "$split_down" = no ] || with_lower "${tunnel%:*}"; done
        # } tunnels
    } | {
        listed=' '
        while read -r device; do
            case $listed in
            *" $device "*) continue ;;
            esac
            listed="$listed$device "
            echo "$device"
        done
    }
}

# Prints the devices by which the router's own uploads leave: the WAN device, and tunnels that are not Ethernet.
sending() {
    [ "$split_up" = yes ] || return 0
    echo "$dev"
    for device in $receivers; do
        [ -d "/sys/class/net/$device" ] || continue
        read -r kind <"/sys/class/net/$device/type"
        [ "$kind" = 1 ] || echo "$device"
    done
}

# Prints the offloads that are on, as lines `DEVICE FEATURE` or `DEVICE gso_max_segs=N`. Leaves out those that
# ethtool could not turn off, because each start would only try again.
aggregates() {
    # Names of devices have no spaces.
    # shellcheck disable=SC2046
    [ "$ethtool" = no ] || features_on $(receiving) | not_stuck
    whole_sends
}

not_stuck() {
    while read -r on; do
        [ -z "$on" ] || noted "stuck $on" || echo "$on"
    done
}

# Prints `DEVICE FEATURE` for each offload that is on. One process shows all devices, if ethtool has netlink.
features_on() {
    [ $# -gt 0 ] || return 0
    {
        ethtool -k '*' || for device; do ethtool -k "$device"; done
    } 2>/dev/null | awk -v devices="$*" '
@include features.awk
'
}

# Prints `DEVICE gso_max_segs=N` for each sending device that may aggregate, from one ip process.
whole_sends() {
    lines=$(sending | while read -r device; do echo "link show dev $device"; done)
    [ -n "$lines" ] || return 0
    printf '%s\n' "$lines" | ip -o -d -force -batch - 2>/dev/null | while read -r _ device line; do
        device=${device%:}
        [ -d "/sys/class/net/$device" ] || device=${device%@*}
        # In older versions of ip, the number ends the line.
        case "$line " in
        *' gso_max_segs 1 '*) ;;
        *' gso_max_segs '*)
            line=${line#* gso_max_segs }
            echo "$device gso_max_segs=${line%% *}"
            ;;
        esac
    done
}

# Turns the lines `DEVICE FEATURE` in $1 `on` or `off`: one ethtool per device, one ip for all. Prints failed devices.
switch_features() {
    [ -n "$1" ] || return 0
    lines=$(segments "$1" "$2")
    [ -z "$lines" ] || printf '%s\n' "$lines" | ip -force -batch - >/dev/null 2>&1
    switch_by_ethtool "$1" "$2"
}

# Prints the ip commands for the lines `DEVICE gso_max_segs=N` in $1.
segments() {
    printf '%s\n' "$1" | while read -r device feature; do
        case $2:$feature in
        on:gso_max_segs=*) echo "link set dev $device gso_max_segs ${feature#*=}" ;;
        off:gso_max_segs=*) echo "link set dev $device gso_max_segs 1" ;;
        esac
    done
}

switch_by_ethtool() {
    to=$2
    printf '%s\n' "$1" | {
        device=''
        while read -r next feature; do
            case $feature in
            '' | *=*) continue ;;
            esac
            if [ "$next" != "$device" ]; then
                [ -z "$device" ] || change_features "$@"
                device=$next
                set -- "$device"
            fi
            set -- "$@" "$feature" "$to"
        done
        [ -z "$device" ] || change_features "$@"
    }
}

# Changes features of one device. Prints the device if not all were changed.
change_features() {
    words=$(ethtool -K "$@" 2>&1) || {
        echo "$1"
        return
    }
    case $words in
    *'[requested '*) echo "$1" ;;
    esac
}

# Reads back which features ethtool left on for the devices $1, records them for later starts, and warns.
note_stuck() {
    for device in $1; do
        features_on "$device" | while read -r _ feature; do
            noted "stuck $device $feature" || {
                note stuck "$device $feature"
                warn "ethtool cannot turn off $feature of $device: aggregates of up to 64 KiB that it makes are charged their overhead once, and hold the line for as long as they take"
            }
        done
    done
}

# Turns the offloads $1 off, and records them first. Those that another link turned off were on before, too.
aggregates_off() {
    [ -n "$1" ] || others 'offload ' >/dev/null || return 0
    {
        printf '%s\n' "$1" | while read -r on; do [ -z "$on" ] || echo "offload $on"; done
        receiving | while read -r device; do others "offload $device [^=]*\$"; done
        sending | while read -r device; do others "offload $device gso_max_segs="; done
    } | while read -r line; do
        [ -z "$line" ] || note "$line"
    done
    note_stuck "$(switch_features "$1" off)"
}

# Prints the offloads that an earlier start turned off and that need not be off any more.
aggregates_left() {
    before offload >/dev/null || return 0
    receive=$newline$(receiving)$newline send=$newline$(sending)$newline
    while read -r what device feature; do
        [ "$what" = offload ] || continue
        kept=$receive
        case $feature in *=*) kept=$send ;; esac
        case $kept in
        *"$newline$device$newline"*) continue ;;
        esac
        [ ! -d "/sys/class/net/$device" ] || others "offload $device $feature\$" >/dev/null || echo "$device $feature"
    done <"$state/before"
}

# Prints the offloads that were on before us, but for those that another link still wants off.
aggregates_before() {
    [ -r "$state/before" ] || return 0
    while read -r what device feature; do
        [ "$what" = offload ] || continue
        [ ! -d "/sys/class/net/$device" ] || others "offload $device $feature\$" >/dev/null || echo "$device $feature"
    done <"$state/before"
}
