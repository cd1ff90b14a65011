# --- the state before us --------------------------------------------------------------------------------------------

# The file `before` is written before the first change, so that `stop` can restore all, even after a kill. Its lines:
#   boot ID | device DEV IFINDEX | root WORDS | hook made|shared | tunnel DEV IFINDEX made|shared | marks made |
#   txqueuelen N | sysctl PATH VALUE | offload DEV FEATURE | stuck DEV FEATURE

# Prints the rest of the first line of `before` that begins with the words $1. Fails if there is none.
before() {
    [ -r "$state/before" ] || return 1
    while IFS= read -r line; do
        case $line in
        "$1 "*)
            printf '%s\n' "${line#"$1 "}"
            return 0
            ;;
        esac
    done <"$state/before"
    return 1
}

note() {
    noted "$*" || printf '%s\n' "$*" >>"$state/before"
}

# Replaces `before` by the standard input. cat reports a full disk, which busybox grep does not.
rewrite_before() { cat >"$state/before.new" && mv "$state/before.new" "$state/before"; }

# Succeeds if `before` has the line $1.
noted() {
    [ -r "$state/before" ] || return 1
    while IFS= read -r line; do
        [ "$line" != "$1" ] || return 0
    done <"$state/before"
    return 1
}

# Prints another link's lines of `before` that begin with $1. Fails if there are none: then the value is original.
others() {
    for record in "$run"/*/before; do
        case $record in
        "$state/before" | "$run/*/before") ;;
        *) grep -s -- "^$1" "$record" && return 0 ;;
        esac
    done
    return 1
}

# Prints the words with which tc can make the root qdisc again, or `default` for that of the kernel. tc shows
# packets as `1000p`, bytes as `1514b` and seconds as `10sec`, but does not accept these forms.
root_words() {
    set -f
    # shellcheck disable=SC2086 # tc's output is words
    set -- $root
    if [ $# -lt 4 ] || [ "$3" = 0: ]; then
        echo default
        return
    fi
    words="handle $3 "
    [ -z "$root_stab" ] || words="${words}stab ${root_stab# } "
    words=$words$2
    kind=$2
    # pfifo_fast shows a priomap that nobody can set.
    [ "$2" != pfifo_fast ] || set -- q q q q
    shift 4
    while [ $# -gt 0 ]; do
        case $1 in
        refcnt) shift ;;
        limit | flows)
            # The defaults of sfq are 127 packets and 128 flows. Either of them, if given, sets the other to 127.
            case $kind:$1:$2 in
            sfq:limit:127p | sfq:flows:128) shift ;;
            *) words="$words $1" ;;
            esac
            ;;
        *[!0-9]*[pb] | *[!0-9]*sec | *[!0-9/]*/*) words="$words $1" ;;
        [0-9]*[pb]) words="$words ${1%?}" ;;
        [0-9]*sec) words="$words ${1%sec}" ;;
        [0-9]*/[0-9]*) words="$words ${1%%/*}" ;;
        *) words="$words $1" ;;
        esac
        shift
    done
    # fq_codel does not show that ECN is off, but turns it on by default.
    case "$kind$words " in
    *' ecn '*) ;;
    fq_codel*) words="$words noecn" ;;
    esac
    printf '%s\n' "$words"
}

# Adds missing facts to `before`, but never our own work. A device that was made anew (a PPPoE session) needs new facts.
remember() {
    if [ "$(before boot)" != "$boot" ]; then
        printf 'boot %s\ndevice %s %s\n' "$boot" "$dev" "$ifindex" >"$state/before"
    elif [ "$(before device)" != "$dev $ifindex" ]; then
        grep -sE '^(boot|marks|sysctl|offload|stuck|tunnel) ' "$state/before" | rewrite_before
        note device "$dev $ifindex"
    fi
    before root >/dev/null || note root "$root_before"
    if ! before hook >/dev/null; then
        case $hook:$our_prefs in
        '':* | *:?*) note hook made ;;
        *) note hook shared ;;
        esac
    fi
    # tunnels {
    remember_tunnels
    # } tunnels
    [ "$has_marks" = no ] || note marks made
    if [ -n "$txqueuelen" ] && ! before txqueuelen >/dev/null; then
        read -r value <"/sys/class/net/$dev/tx_queue_len"
        note txqueuelen "$value"
    fi
    sysctls | while read -r path _; do
        before "sysctl $path" >/dev/null || remember_sysctl "$path"
    done
}

# Prints the tc lines that remove our filters from tunnel devices before the ifb goes, and hooks that nobody else uses.
tunnels_left() {
    {
        for tunnel in ${tunnels-}; do grep -qs "^tunnel ${tunnel%:*} " "$state/before" || echo "${tunnel%:*} made"; done
        sed -n 's/^tunnel \([^ ]*\) [^ ]* /\1 /p' "$state/before" 2>/dev/null
    } | while read -r device made; do
        printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$device" "$device" | tc -force -batch - 2>/dev/null |
            awk -v device="$device" -v made="$made" -v first="$ingress_pref" -v end="$egress_pref" -v bank="$hook_bank" '
@include hooks_left.awk
'
    done
}

leave_tunnels() {
    [ -n "${tunnels-}" ] || before tunnel >/dev/null || return 0
    tunnels_left | tc -force -batch - >/dev/null 2>&1
    [ -e "$state/before" ] || return 0
    grep -v '^tunnel ' "$state/before" | rewrite_before
}

remember_sysctl() {
    first=$(others "sysctl $1 ")
    if [ -n "$first" ]; then
        note "$first"
    elif [ -r "/proc/sys/$1" ]; then
        note "sysctl $1 $(cat "/proc/sys/$1")"
    fi
}
