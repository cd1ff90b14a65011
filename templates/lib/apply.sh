# --- the way there ------------------------------------------------------------------------------------------------

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

# What `--take-over` takes away.
eviction() {
    [ -n "$foreign" ] || return 0
    case $foreign in
    *"at the root of"*) echo "qdisc del dev $dev root" ;;
    esac
    case $foreign in
    *"at the ingress"*) echo "qdisc del dev $dev ${hook:-clsact}" ;;
    esac
}

# The lines for tc that bring this router from what `survey` found to the described state.
program() {
    removal default
    eviction
    [ "$ifb_root" = no ] || echo "qdisc del dev $ifb root"
    if [ "$needs_hook" = yes ]; then
        case $hook:$foreign in
        :* | *:*"at the ingress"*) echo "qdisc add dev $dev clsact" ;;
        esac
    elif [ -n "$hook" ] && [ "$(before hook)" = made ]; then
        echo "qdisc del dev $dev $hook"
    fi
    down_tree
    down_leaves
    down_filters
    up_tree
    up_leaves
    up_filters
    hook_filters
}

up_leaves() { if [ "$leaves" = splitting ]; then up_leaves_splitting; else up_leaves_whole; fi; }
down_leaves() { if [ "$leaves" = splitting ]; then down_leaves_splitting; else down_leaves_whole; fi; }

# How leaves are made: where nothing can turn aggregates off, they must split them.
choose_leaves() {
    leaves=whole
    case $ethtool:$split_up$split_down in
    yes:* | *:nono) ;;
    *) leaves='splitting' ;;
    esac
}

# The lines for ip, before those for tc.
links() {
    if [ "$down" = ifb ]; then
        [ -d "/sys/class/net/$ifb" ] || echo "link add name $ifb type ifb"
        echo "link set dev $ifb txqueuelen 1000 alias qosc-$link up"
    fi
    [ -z "$txqueuelen" ] || echo "link set dev $dev txqueuelen $txqueuelen"
}

# And after them: an ifb that is no longer needed goes when nothing is sent to it any more.
links_after() {
    [ "$down" = ifb ] || [ ! -d "/sys/class/net/$ifb" ] || echo "link del dev $ifb"
}

set_sysctls() {
    sysctls | while read -r path value; do
        printf '%s\n' "$value" >"/proc/sys/$path" || warn "could not set $path to $value"
    done
}

# Runs a batch, and on a refusal says which step it was. The comment at the end of each line names the YAML.
run_batch() {
    words=$("$1" -batch "$2" 2>&1) && return 0
    fail "$3"
    case $words in
    *"$2":*)
        number=${words##*"$2":}
        printf '  %s %s\n' "$1" "$(sed -n "${number%%[!0-9]*}p" "$2")" >&2
        ;;
    esac
    # Of a usage text, what comes before it says enough.
    printf '%s\n' "$words" | sed -e '/^Command failed /d' -e '/^We have an error/d' -e '/^Usage/,$d' -e 's/^/  /' >&2
    return 1
}
