# --- the call status ----------------------------------------------------------------------------------------------

status() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    [ "$code" != 3 ] || return 3
    printf '  %s, made by qosc from %s; header %s bytes, %s above IP on the line\n' \
        "$dev" "$source" "$header" "$above_ip"
    {
        echo '== tins'
        tins
        echo '== objects'
        printf '%s\n' "$objects"
        echo '== shown'
        for device in "$dev" "$ifb"; do
            [ ! -d "/sys/class/net/$device" ] ||
                printf 'qdisc show dev %s\nclass show dev %s parent c05:\n' "$device" "$device"
        done | tc -s -batch -
    } | awk '
@include status.awk
'
    tunnels_said
    return "$code"
}
