# --- the call status --metrics ------------------------------------------------------------------------------------

# Sets started to the time of the last start that changed something, and ran to the digest of its script.
find_last_start() {
    started=$(date -r "$state/state" +%s 2>/dev/null)
    ran=${made#by }
    ran=${ran%% *}
}

policers() {
    echo '== policers'
    [ -z "$police_list" ] || printf '%s' "${police_list#?}"
}

policer_hooks() {
    [ -z "$police_list" ] || printf 'filter show dev %s egress\nfilter show dev %s ingress\n' "$dev" "$dev"
}

parts="$parts metrics"
more_calls=$more_calls'
  status --metrics
                 the same with exact counters, for Prometheus'
# shellcheck disable=SC2016 # awk
status_rules="$status_rules"'
@include metrics.awk
'
