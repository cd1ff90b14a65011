# --- offloads -------------------------------------------------------------------------------------------------------

# GRO and GSO make aggregated packets, which hold the line for long. The receiving device must not aggregate.

# Sets below to the devices given and all below them: bridge ports, parents of VLANs, Ethernet under PPPoE.
with_lower() {
    below=''
    while [ $# -gt 0 ]; do
        device=$1 found=''
        shift
        case "$newline$below$newline" in *"$newline$device$newline"*) continue ;; esac
        [ -d "/sys/class/net/$device" ] || continue
        below="$below${below:+$newline}$device"
        for lower in "/sys/class/net/$device"/lower_* "/sys/class/net/$device"/brif/*; do
            [ -e "$lower" ] || continue
            lower=${lower##*/}
            found="$found ${lower#lower_}"
        done
        read -r kind <"/sys/class/net/$device/type"
        if [ "$kind" = 512 ] && [ -r /proc/net/pppoe ]; then
            while read -r id _ over; do
                [ "$id" = Id ] || found="$found $over"
            done </proc/net/pppoe
        fi
        # shellcheck disable=SC2086 # each word is a device
        set -- $found "$@"
    done
}

# Sets receiving to the devices that must not aggregate packets, sending to those by which own uploads leave.
find_devices() {
    set --
    if [ "$split_up" = yes ] && [ -z "$receivers" ]; then
        for device in /sys/class/net/*; do
            device=${device##*/}
            case $device in
            "$dev" | lo | ifb* | bonding_masters) continue ;;
            esac
            read -r flags <"/sys/class/net/$device/flags"
            [ $((flags & 1)) = 0 ] || set -- "$@" "$device"
        done
    elif [ "$split_up" = yes ]; then
        # shellcheck disable=SC2086 # each word is a device
        set -- $receivers
    fi
    if [ "$split_down" = yes ]; then
        set -- "$@" "$dev"
        for tunnel in $tunnels; do set -- "$@" "${tunnel%:*}"; done
    fi
    with_lower "$@"
    receiving=$below sending=''
    [ "$split_up" = yes ] || return 0
    sending=$dev
    for device in $receivers; do
        [ -d "/sys/class/net/$device" ] || continue
        read -r kind <"/sys/class/net/$device/type"
        [ "$kind" = 1 ] || sending="$sending$newline$device"
    done
}

# Prints the offloads of the devices in receiving and sending. One process shows all, if ethtool has netlink.
show_offloads() {
    find_devices
    printf '== receiving\n%s\n' "$receiving"
    if [ "$ethtool" = yes ] && [ -n "$receiving" ]; then
        echo '== features'
        { ethtool -k '*' || for device in $receiving; do ethtool -k "$device"; done; } 2>/dev/null
    fi
    [ -n "$sending" ] || return 0
    printf '== sending\n%s\n== links\n' "$sending"
    # shellcheck disable=SC2086 # each word is a device
    printf 'link show dev %s\n' $sending | ip -o -d -force -batch - 2>/dev/null
}

not_stuck() {
    while read -r on; do
        [ -z "$on" ] || before "stuck $on" || echo "$on"
    done
}

# Turns the lines `DEVICE FEATURE` in $1 `on` or `off`. Sets failed to the devices that ethtool did not change, and
# unlimited to those that ip left as they are. Some kernels ignore the number, so the same process shows it.
switch_features() {
    failed='' unlimited=''
    [ -n "$1" ] || return 0
    case $1 in
    *=*)
        feature_commands "$1" "$2" '' | ip -o -d -force -batch - >"$state/links" 2>/dev/null
        while read -r _ device line; do
            case $line in
            *' gso_max_segs '[!1]* | *' gso_max_segs 1'[0-9]*) device=${device%:} unlimited="$unlimited ${device%@*}" ;;
            esac
        done <"$state/links"
        ;;
    esac
    switch_by_ethtool "$1" "$2"
}

# Prints the commands that turn the lines `DEVICE FEATURE` in $1 `on` or `off`. Without a prefix $3, only those of ip.
feature_commands() {
    printf '%s\n' "$1" | while read -r device feature; do
        case $2:$feature in
        on:*=*) echo "${3}link set dev $device gso_max_segs ${feature#*=}" ;;
        off:*=*)
            echo "${3}link set dev $device gso_max_segs 1"
            [ -n "$3" ] || echo "link show dev $device"
            ;;
        *:?*) [ -z "$3" ] || echo "ethtool -K $device $feature $2" ;;
        esac
    done
}

switch_by_ethtool() {
    offloads=$1 to=$2 failed='' device=''
    set --
    set -f
    IFS=$newline
    for line in $offloads; do
        case $line in *=*) continue ;; esac
        if [ "${line% *}" != "$device" ]; then
            [ -z "$device" ] || change_features "$@"
            device=${line% *}
            set -- "$device"
        fi
        set -- "$@" "${line#* }" "$to"
    done
    [ -z "$device" ] || change_features "$@"
    unset IFS
    set +f
}

# Changes features of one device.
change_features() {
    if ! words=$(ethtool -K "$@" 2>&1); then
        failed="$failed $1"
        return
    fi
    case $words in
    *'[requested '*) failed="$failed $1" ;;
    esac
}

# Turns the offloads $1 off. Reads back which of them ethtool or ip left on, records them for later starts, and warns.
aggregates_off() {
    switch_features "$1" off
    [ -n "$failed$unlimited" ] || return 0
    {
        for device in $failed; do
            printf '== receiving\n%s\n== features\n' "$device"
            ethtool -k "$device" 2>/dev/null
        done
        for device in $unlimited; do printf '== sending\n%s\n' "$device"; done
        [ -z "$unlimited" ] || { echo '== links' && cat "$state/links"; }
    } | engine late | while read -r device feature; do
        ! before "stuck $device $feature" || continue
        echo "stuck $device $feature" >>"$state/before"
        case $feature in
        *=*) failure="ip cannot set gso_max_segs of $device to 1" ;;
        *) failure="ethtool cannot turn off $feature of $device" ;;
        esac
        warn "$failure: aggregates of up to 64 KiB that it makes" \
            "are charged their overhead once, and hold the line for as long as they take"
    done
}
