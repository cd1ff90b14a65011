# --- the observed state ---------------------------------------------------------------------------------------------

# Prints what tc shows of our devices, with one process. The lines before the first qdisc are the filters at the hooks.
show() {
    {
        printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$dev" "$dev"
        for device in "$dev" "$ifb1" "$ifb2"; do
            [ -d "/sys/class/net/$device" ] || continue
            printf 'qdisc show dev %s\nclass show dev %s parent c05:\nfilter show dev %s parent c05:\n' "$device" "$device" "$device"
        done
    } | tc -force -d -batch - 2>/dev/null
}

# Reads the sections of `observe`, and prints all that `look` needs, or the part $1 of it. $2 may name a script that
# is compared with this one.
read_sections() {
    QOSC_SCRIPT=$0 awk -v only="$1" -v script="${2-}" \
        -v who="by $digest on $dev $ifindex, header $header, ethtool $ethtool, boot $boot" \
        -v dev="$dev" -v ifb1="$ifb1" -v ifb2="$ifb2" -v txqueuelen="$txqueuelen" \
        -v record="$state/state" -v before="$state/before" -v ingress_pref="$ingress_pref" \
        -v egress_pref="$egress_pref" -v hook_pref_end="$hook_pref_end" -v hook_bank="$hook_bank" '
@include look.awk
'
}

# Prints what this router holds, from one process of each tool. `offloads` in $1 adds the offloads.
observe() {
    echo '== sysctls'
    sysctls
    # tunnels {
    echo '== tunnels'
    tunnels_now
    # } tunnels
    echo '== marks'
    marks_now
    echo '== tc'
    show
    case $1 in *offloads*) show_offloads ;; esac
}

# Sets from the observed state: now (that state in normal form), same (yes if it is as recorded), ifb (the device to
# which downloads are redirected), root and root_stab (root qdisc, its size table), hook (ingress, clsact or empty),
# ours and our_prefs (our objects, our filters), and foreign (which we must not touch).
# `offloads` in $1 sets late, too: the offloads that are on. `script` sets unedited.
look() {
    same=no unedited=no root='' root_stab='' hook='' ours='' our_prefs='' foreign='' late=''
    script=''
    case ${1-} in *script*) [ ! -e "$state/script" ] || script=$state/script ;; esac
    now=$(observe "${1-}" | read_sections '' "$script")
    if [ -z "$now" ]; then
        see_nothing
        return 1
    fi
    while IFS= read -r line; do
        words=${line#* }
        case $line in
        'same '*) same=$words ;;
        'unedited '*) unedited=$words ;;
        'ifb '*) ifb=$words ;;
        'hook '*) hook=$words ;;
        'root '*) root=$words ;;
        'stab '*) root_stab=$words ;;
        'ours'*) ours=${line#ours} ;;
        'prefs'*) our_prefs=${line#prefs} ;;
        'foreign '*) foreign="$foreign$newline  $words" ;;
        'late '*) late="$late${late:+$newline}$words" ;;
        esac
    done <<FACTS
${now%%"$newline$newline"*}
FACTS
    now=${now#*"$newline$newline"}
}

# Completes what `look` has set, for a start that is not up to date: ours and foreign, and root_before (root before us).
survey() {
    ! our_ifb "$ifb1" || ours="$ours ifb"
    ! our_ifb "$ifb2" || ours="$ours ifb"
    if [ "$hook:$needs_egress" = ingress:yes ]; then
        foreign="$foreign
  qdisc ingress at the ingress of $dev (uploads are policed at the egress, which takes a clsact)"
    fi
    root_before=$(root_words)
    case $ours:$foreign in
    *root*:*) root_before=$(before root) || root_before=default ;;
    *"at the root of"*) root_before=default ;;
    esac
}

# Writes the observed state to the file $1 as the record.
look_into() {
    observe '' | read_sections state >"$1"
    [ ! -s "$1" ] || return 0
    see_nothing
    return 1
}

see_nothing() { fail "tc shows nothing of $dev: is this iproute2's tc? (Debian: iproute2; OpenWrt: tc-tiny or tc-full; busybox's cannot be used)"; }

# Succeeds if $1 is an ifb with our alias. A start that was killed before setting it left a record, and the ifb down.
our_ifb() {
    [ -d "/sys/class/net/$1" ] || return 1
    alias=''
    read -r alias 2>/dev/null <"/sys/class/net/$1/ifalias"
    [ "$alias" != "qosc-$link" ] || return 0
    [ -z "$alias" ] && [ "$(upness "$1")" = 1 ] || return 1
    [ -e "$state/probe" ] || before boot >/dev/null || return 1
    case $(ip -d link show dev "$1" 2>/dev/null) in
    *' ifb '*) ;;
    *) return 1 ;;
    esac
}

# Ends the script if others made a device with one of our names: it must neither be used nor be removed.
refuse_foreign_ifbs() {
    for device in "$ifb1" "$ifb2" "$probe"; do
        [ ! -d "/sys/class/net/$device" ] || our_ifb "$device" ||
            die "the device $device was not made by this script: remove it (ip link del dev $device), or give this link another name in the YAML"
    done
}
