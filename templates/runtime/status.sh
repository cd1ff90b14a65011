# --- the call status ----------------------------------------------------------------------------------------------

status() {
    compare
    code=$? started='' ran=''
    # The time of the last start that changed something, and the digest of its script.
    [ "$metrics" = no ] || [ "$code" = 3 ] || {
        started=$(date -r "$state/described" +%s 2>/dev/null)
        read -r _ ran _ 2>/dev/null <"$state/state"
    }
    {
        echo '== said'
        printf '%s: %s\n' "$link" "$verdict$waiting"
        [ ! -e "$state/trial" ] || echo "  on trial: $(trial_left)"
        if [ "$code" != 3 ]; then
            printf '  %s, from %s; %s bytes above IP on the line, the kernel counts %s\n' \
                "$dev" "$source" "$above_ip" "$header"
            [ "$metrics" = yes ] || tunnels_said
            printf '== objects\n%s\n== tins\n' "$objects"
            tins
            echo '== policers'
            policers
            echo '== shown'
            {
                for device in "$up" "$ifb"; do
                    [ ! -d "/sys/class/net/$device" ] ||
                        printf 'qdisc show dev %s\nclass show dev %s parent c05:\n' "$device" "$device"
                done
                [ "$metrics" = no ] || policer_hooks
            } | tc -s -force -batch - 2>/dev/null
        fi
    } | awk -v metrics="$metrics" -v link="$link" -v code="$code" -v started="$started" -v ran="${ran%%-*}" \
        -v variant="$variant" -v ingress_pref="$ingress_pref" -v hook_pref_end="$hook_pref_end" \
        -v hook_bank="$hook_bank" '
@include status.awk
@include metrics.awk
'
    return "$code"
}

policer_hooks() {
    [ -z "${police_list-}" ] || printf 'filter show dev %s egress\nfilter show dev %s ingress\n' "$dev" "$dev"
}
