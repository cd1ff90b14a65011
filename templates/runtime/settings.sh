# --- settings and batches -----------------------------------------------------------------------------------------

# Everything of ours that `survey` found, as lines for tc: the way in first, so that no packet is sent to a device that
# is going. A root that was someone's comes back in the same step that takes ours away.
removal() {
    for entry in $our_prefs; do
        echo "filter del dev $dev ${entry%%:*} pref ${entry#*:}"
    done
    case $ours in
    *root*)
        words=$1
        case $words in
        '' | default) echo "qdisc del dev $dev root" ;;
        *) echo "qdisc replace dev $dev root $words" ;;
        esac
        ;;
    esac
}

# The settings that are not as described: path and value.
sysctls_off() {
    sysctls | while read -r path value; do
        [ "$(tr '\t' ' ' 2>/dev/null <"/proc/sys/$path")" = "$value" ] || echo "$path $value"
    done
}

# The settings of an earlier start that are described no longer: path, and the value before us.
sysctls_left() {
    before sysctl >/dev/null || return 0
    grep -s '^sysctl ' "$state/before" | while read -r _ path value; do
        sysctls | grep -q "^$path " || others "sysctl $path " >/dev/null || echo "$path $value"
    done
}

# Sets `LINES of PATH VALUE`.
set_sysctls() {
    [ -n "$1" ] || return 0
    printf '%s\n' "$1" | while read -r path value; do
        [ -z "$path" ] || printf '%s\n' "$value" >"/proc/sys/$path" || warn "could not set $path to $value"
    done
}

# What an earlier start set and this one does not: back to what it was before us.
forget_settings() {
    [ -r "$state/before" ] || return 0
    # tunnels {
    forget_tunnels
    # } tunnels
    sysctls=$(sysctls_left)
    set_sysctls "$sysctls"
    back=$(aggregates_left)
    switch_features "$back" on >/dev/null
    queue_left='' marks_gone=''
    [ -n "$txqueuelen" ] || queue_left=$(before txqueuelen)
    [ "$has_marks" = yes ] || marks_gone=$(before marks)
    [ -n "$sysctls$back$queue_left$marks_gone" ] || return 0
    {
        printf '%s\n' "$sysctls" | sed -n 's/^./sysctl &/p'
        printf '%s\n' "$back" | sed -n 's/^./offload &/p'
        [ -z "$queue_left" ] || echo "txqueuelen $queue_left"
        [ -z "$marks_gone" ] || echo "marks $marks_gone"
    } >"$state/left"
    grep -vxFf "$state/left" "$state/before" | rewrite_before
    rm -f "$state/left"
}

# Runs a batch, and on a refusal says which step it was. The comment at the end of each line names the YAML.
run_batch() {
    words=$("$1" -batch "$2" 2>&1) && return 0
    fail "$3"
    refused=''
    case $words in
    *"$2":*)
        number=${words##*"$2":}
        refused=$(sed -n "${number%%[!0-9]*}p" "$2")
        printf '  %s %s\n' "$1" "$refused" >&2
        ;;
    esac
    # Of a usage text, what comes before it says enough.
    printf '%s\n' "$words" | sed -e '/^Command failed /d' -e '/^We have an error/d' -e '/^Usage/,$d' -e 's/^/  /' >&2
    return 1
}

# What still waits in an ifb that is about to go leaves first: nothing comes in there any more. Two seconds at most.
drain() {
    for device in "$ifb1" "$ifb2"; do
        grep -q "^link del dev $device " "$state/last" || continue
        tries=2
        while [ $tries -gt 0 ]; do
            case $(tc -s qdisc show dev "$device" root 2>/dev/null) in
            *'backlog 0b 0p'* | '') break ;;
            esac
            sleep 1
            tries=$((tries - 1))
        done
    done
}

# Succeeds if a file is this script: a script from a pipe has none, and is called as the shell.
is_this_script() {
    [ -f "$1" ] && [ -r "$1" ] || return 1
    while IFS= read -r line; do
        case $line in
        "digest='$digest'") return 0 ;;
        "objects='") return 1 ;;
        esac
    done <"$1"
    return 1
}

# Runs a part of the steps: see empty_parts. Says $2 on a refusal.
run_part() {
    file=$state/$1 tool=ip
    [ "$1" != program ] || tool=tc
    if [ "$1" = first ] && [ -d "/sys/class/net/$probe" ]; then echo "link del dev $probe" >>"$file"; fi
    [ -s "$file" ] || return 0
    [ "$1" != last ] || drain
    run_batch $tool "$file" "$2"
}
