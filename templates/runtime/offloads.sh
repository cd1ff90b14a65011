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

# Prints the commands that turn the lines `DEVICE FEATURE` in $1 `on` or `off`.
feature_commands() {
    printf '%s\n' "$1" | while read -r device feature; do
        case $2:$feature in
        on:*=*) echo "ip link set dev $device gso_max_segs ${feature#*=}" ;;
        off:*=*) echo "ip link set dev $device gso_max_segs 1" ;;
        *:?*) echo "ethtool -K $device $feature $2" ;;
        esac
    done
}

# Turns the lines `DEVICE FEATURE` in $1 `on` or `off`, after the lines $3 for ip. Sets failed to those that stay as
# they are, and refused if ip failed. Some kernels ignore a number, so the same process shows it.
switch_features() {
    failed='' refused='' shown='' lines=$3
    set -f
    IFS=$newline
    for line in $1; do
        number=1 show="link show dev ${line% *}$newline"
        [ "$2" = off ] || number=${line#*=} show=''
        case $line in *=*) lines="${lines}link set dev ${line% *} gso_max_segs $number$newline$show" ;; esac
    done
    [ -z "$lines" ] || shown=$(printf '%s' "$lines" | ip -o -d -force -batch - 2>/dev/null) || refused=yes
    for line in $1; do
        unset IFS
        device=${line% *} feature=${line#* }
        case $2:$feature in
        on:*=*) is='' ;;
        off:*=*)
            is=${shown##*" $device"[:@]}
            case "${is%%"$newline"*} " in *' gso_max_segs 1 '*) is='' ;; *) is='[requested off]' ;; esac
            ;;
        *) is=$(ethtool -K "$device" "$feature" "$2" 2>&1) || is="[requested $2]" ;;
        esac
        case $is in *"[requested $2]"*) failed=$failed$line$newline ;; esac
    done
    unset IFS
    set +f
}

# Turns the offloads $1 off. Records those that stay on, so that later starts leave them, and warns.
aggregates_off() {
    switch_features "$1" off ''
    set -f
    IFS=$newline
    for stuck in $failed; do
        unset IFS
        ! before "stuck $stuck" || continue
        echo "stuck $stuck" >>"$state/before"
        remembered="${remembered}stuck $stuck$newline" remaining="${remaining}stuck $stuck$newline"
        case $stuck in
        *=*) failure="ip cannot set gso_max_segs of ${stuck% *} to 1" ;;
        *) failure="ethtool cannot turn off ${stuck#* } of ${stuck% *}" ;;
        esac
        warn "$failure: aggregates of up to 64 KiB that it makes" \
            "are charged their overhead once, and hold the line for as long as they take"
    done
    unset IFS
    set +f
}
