# --- before the first change --------------------------------------------------------------------------------------

# Tries on an ifb that no packet reaches, with our options, all that the kernel must be able to do, or ends the script.
preflight() {
    for tool in tc ip awk sed sort grep; do
        command -v "$tool" >/dev/null && continue
        case $tool in
        tc | ip) die "$tool is missing (Debian: iproute2; OpenWrt: $tool-tiny or $tool-full)" ;;
        *) die "$tool is missing (Debian: mawk, sed, coreutils or grep; OpenWrt: busybox)" ;;
        esac
    done
    if [ ! -d /sys/module/ifb ] && [ ! -d "/sys/class/net/$ifb1" ]; then
        # Without numifbs=0, the module would also make ifb0 and ifb1, which would stay.
        modprobe ifb numifbs=0 2>/dev/null || insmod ifb numifbs=0 2>/dev/null
    fi

    : >"$state/probe"
    words=$({
        [ ! -d "/sys/class/net/$probe" ] || echo "link del dev $probe"
        printf 'link add name %s type ifb\nlink set dev %s alias qosc-%s\n' "$probe" "$probe" "$link"
    } | ip -batch - 2>&1) || {
        fail "this kernel or this ip cannot make an ifb" \
            "(module ifb and iproute2's ip; OpenWrt: kmod-ifb, and ip-tiny or ip-full)"
        printf '%s\n' "$words" | sed -e '/^Command failed /d' -e 's/^/  /' >&2
        exit 1
    }
    if ! probe_all; then
        echo "link del dev $probe" | ip -batch -
        exit 1
    fi
    if [ "$leaves" = splitting ]; then
        also=''
        ! grep -q -e ' pfifo ' -e ' action police ' "$state/batch" ||
            also='. Police and queues of the kind pfifo do not split them: they charge such a packet its overhead once'
        warn "ethtool is missing (Debian, OpenWrt: ethtool), so offloads stay on." \
            "CAKE splits aggregated packets in the leaf classes, which takes processor time$also"
    fi
    try_tunnels
    # The first batch of the steps deletes the probe.
}

probe_all() {
    case $ours:$root_before in
    *root*:* | *:default) ;;
    *) probe_root "$root_before" || return 1 ;;
    esac
    if [ "$leaves" = splitting ]; then
        tc -batch "$state/batch" >/dev/null 2>&1 && return 0
        warn "no ethtool and no sch_cake here (OpenWrt: ethtool or kmod-sched-cake): aggregates of up to 64 KiB" \
            "stay as they are, are charged their overhead once, and hold the line for as long as they take"
        leaves=whole
        printf 'qdisc del dev %s root\nqdisc del dev %s clsact\n' "$probe" "$probe" | tc -force -batch - >/dev/null 2>&1
        take_steps "$probe" || exit 1
        survey
    fi
    run_batch tc "$state/batch" "this kernel or this tc cannot do what is needed; nothing was changed" && return 0
    case $words in
    *"$state/batch":*) ;;
    *) name_refused ;;
    esac
    case $refused in
    *' of the objects')
        number=${refused##*, line }
        place_of_object "${number%% *}"
        echo "  this is $place" >&2
        ;;
    esac
    packages=kmod-sched-core
    case $refused in *' action police '*) packages="$packages kmod-sched-act-police" ;; esac
    case $refused in *' action ctinfo '*) packages="$packages kmod-sched-ctinfo" ;; esac
    case $refused in *' flower '*) packages="$packages kmod-sched-flower" ;; esac
    case $refused in *' action pedit '*) packages="$packages kmod-sched" ;; esac
    case $refused in
    '') ;;
    *' cake '*)
        echo "  this class needs CAKE, which shares between hosts: module sch_cake (OpenWrt: kmod-sched-cake)." \
            "Without it, give the class \`share: per-flow\` and no \`queue: cake\`" >&2
        ;;
    *) echo "  Debian has the modules for it in the kernel package, OpenWrt in $packages" >&2 ;;
    esac
    return 1
}

# Finds the refused line by trying each alone: a tc that does not know a word does not name the line.
name_refused() {
    printf 'qdisc del dev %s root\nqdisc del dev %s clsact\n' "$probe" "$probe" | tc -force -batch - >/dev/null 2>&1
    while IFS= read -r line; do
        printf '%s\n' "$line" | tc -batch - >/dev/null 2>&1 || {
            refused=$line
            printf '  tc %s\n' "$line" >&2
            return
        }
    done <"$state/batch"
}

# Succeeds if the root qdisc $1 that was there before us could be restored, or need not be.
probe_root() {
    shown=$({
        echo '== tc'
        printf 'qdisc add dev %s root %s\nqdisc show dev %s\nqdisc del dev %s root\n' "$probe" "$1" "$probe" "$probe" |
            tc -d -batch - 2>/dev/null
    } | engine tc)
    [ "$shown" = "$root" ] && return 0
    if [ "$take_over" = yes ]; then
        warn "the root qdisc of $dev cannot be put back on stop: ${root%%"$newline"*}"
        # The record must not ask for it.
        root_lost=yes
        take_steps "$probe" || exit 1
        survey
        return 0
    fi
    fail "the root qdisc of $dev could not be put back as it was on stop; --take-over goes on without:"
    printf '  %s\n' "${root%%"$newline"*}" >&2
    return 1
}
