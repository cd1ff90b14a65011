# --- what the kernel holds ----------------------------------------------------------------------------------------

# All that tc shows of our devices, by one process: first the filters at the hooks, so that these are the lines
# before the first qdisc.
show() {
    {
        printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$dev" "$dev"
        for device in "$dev" "$ifb1" "$ifb2"; do
            [ -d "/sys/class/net/$device" ] || continue
            printf 'qdisc show dev %s\nclass show dev %s parent c05:\nfilter show dev %s parent c05:\n' "$device" "$device" "$device"
        done
    } | tc -force -d -batch - 2>/dev/null
}

# The same in normal form: without counters, without numbers that the kernel deals out anew each time, and without the
# flows that a CAKE holds at the moment. Most lines are of classes and their queues, which have nothing of it but spaces at the end.
normal() {
    sed -e '/^class htb /{' -e 's/ *$//' -e b -e '}' -e '/^qdisc [cfp][a-z_]* [0-9a-f]*: parent c05:/{' -e 's/ *$//' -e b -e '}' \
        -e 's/ refcnt [0-9]*//' -e 's/ direct_packets_stat [0-9]*//' -e 's/ (success [0-9]*)//' \
        -e 's/ (rule hit [0-9]* success [0-9]*)//' -e 's/index [0-9]* ref [0-9]* bind [0-9]* cpmark/cpmark/' \
        -e 's/index [0-9]* ref.*//' -e 's/ref [0-9]* bind.*//' \
        -e 's/ not_in_hw//' -e 's/[[:space:]]*$//' -e '/^$/d' -e '/^class cake /d'
}

# Settings beside the qdiscs, as they are.
settings_now() {
    # While it is down, nothing at all comes in.
    if [ -r "/sys/class/net/$ifb/flags" ]; then
        read -r value <"/sys/class/net/$ifb/flags"
        [ $((value & 1)) = 1 ] && echo "$ifb up" || echo "$ifb down"
    fi
    if [ -n "$txqueuelen" ]; then
        read -r value <"/sys/class/net/$dev/tx_queue_len"
        echo "txqueuelen $value"
    fi
    sysctls | while read -r path _; do
        value=missing
        # Not by `read`, which takes a byte at a time: a setting of numbers gives its first digit and then ends.
        [ -r "/proc/sys/$path" ] && value=$(cat "/proc/sys/$path")
        # A setting of several numbers has tabs between them: as words they compare.
        # shellcheck disable=SC2086
        set -- $value
        echo "sysctl $path $*"
    done
}

# Whose state it is, and what of the machine must be as it was for it to be the same.
see_who() { printf '%s\n' "by $digest on $dev $ifindex, header $header, ethtool $ethtool, boot $boot"; }

# What there is beside the qdiscs.
see_beside() {
    settings_now
    # tunnels {
    tunnels_now
    # } tunnels
    [ -z "$table" ] || printf '%s\n' "$table"
}

# The kernel's state in normal form, in `now`: what `check` compares with the record.
look() {
    seen=$(show | normal)
    if [ -z "$seen" ]; then
        see_nothing
        return 1
    fi
    find_ifb
    table=$(marks_now)
    now=$(see_beside)
    now="$(see_who)
$seen${now:+$newline$now}"
}

# The same into a file, for the record. Not by way of a variable: a shell reads into one by 128 bytes, which for ten
# thousand classes takes longer than tc takes to show them.
look_into() {
    # Not through a pipe either, which two processes fill and empty by turns.
    show >"$state/shown.new"
    {
        see_who
        normal <"$state/shown.new"
    } >"$1"
    if [ ! -s "$state/shown.new" ]; then
        see_nothing
        return 1
    fi
    seen=''
    [ ! -d "/sys/class/net/$ifb2" ] || seen=$(grep 'Redirect to device' "$1")
    find_ifb
    table=$(marks_now)
    see_beside >>"$1"
}

see_nothing() { fail "tc shows nothing of $dev: is this iproute2's tc? (Debian: iproute2; OpenWrt: tc-tiny or tc-full; busybox's cannot be used)"; }

