# --- from the observed to the desired state -------------------------------------------------------------------------

# Prints the desired state at the rates in force. `@wan` and `@ifb` make it comparable with that of an earlier start.
described() {
    if [ -n "$rate_up" ]; then
        scaled "$state/base"
    else
        lines
    fi
}

# tunnels {
lines() { read_objects | with_tunnels; }

# } tunnels
# without tunnels {
lines() { read_objects; }

# } without tunnels

# Prints the objects for this router. If $1 names a device, prints a trial of them on that device.
read_objects() {
    splits='no no'
    [ "$leaves" = whole ] || splits="$split_up $split_down"
    printf '%s\n' "$objects" | awk -v overhead="$overhead" -v ingress_overhead="$ingress_overhead" \
        -v cake_overhead="$cake_overhead" -v cake_leaf_overhead="$cake_leaf_overhead" -v stab="$stab" \
        -v split_up="${splits% *}" -v split_down="${splits#* }" -v instead="${instead-}" \
        -v needs_hook="$needs_hook" -v trial="${1-}" '
@include objects.awk
'
}

# Sets leaves. If nothing can turn offloads off, the leaves must split aggregated packets.
choose_leaves() {
    leaves=whole
    case $ethtool:$split_up$split_down in
    yes:* | *:nono) ;;
    *) leaves='splitting' ;;
    esac
}

# Prints 0 if the device $1 does not exist, 1 if it is down, 2 if it is up.
upness() {
    [ -d "/sys/class/net/$1" ] || {
        echo 0
        return
    }
    read -r flags <"/sys/class/net/$1/flags"
    echo $((1 + (flags & 1)))
}

# Prints the converge steps in their order: `ip` before the first `tc` and after the last. Objects that are as
# desired stay untouched. $1 may name a file with the desired state.
steps() {
    # If the YAML does not set it any more, it gets its original value.
    queue='' want_queue=$txqueuelen
    [ -n "$want_queue" ] || want_queue=$(before txqueuelen)
    [ -z "$want_queue" ] || read -r queue <"/sys/class/net/$dev/tx_queue_len"
    given=${1-}
    # `--take-over` removes the hook of others. Our root qdisc replaces theirs anyway.
    evict=''
    case $foreign in *"at the ingress"*) evict=hook ;; esac
    set --
    # tunnels {
    set -- "tunnels_made= $(tunnels_made)"
    # } tunnels
    if [ -r "$state/described" ]; then
        set -- "$@" part=was "$state/described"
        [ ! -r "$state/state" ] || set -- "$@" part=held "$state/state"
    fi
    {
        printf '%s\n' "$now"
        echo '== wanted'
        [ -n "$given" ] || described
    } | awk -v link="$link" -v wan="$dev" -v ifb1="$ifb1" -v ifb2="$ifb2" \
        -v up1="$(upness "$ifb1")" -v up2="$(upness "$ifb2")" \
        -v evict="$evict" -v hooked="$hook" -v hook_made="$(before hook)" -v needs_hook="$needs_hook" \
        -v queue="$queue" -v txqueuelen="$want_queue" -v root_bank="$root_bank" -v parts="${parts-}" \
        -v ingress_pref="$ingress_pref" -v egress_pref="$egress_pref" -v hook_bank="$hook_bank" '
@include steps.awk
' "$@" part=now - ${given:+"$given"}
}

# Ends the script if the steps $1 are only `? LINE WORD`: an object has a word with an @ that nothing replaces.
expect_known() {
    case $1 in
    "? "*) ;;
    *) return 0 ;;
    esac
    number=${1#? }
    word=${number#* }
    place_of_object "${number% *}"
    case $word in
    @*) ;;
    *) die "$place: an object begins with qdisc, class or filter, and its device is @wan or @ifb: what is $word?" ;;
    esac
    die "$place: $word is none of the words that are replaced here: @wan @ifb @overhead @ingress_overhead @cake_overhead @cake_leaf_overhead @stab"
}

# Sets place, where line $1 of the objects is in this script.
place_of_object() {
    place="line $1 of the objects"
    first=$(grep -n "^objects='" "$0" 2>/dev/null) || return 0
    place="line $((${first%%:*} + $1 - 1)) of $0"
}

# Makes `steps` write its parts, too: `first` for ip, `program` for tc, and `last` for ip again.
empty_parts() {
    parts=$state
    : >"$parts/first"
    : >"$parts/program"
    : >"$parts/last"
    : >"$parts/trees"
}

# Writes the steps to a file for a start, and the desired state, which becomes the record if all goes well.
take_steps() {
    # tunnels {
    choose_tunnels
    # } tunnels
    [ -z "$rate_up" ] || at_own_rates
    # If there is no space for it, `reserve` says so.
    described 2>/dev/null >"$state/described.new"
    empty_parts 2>/dev/null
    steps "$state/described.new" 2>/dev/null >"$state/steps"
    words=''
    IFS= read -r words <"$state/steps"
    expect_known "$words"
    parts=''
    reserve
}
