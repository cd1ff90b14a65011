# --- what was before ----------------------------------------------------------------------------------------------

# The file `before` is written before the first change, a fact a line, so that `stop` can put everything back, also
# after a start that was killed:
#   boot ID | device DEV IFINDEX | root WORDS | hook made|shared | tunnel DEV IFINDEX made|shared | marks made |
#   txqueuelen N | sysctl PATH VALUE | offload DEV FEATURE | stuck DEV FEATURE

# A fact of `before`: the rest of the line that begins with these words.
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

# Replaces `before` by what comes in. cat reports a full disk, which busybox grep does not.
rewrite_before() { cat >"$state/before.new" && mv "$state/before.new" "$state/before"; }

# Whether `before` has this line.
noted() {
    [ -r "$state/before" ] || return 1
    while IFS= read -r line; do
        [ "$line" != "$1" ] || return 0
    done <"$state/before"
    return 1
}

# Whether another link's record has such a line: then what we found is its work, not what was before.
others() {
    for record in "$run"/*/before; do
        case $record in
        "$state/before" | "$run/*/before") ;;
        *) grep -s -- "^$1" "$record" && return 0 ;;
        esac
    done
    return 1
}

# The words with which tc makes the root qdisc that it showed: our own root stands for the record, the kernel's default
# for itself. tc shows packets as `1000p`, bytes as `1514b` and seconds as `10sec`, and does not take them back so.
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
    # pfifo_fast shows a map that nobody can set.
    [ "$2" != pfifo_fast ] || set -- q q q q
    shift 4
    while [ $# -gt 0 ]; do
        case $1 in
        refcnt) shift ;;
        limit | flows)
            # Of sfq's defaults, 127 packets for 128 flows, each makes the other 127 when it is given.
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
    # fq_codel shows no sign of ECN where it is off, and turns it on where nothing is said.
    case "$kind$words " in
    *' ecn '*) ;;
    fq_codel*) words="$words noecn" ;;
    esac
    printf '%s\n' "$words"
}

# Keeps what is there now, unless it is our own work that is there. A device that was made anew (a PPPoE session) has
# nothing of what its forerunner had.
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

# What takes away what an earlier start left at the devices of tunnels: nothing must be sent to an ifb that is going, and no
# hook must go that others use by now.
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
