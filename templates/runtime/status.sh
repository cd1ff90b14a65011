# --- the call status ----------------------------------------------------------------------------------------------

status() {
    compare
    code=$? started='' ran=''
    [ "$metrics" = no ] || [ "$code" = 3 ] || find_last_start
    {
        echo '== said'
        printf '%s: %s\n' "$link" "$verdict$waiting"
        [ ! -e "$state/trial" ] || echo "  on trial: $(trial_left)"
        if [ "$code" != 3 ]; then
            printf '  %s, from %s; %s bytes above IP on the line, the kernel counts %s\n' \
                "$dev" "$source" "$above_ip" "$header"
            [ "$metrics" = yes ] || ! has tunnels || tunnels_said
            printf '== objects\n%s\n== tins%s\n' "$objects" "$tin_list"
            [ "$metrics" = no ] || policers
            echo '== shown'
            {
                for device in "$up" "$ifb1"; do
                    [ ! -d "/sys/class/net/$device" ] ||
                        printf 'qdisc show dev %s\nclass show dev %s parent c05:\n' "$device" "$device"
                done
                [ "$metrics" = no ] || policer_hooks
            } | tc -s -force -batch - 2>/dev/null
        fi
    } | awk -v metrics="$metrics" -v link="$link" -v code="$code" -v started="$started" -v ran="${ran%%-*}" \
        -v variant="$variant" -v ingress_pref="$ingress_pref" -v hook_pref_end="$hook_pref_end" \
        -v hook_bank="$hook_bank" "$status_rules"'
@include status.awk
'
    return "$code"
}
