# --- aggregates ---------------------------------------------------------------------------------------------------

# GRO and GSO hand the shaper up to 64 KiB as one packet: charged its overhead once, and for that long the line is
# taken. What arrives by a device is put together there, so that is where it must be turned off. The router's own TCP
# makes aggregates whatever the device can do; only the number of segments in one can be held down.

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

# Where the YAML names no LAN device, uploads may come in by any.
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

# The devices that must not put packets together.
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

# The devices by which the router's own uploads leave: the WAN device, and tunnels that are no Ethernet.
sending() {
    [ "$split_up" = yes ] || return 0
    echo "$dev"
    for device in $receivers; do
        [ -d "/sys/class/net/$device" ] || continue
        read -r kind <"/sys/class/net/$device/type"
        [ "$kind" = 1 ] || echo "$device"
    done
}

# Everything that makes aggregates now: `DEVICE FEATURE`, or `DEVICE gso_max_segs=N`, one a line. Without what ethtool
# could not turn off: each start would only try again.
aggregates() {
    # Names of devices have no blanks.
    # shellcheck disable=SC2046
    [ "$ethtool" = no ] || features_on $(receiving) | not_stuck
    whole_sends
}

not_stuck() {
    while read -r on; do
        [ -z "$on" ] || noted "stuck $on" || echo "$on"
    done
}

# The features of these devices that make aggregates and are on: `DEVICE FEATURE`, one a line. One process shows those of all devices, unless ethtool was
# built without netlink.
features_on() {
    [ $# -gt 0 ] || return 0
    {
        ethtool -k '*' || for device; do ethtool -k "$device"; done
    } 2>/dev/null | awk -v devices="$*" '
@include features.awk
'
}

# All by one process; none where there is nothing to ask.
whole_sends() {
    lines=$(sending | while read -r device; do echo "link show dev $device"; done)
    [ -n "$lines" ] || return 0
    printf '%s\n' "$lines" | ip -o -d -force -batch - 2>/dev/null | while read -r _ device line; do
        device=${device%:}
        [ -d "/sys/class/net/$device" ] || device=${device%@*}
        # Older versions of ip print nothing after the number.
        case "$line " in
        *' gso_max_segs 1 '*) ;;
        *' gso_max_segs '*)
            line=${line#* gso_max_segs }
            echo "$device gso_max_segs=${line%% *}"
            ;;
        esac
    done
}

# Turns `LINES of DEVICE FEATURE` on or off: one ethtool a device, one ip for all.
switch_features() {
    [ -n "$1" ] || return 0
    lines=$(segments "$1" "$2")
    [ -z "$lines" ] || printf '%s\n' "$lines" | ip -force -batch - >/dev/null 2>&1
    switch_by_ethtool "$1" "$2"
}

# The lines for ip among them.
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

# One ethtool for one device. Prints the device if not all features were changed.
change_features() {
    words=$(ethtool -K "$@" 2>&1) || {
        echo "$1"
        return
    }
    case $words in
    *'[requested '*) echo "$1" ;;
    esac
}

# Reads back which features ethtool left on, keeps them for later starts, and warns. `DEVICES`, one a line.
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

# Turns off what makes aggregates, and remembers it first. What another link has turned off was on before, too.
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

# What an earlier start turned off, where aggregates may be now.
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

# What was on before the first start, but for what another link still wants off.
aggregates_before() {
    [ -r "$state/before" ] || return 0
    while read -r what device feature; do
        [ "$what" = offload ] || continue
        [ ! -d "/sys/class/net/$device" ] || others "offload $device $feature\$" >/dev/null || echo "$device $feature"
    done <"$state/before"
}
