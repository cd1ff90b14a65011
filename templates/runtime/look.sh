# --- the observed state, and the way to the desired state -----------------------------------------------------------

# Prints what tc shows of our devices, with one process. The lines before the first qdisc are the filters at the hooks.
# The engine sees nothing without the last line: then tc was killed, or failed.
show() { show_lines | tc -d -batch - 2>/dev/null && echo '== shown'; }

show_lines() {
    printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$dev" "$dev"
    for device in "$up" "$ifb1"; do
        [ -d "/sys/class/net/$device" ] || continue
        printf 'qdisc show dev %s\nclass show dev %s parent c05:\n' "$device" "$device"
        for class in '' a000 b000; do printf 'filter show dev %s parent c05:%s\n' "$device" "$class"; done
    done
    # The hook, and perhaps a tree of a start that queued uploads at the device itself.
    [ "$up" = "$dev" ] || printf 'qdisc show dev %s\n' "$dev"
}

# Sets who to the first line of the record that this script makes of its device.
find_who() { who="by $digest on $dev $ifindex, header $header, ethtool $ethtool, boot $boot"; }

# Reads the sections of `observe` and of more files, and prints facts, or what $1 asks for.
engine() {
    only=$1
    shift
    QOSC_RECORDS=''
    for record in "$run"/*/before; do QOSC_RECORDS=$QOSC_RECORDS$record$newline; done
    leaves_up=no leaves_down=no
    [ "$leaves" = whole ] || leaves_up=$split_up leaves_down=$split_down
    ! has tunnels || why_no_tunnels
    export QOSC_RECORDS
    find_who
    # shellcheck disable=SC2086 # an option of mawk
    awk $unbuffered -v only="$only" -v who="$who" \
        -v link="$link" -v digest="$digest" -v boot="$boot" -v netns="$netns" -v dev="$dev" -v ifindex="$ifindex" \
        -v ifb1="$ifb1" -v ifb2="$ifb2" -v up="$up" -v ifbu="$ifbu" -v state="$state" -v sys="$sys" -v given="$given" \
        -v default_dev="$default_dev" -v txqueuelen="$txqueuelen" -v has_marks="$has_marks" \
        -v needs_hook="$needs_hook" -v needs_egress="$needs_egress" -v take_over="$take_over" \
        -v given_receivers="$receivers" -v header="$header" -v overhead="$overhead" \
        -v ingress_overhead="$ingress_overhead" -v root_lost="$root_lost" \
        -v cake_overhead="$cake_overhead" -v cake_leaf_overhead="$cake_leaf_overhead" -v stab_words="$stab" \
        -v leaves_up="$leaves_up" -v leaves_down="$leaves_down" -v instead="$instead" -v anew="$anew" \
        -v rate_up="${rate_up%bit}" -v rate_down="${rate_down%bit}" -v tunnels_wanted="$tunnels" \
        -v no_tunnels="$no_tunnels" -v only_as_before="$only_as_before" -v ingress_pref="$ingress_pref" \
        -v egress_pref="$egress_pref" -v hook_pref_end="$hook_pref_end" -v hook_bank="$hook_bank" \
        -v mpu="$mpu" -v explain="$explain" -v follow="$follow" -v following="${following#died}" "$engine_rules"'
@include engine.awk
@include observed.awk
@include offloads.awk
@include before.awk
@include marks.awk
@include objects.awk
@include steps.awk
' "$@"
}

# Prints what this router holds, from one process of each tool. $1 adds `objects` and `offloads`.
observe() {
    echo '== sysctls'
    sysctls
    ! has tunnels || tunnels_now || return
    echo '== marks'
    marks_now || return
    case $1 in *objects*) description ;; esac
    echo '== tc'
    [ "${2-}" = shown ] || show
    case $1 in *offloads*) show_offloads ;; esac
}

# Prints what this script describes.
description() {
    [ -z "$marks_table" ] || printf '== table\n%s' "${marks_table#?}"
    [ -z "$rate_up" ] || shares
    printf '== objects\n%s\n' "$objects"
}

# Sets the facts of `print_facts` from what `observe $1` prints. Unless $2 is `facts`, also finds the steps.
look() {
    try_look "$1" "$2"
    expect_seen
}

# Does the same, but seen may be `no`: what an awk that failed has printed may be cut.
try_look() {
    words=$(observe "$1" | engine "$2") || words=''
    read_engine "$words"
}

# Fails with a message if not everything could be read.
expect_seen() {
    [ "$seen" != yes ] || return 0
    command -v awk >/dev/null || die "awk is missing (Debian: mawk; OpenWrt: busybox)"
    fail "tc does not show all of $dev, or awk failed: is there enough memory, and is this iproute2's tc?" \
        "(Debian: iproute2; OpenWrt: tc-tiny or tc-full; busybox's cannot be used)"
    return 1
}

# Sets the variables that the facts $1 name.
read_engine() {
    seen=no same=no unedited=no unknown='' hook='' root='' ours='' our_prefs='' foreign='' rival=''
    foreign_hook='' root_noted=''
    late='' fresh='' root_before='' hook_before='' queue_before='' before_was='' cut='' remembered='' remaining=''
    sysctls_off='' sysctls_left='' sysctls_before='' aggregates_left='' aggregates_before='' marks_state=kept
    tree_lines='' swapped='' drift='' differences='' early='' first='' program='' final='' description='' observed=''
    eval "$1"
}

# Adds our ifbs to the list of our objects.
add_ifbs() {
    for device in "$ifb1" "$ifb2" "$ifbu"; do ! our_ifb "$device" || ours="$ours ifb"; done
}

# Finds the steps.
take_steps() { look 'objects offloads' ''; }

# Ends the script if it cannot go on: an object has an unknown word, or there is too little space.
expect_possible() {
    expect_known
    try_space $((5 * ${#description}))
}

# Ends the script if an object has a word with an @ that nothing replaces.
expect_known() {
    [ -n "$unknown" ] || return 0
    word=${unknown#* }
    place_of_object "${unknown% *}"
    case $word in
    @*) ;;
    *) die "$place: an object begins with qdisc, class or filter, and its device is @wan or @ifb: what is $word?" ;;
    esac
    die "$place: $word is none of the words that are replaced here: @wan @ifb @overhead @ingress_overhead" \
        "@cake_overhead @cake_leaf_overhead @stab"
}

# Sets place, where line $1 of the objects is in this script.
place_of_object() {
    place="line $1 of the objects"
    first=$(grep -n "^objects='" "$0" 2>/dev/null) || return 0
    place="line $((${first%%:*} + $1 - 1)) of $0"
}

# Ends the script if there is too little space for $1 bytes. It writes as many, which takes no process.
try_space() {
    lacking=''
    { printf "%$(($1 + 16384))s" '' >"$state/next"; } 2>/dev/null || lacking=yes
    true >"$state/next"
    [ -z "$lacking" ] || die "there is too little space in $run; free some, and try again"
}

# Sets leaves: splitting if nothing can turn offloads off. leaves_refused: the last start made no CAKE.
choose_leaves() {
    leaves=whole leaves_refused=''
    case $ethtool:$split_up$split_down in
    yes:* | *:nono) return ;;
    esac
    if [ -z "${1-}" ] && [ -e "$state/state" ] && ! grep -q '^qdisc add [^#]* cake ' "$state/state"; then
        leaves_refused=yes
    else
        leaves='splitting'
    fi
}

# Computes the steps again if the last start found that this kernel cannot do something. Each change tries it again.
retry_refused() {
    [ -n "$leaves_refused$tunnels_refused" ] || return 0
    choose_leaves again
    tunnels_refused=''
    take_steps
}

# Succeeds if $1 is an ifb with our alias. A start that was killed before setting it left a record, and the ifb down.
our_ifb() {
    [ -d "/sys/class/net/$1" ] || return 1
    alias='' flags=0
    read -r alias 2>/dev/null <"/sys/class/net/$1/ifalias"
    [ "$alias" != "qosc-$link" ] || return 0
    read -r flags 2>/dev/null <"/sys/class/net/$1/flags"
    [ -z "$alias" ] && [ $((flags & 1)) = 0 ] || return 1
    [ -e "$state/probe" ] || before boot || return 1
    case $(ip -d link show dev "$1" 2>/dev/null) in
    *' ifb '*) ;;
    *) return 1 ;;
    esac
}

# Ends the script if another link is at work on this device.
refuse_rival() {
    [ -z "$rival" ] ||
        die "link $rival is at work on $dev: stop it with its own script, such as \`/etc/qosc/$rival.sh stop\`," \
            "or give this link its name in the YAML (name: $rival), which keeps its state"
}

# Ends the script if others made a device with one of our names: it must neither be used nor be removed.
refuse_foreign_ifbs() {
    for device in "$ifb1" "$ifb2" "$ifbu" "$probe"; do
        [ ! -d "/sys/class/net/$device" ] || our_ifb "$device" ||
            die "the device $device was not made by this script: remove it (ip link del dev $device)," \
                "or give this link another name in the YAML"
    done
}
