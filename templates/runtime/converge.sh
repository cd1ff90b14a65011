# --- from what is there to what is described ----------------------------------------------------------------------

# What is described, for this router: the lines above with `@wan` and `@ifb` for the two devices, so that they can be
# held against those of an earlier start; at other line rates than those of the YAML where `rate` has set some.
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

# The objects for this router. With the name of a device: a trial of them there.
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

# How leaves are made: where nothing can turn aggregates off, they must split them.
choose_leaves() {
    leaves=whole
    case $ethtool:$split_up$split_down in
    yes:* | *:nono) ;;
    *) leaves='splitting' ;;
    esac
}

# 0 where there is no such device, 1 where it is down, 2 where it is up.
upness() {
    [ -d "/sys/class/net/$1" ] || {
        echo 0
        return
    }
    read -r flags <"/sys/class/net/$1/flags"
    echo $((1 + (flags & 1)))
}

# The commands that bring this router from what it holds to what is described, in the order in which they run: `ip`
# before the first `tc` and after the last. Nothing is touched that is as it should be. A file may hold what is described.
steps() {
    # Where it is described no longer, what it was before us.
    queue='' want_queue=$txqueuelen
    [ -n "$want_queue" ] || want_queue=$(before txqueuelen)
    [ -z "$want_queue" ] || read -r queue <"/sys/class/net/$dev/tx_queue_len"
    given=${1-}
    # What of others `--take-over` takes away. A root goes as ours comes.
    evict=''
    case $foreign in *"at the ingress"*) evict=hook ;; esac
    # The record of the last start.
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

# Ends the script if an object has a word with an @ that nothing replaces. `steps` then print no step, but this word.
expect_known() {
    case $1 in
    "? "*) ;;
    *) return 0 ;;
    esac
    number=${1#? }
    word=${number#* }
    place_of_object "${number% *}"
    die "$place: $word is none of the words that are replaced here: @wan @ifb @overhead @ingress_overhead @cake_overhead @cake_leaf_overhead @stab"
}

# Sets place, where a line of the objects stands.
place_of_object() {
    place="line $1 of the objects"
    first=$(grep -n "^objects='" "$0" 2>/dev/null) || return 0
    place="line $((${first%%:*} + $1 - 1)) of $0"
}

# Makes `steps` write its parts, too: `first` is what ip does before tc, `program` is for tc, and `last` for ip again.
empty_parts() {
    parts=$state
    : >"$parts/first"
    : >"$parts/program"
    : >"$parts/last"
    : >"$parts/trees"
}

# The same, kept for a start that runs them. What is described is told once: it is the record when all went well.
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