# Succeeds if an ifb is ours. `start` sets an alias on each that it makes. One that was killed before that has left a
# record, and the device down.
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

# What has one of our names and was made by others must not be used, and not be removed later.
refuse_foreign_ifbs() {
    for device in "$ifb1" "$ifb2" "$probe"; do
        [ ! -d "/sys/class/net/$device" ] || our_ifb "$device" ||
            die "the device $device was not made by this script: remove it (ip link del dev $device), or give this link another name in the YAML"
    done
}

# The ifb that downloads pass through.
find_ifb() {
    ifb=$ifb1
    [ -d "/sys/class/net/$ifb2" ] || return 0
    case $seen in
    *"Redirect to device $ifb1)"*) ;;
    *"Redirect to device $ifb2)"*) ifb=$ifb2 ;;
    esac
}

recorded() {
    [ -r "$state/state" ] && cat "$state/state"
}

# Sorts what `show` printed: sets root (the root qdisc's line), root_stab (its size table), hook (ingress, clsact or
# nothing), ours (what of it we made) and foreign (what of it others made and we must not touch).
survey() {
    root='' root_stab='' hook='' foreign='' ours='' our_prefs='' part=hooks
    set -f
    while IFS= read -r line; do
        # Word splitting is the point here: tc's output is words.
        # shellcheck disable=SC2086
        set -- $line
        case $part:${1-} in
        hooks:filter) survey_hook "$@" ;;
        *:qdisc)
            # Each device's root comes first, so the second root is an ifb's.
            case $part:$4 in
            hooks:root) part=wan ;;
            wan:root) part=ifb ;;
            esac
            [ "$part" = ifb ] || survey_wan "$@"
            ;;
        wan:linklayer) [ -n "$root" ] && [ -z "$hook" ] && root_stab=$line ;;
        esac
    done <<RAW
$(printf '%s\n' "$seen" | surveyed)
RAW
    set +f
    [ -z "$table" ] || ours="$ours marks"
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

# The lines of `show` that `survey` looks at, which are few however many classes there are: a shell reads a byte at a time.
surveyed() {
    awk '
        $1 == "qdisc" {
            if ($4 == "root") rooted = 1
            if ($4 == "root" || $2 == "clsact" || $2 == "ingress") print
            next
        }
        $1 == "linklayer" || ($1 == "filter" && !rooted)'
}

survey_wan() {
    case "$2 $3 $4" in
    'htb c05: root' | 'cake c05: root') ours="$ours root" root=$line ;;
    'clsact ffff: parent') hook=clsact ;;
    'ingress ffff: parent') hook=ingress ;;
    *' root')
        root=$line
        case $2:$3 in
        *:0:) ;;
        htb:* | hfsc:* | prio:* | drr:* | qfq:* | mq:* | mqprio:* | multiq:* | cbq:* | ets:* | taprio:* | atm:* | dsmark:*)
            foreign="$foreign
  qdisc $2 $3 at the root of $dev" ;;
        esac
        ;;
    esac
}

survey_hook() {
    kind='' pref=0
    while [ $# -gt 0 ]; do
        case $1 in
        pref) pref=$2 kind=${3-} ;;
        esac
        shift
    done
    at=$pref
    [ "$at" -lt $((ingress_pref + hook_bank)) ] || at=$((at - hook_bank))
    if [ "$at" -ge "$ingress_pref" ] && [ "$at" -lt "$egress_pref" ]; then
        remember_pref ingress "$pref"
    elif [ "$at" -ge "$egress_pref" ] && [ "$at" -lt "$hook_pref_end" ]; then
        remember_pref egress "$pref"
    else
        case $foreign in
        *"filter $kind pref $pref "*) ;;
        *) foreign="$foreign
  filter $kind pref $pref at the ingress or egress of $dev" ;;
        esac
    fi
}

remember_pref() {
    case $our_prefs in
    *" $1:$2 "*) ;;
    *) our_prefs="$our_prefs $1:$2 " ours="$ours filters" ;;
    esac
}
