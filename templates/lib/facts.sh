# --- what only the router knows -----------------------------------------------------------------------------------

say() { printf '%s: %s\n' "$link" "$*"; }
warn() { printf '%s: warning: %s\n' "$link" "$*" >&2; }
fail() { printf '%s: error: %s\n' "$link" "$*" >&2; }

die() {
    fail "$@"
    exit 1
}

# Whether a PPPoE session of this router runs over the device.
carries_pppoe() {
    [ -r /proc/net/pppoe ] || return 1
    while read -r _ _ over; do
        [ "$over" = "$dev" ] && return 0
    done </proc/net/pppoe
    return 1
}

# The header that the device's packets already have above IP when the kernel charges them, and from it what the kernel
# must be told. Only a size table on the root can take bytes off a packet, so that is where a remainder below 0 goes.
read_facts() {
    [ -d "/sys/class/net/$dev" ] || return 1
    read -r type <"/sys/class/net/$dev/type"
    read -r ifindex <"/sys/class/net/$dev/ifindex"
    header=0
    if [ "$type" = 1 ]; then
        header=14
        case $frames in
        pppoe) header=22 ;;
        auto) carries_pppoe && header=22 ;;
        esac
    fi
    # The ingress hook sees a packet without its Ethernet header, which an ifb then gets back.
    ingress_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
    [ "$ingress_overhead" -ge 0 ] || ingress_overhead=0
    overhead=$((above_ip - header))
    stab=''
    if [ "$overhead" -lt 0 ]; then
        stab="stab overhead $overhead linklayer ethernet"
        overhead=0
    fi
}

# HTB and police took no notice of mpu from Linux 3.8 to 5.16, and the older long-term kernels until January 2022.
kernel_ignores_mpu() {
    [ "$mpu" -gt 0 ] || return 1
    read -r release </proc/sys/kernel/osrelease
    major=${release%%.*}
    rest=${release#*.}
    minor=${rest%%[!0-9]*}
    case $rest in
    *.*) patch=${rest#*.} patch=${patch%%[!0-9]*} ;;
    *) patch=0 ;;
    esac
    case $major.$minor in
    5.16) [ "${patch:-0}" -lt 3 ] ;;
    5.15) [ "${patch:-0}" -lt 17 ] ;;
    5.10) [ "${patch:-0}" -lt 94 ] ;;
    5.4) [ "${patch:-0}" -lt 174 ] ;;
    4.19) [ "${patch:-0}" -lt 226 ] ;;
    4.14) [ "${patch:-0}" -lt 263 ] ;;
    [0-4].* | 5.[0-9] | 5.1[0-4]) true ;;
    *) false ;;
    esac
}

leave() {
    trap - EXIT
    rm -f "$state/lock" "$state/batch" "$state/program"
    rmdir "$state" 2>/dev/null && rmdir "$run" 2>/dev/null
    return 0
}

# One run at a time. A lock whose holder is gone is no lock: the number in it is not a running shell of this script.
take_lock() {
    mkdir -p "$state" || die "cannot write $state"
    tries=0
    until (set -C && echo "$$" >"$state/lock") 2>/dev/null; do
        holder=''
        read -r holder 2>/dev/null <"$state/lock"
        if [ -n "$holder" ] && [ -d "/proc/$holder" ]; then
            tries=$((tries + 1))
            [ "$tries" -le 30 ] || die "process $holder has been at work on this link for 30 seconds; try again later"
            sleep 1
        else
            rm -f "$state/lock"
        fi
    done
    trap leave EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
