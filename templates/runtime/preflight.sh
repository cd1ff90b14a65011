# --- before the first change --------------------------------------------------------------------------------------

# Ends the script if a tool is missing, or if the root qdisc that others made could not be restored.
preflight() {
    for tool in ip sed sort grep; do
        command -v "$tool" >/dev/null ||
            die "$tool is missing (Debian: iproute2, sed, coreutils or grep; OpenWrt: ip-tiny or ip-full, or busybox)"
    done
    if [ ! -d /sys/module/ifb ] && [ ! -d "/sys/class/net/$ifb1" ]; then
        # Without numifbs=0, the module would also make ifb0 and ifb1, which would stay.
        modprobe ifb numifbs=0 2>/dev/null || insmod ifb numifbs=0 2>/dev/null
    fi
    case $ours:$root_before in
    *root*:* | *:default) ;;
    *) try_root ;;
    esac
    [ "$leaves" != splitting ] || try_splitting
    ! has tins || try_queues
    ! has tunnels || try_tunnels
}

# Tries tc lines on an ifb that no packet reaches, prints what tc shows, and fails if the kernel refuses one. $1 has
# options of the ifb.
try_out() {
    true >"$state/probe"
    {
        [ ! -d "/sys/class/net/$probe" ] || echo "link del dev $probe"
        printf 'link add name %s%s type ifb\nlink set dev %s alias qosc-%s\n' "$probe" "$1" "$probe" "$link"
    } | ip -batch - >/dev/null 2>&1 || return 1
    tc -d -batch - 2>/dev/null
    code=$?
    echo "link del dev $probe" | ip -batch -
    return $code
}

# Ends the script if the root qdisc that others made could not be restored.
try_root() {
    shown=$({
        echo '== tc'
        printf 'qdisc add dev %s root %s\nqdisc show dev %s\nqdisc del dev %s root\n' \
            "$probe" "$root_before" "$probe" "$probe" | try_out ''
    } | engine tc)
    [ "$shown" != "$root" ] || return 0
    if [ "$take_over" = no ]; then
        fail "the root qdisc of $dev could not be put back as it was on stop; --take-over goes on without:"
        printf '  %s\n' "${root%%"$newline"*}" >&2
        exit 1
    fi
    warn "the root qdisc of $dev cannot be put back on stop: ${root%%"$newline"*}"
    # The record must not ask for it.
    root_lost=yes
    take_steps || exit 1
    add_ifbs
}

# Without ethtool, CAKE splits aggregated packets, or else nothing does.
try_splitting() {
    if echo "qdisc add dev $probe root $instead" | sed 's/@memory/4194304/' | try_out ''; then
        also=''
        case $program in *' pfifo '* | *' action police '*)
            also='. Police and queues of the kind pfifo do not split them: they charge such a packet its overhead'
            also="$also once"
            ;;
        esac
        warn "ethtool is missing (Debian, OpenWrt: ethtool), so offloads stay on." \
            "CAKE splits aggregated packets in the leaf classes, which takes processor time$also"
        return
    fi
    warn "no ethtool and no sch_cake here (OpenWrt: ethtool or kmod-sched-cake): aggregates of up to 64 KiB" \
        "stay as they are, are charged their overhead once, and hold the line for as long as they take"
    leaves=whole
    take_steps || exit 1
    add_ifbs
}

# Names the packages with the modules for the refused line.
name_packages() {
    packages=kmod-sched-core
    case $refused in *' action police '*) packages="$packages kmod-sched-act-police" ;; esac
    case $refused in *' action ctinfo '*) packages="$packages kmod-sched-ctinfo" ;; esac
    case $refused in *' action pedit '*) packages="$packages kmod-sched" ;; esac
    case $refused in
    *' cake '*)
        echo "  this class needs CAKE, which shares between hosts: module sch_cake (OpenWrt: kmod-sched-cake)." \
            "Without it, give the class \`share: per-flow\` and no \`queue: cake\`" >&2
        ;;
    ?*) echo "  Debian has the modules for it in the kernel package, OpenWrt in $packages" >&2 ;;
    esac
}
