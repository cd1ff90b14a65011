# --- the state before us --------------------------------------------------------------------------------------------

# The file `before` holds what `stop` restores. docs/script.md lists its lines.

# Sets value to the rest of the first line of `before` that begins with the words $1. Fails if there is none.
before() {
    value=''
    [ -r "$state/before" ] || return 1
    while IFS= read -r line; do
        case $line in
        "$1" | "$1 "*)
            value=${line#"$1"} value=${value# }
            return 0
            ;;
        esac
    done <"$state/before"
    return 1
}

# Sets the settings $1, lines of `PATH VALUE`. Fails if the kernel refuses one.
set_sysctls() {
    [ -n "$1" ] || return 0
    # No here-document: some shells write it to a file, but a full disk must not stop a removal.
    printf '%s\n' "$1" | {
        refused=''
        while read -r path value; do
            # The queues of a device go with it.
            case $path in ../*) [ -e "/proc/sys/$path" ] || continue ;; esac
            printf '%s\n' "$value" >"/proc/sys/$path" || {
                warn "could not set $path to $value"
                refused=yes
            }
        done
        [ -z "$refused" ]
    }
}

# Restores the settings and offloads that an earlier start changed and that this one does not need.
forget_settings() {
    set_sysctls "$sysctls_left" || remaining=$remembered
    switch_features "$aggregates_left" on ''
    [ -z "$failed" ] || remaining=$remembered
}

# Removes our filters from tunnel devices. Fails if any may be left.
leave_tunnels() {
    [ -n "$tunnels" ] || before tunnel || return 0
    tunnels_left | tc -force -batch - >/dev/null 2>&1
}

# Prints the tc lines for that. They come before the ifb goes. Hooks that nobody else uses go, too.
tunnels_left() {
    {
        for tunnel in $tunnels; do grep -qs "^tunnel ${tunnel%:*} " "$state/before" || echo "${tunnel%:*} made"; done
        sed -n 's/^tunnel \([^ ]*\) [^ ]* /\1 /p' "$state/before" 2>/dev/null
    } | while read -r device hook_was; do
        [ -d "/sys/class/net/$device" ] || continue
        shown=$(printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$device" "$device" |
            tc -batch - 2>/dev/null) || echo "filters of $device: unknown"
        printf '%s\n' "$shown" | awk -v device="$device" -v made="$hook_was" \
            -v first="$ingress_pref" -v middle="$egress_pref" -v end="$hook_pref_end" -v bank="$hook_bank" '
@include hooks_left.awk
'
    done
}
