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

# Removes counters, numbers that the kernel assigns anew, and the flows of a CAKE from the output of tc. Most
# lines are classes and leaf qdiscs. They only have spaces at the end and skip the other expressions.
normal() {
    sed -e '/^class htb /{' -e 's/ *$//' -e b -e '}' -e '/^qdisc [cfp][a-z_]* [0-9a-f]*: parent c05:/{' -e 's/ *$//' -e b -e '}' \
        -e 's/ refcnt [0-9]*//' -e 's/ direct_packets_stat [0-9]*//' -e 's/ (success [0-9]*)//' \
        -e 's/ (rule hit [0-9]* success [0-9]*)//' -e 's/index [0-9]* ref [0-9]* bind [0-9]* cpmark/cpmark/' \
        -e 's/index [0-9]* ref.*//' -e 's/ref [0-9]* bind.*//' \
        -e 's/ not_in_hw//' -e 's/[[:space:]]*$//' -e '/^$/d' -e '/^class cake /d'
}

# Prints the settings outside of tc as they are now.
settings_now() {
    # While the ifb is down, no download arrives.
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
        # `read` reads a byte at a time, and a file with a number then returns only the first digit.
        [ -r "/proc/sys/$path" ] && value=$(cat "/proc/sys/$path")
        # Tabs separate the numbers of a setting, but the record has single spaces.
        # shellcheck disable=SC2086
        set -- $value
        echo "sysctl $path $*"
    done
}

# Prints the first line of a record: the script, and the facts about the router that must not have changed.
see_who() { printf '%s\n' "by $digest on $dev $ifindex, header $header, ethtool $ethtool, boot $boot"; }

# Prints the state outside of our qdiscs: settings, tunnels and the table of marks.
see_beside() {
    settings_now
    # tunnels {
    tunnels_now
    # } tunnels
    [ -z "$table" ] || printf '%s\n' "$table"
}

# Sets now to the observed state in normal form, which `check` compares with the recorded state.
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

# Writes the observed state to the file $1 as the record. It uses no variable: a shell fills one by 128 bytes,
# which for 10,000 classes takes longer than tc takes to show them.
look_into() {
    # A pipe is slow, too: two processes fill and empty it by turns.
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

# Sets ifb to the device to which downloads are redirected.
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

# Sets from the output of tc: root and root_stab (root qdisc, its size table), hook (ingress, clsact or
# empty), ours and our_prefs (our objects, our filters), foreign (which we must not touch), root_before (root
# before us).
survey() {
    root='' root_stab='' hook='' foreign='' ours='' our_prefs='' part=hooks
    set -f
    while IFS= read -r line; do
        # tc's output is words, so word splitting is intended.
        # shellcheck disable=SC2086
        set -- $line
        case $part:${1-} in
        hooks:filter) survey_hook "$@" ;;
        *:qdisc)
            # The root comes first for each device, so the second root is an ifb's.
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

# Prints the few lines of tc that `survey` needs, because a shell reads a byte at a time.
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
