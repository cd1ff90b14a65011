# --- the call follow: rates for a line that varies --------------------------------------------------------------------

# Sets probes to the next router, unless the YAML names addresses. A packet for one hop comes back from it.
find_probes() {
    [ -n "$probes" ] || probes=$({
        ip -4 route show default dev "$dev"
        ip -4 address show dev "$dev"
        ip -6 route show default dev "$dev"
    } | sed -n 's/^default via \(inet6 \)*\([^ ]*\).*/\2/p; s/.* peer \([^ /]*\).*/\1/p' | head -n 1)
    [ -n "$probes" ] || probes=$(ping -n -c 2 -t 1 -I "$dev" 192.0.2.1 2>/dev/null |
        sed -n 's/^From \([^ ]*\) .*exceeded.*/\1/p' | head -n 1)
    [ -n "$probes" ] || die "there is no next router on $dev to ping: name addresses in \`probe\` of \`vary\`"
}

# Adapts the rates until somebody ends it. 3: this script is not started any more. 4: another one is. 5: no prober.
follow_once() {
    [ -z "$switches" ] || choose_variant
    same_device
    [ -d "/sys/class/net/$dev" ] || exit 3
    take_device
    read -r _ ran _ 2>/dev/null <"$state/state" || exit 3
    [ "$ran" = "$digest" ] || exit 4
    find_follower
    [ "$following" != yes ] || die "the rates are followed already"
    find_probes
    case $(command -v fping || command -v ping) in
    *fping) pinger='fping -l -p 50 -b 16' ;;
    *ping)
        pinger='ping -s 16' probes=${probes%% *}
        case $(ping -V 2>&1) in *iputils*) pinger="$pinger -n -i 0.05" ;; esac
        ;;
    *) die "fping or ping is missing (Debian: fping or iputils-ping; OpenWrt: fping)" ;;
    esac
    following=yes rate_up=${line_rates% *} rate_down=${line_rates#* }
    observed=$(observe objects)
    # Only with this option, mawk takes lines as they come.
    case $(awk -W version 2>/dev/null </dev/null) in mawk*) unbuffered='-W interactive' ;; esac
    # An older script may have made them for everybody.
    rm -f "$state/follow" "$state/probes" && mkfifo "$state/probes" || exit 1
    exec 8>"$state/follow" 7<>"$state/probes" && flock -n 8 || exit 1
    # The lock on all links is free for others again.
    leave
    # A prober ends if nobody reads it.
    trap - PIPE
    # The answers of this router itself are the clock. They need no network.
    $pinger 127.0.0.1 >"$state/probes" 2>/dev/null 7<&- 8<&- &
    clock=$!
    # shellcheck disable=SC2086 # addresses
    $pinger -I "$dev" $probes >"$state/probes" 2>/dev/null 7<&- 8<&- &
    follow="$$ $! $bounds $most_delay ${argument:-no} $memory/$link $(date '+%u %H %s')"
    # It may be stopped, because the line is idle.
    trap 'kill "$clock" $! 2>/dev/null; kill -CONT $! 2>/dev/null' EXIT
    trap '' PIPE
    (umask 022 && mkdir -p "$memory" 2>/dev/null)
    # shellcheck disable=SC2094 # a pipe
    code=$({ {
        printf '%s\n== probes\n' "$observed" | engine follow - "$state/probes"
        echo $? >&3
    } | tc -s -force -batch - >"$state/probes" 2>&1; } 3>&1 7<&-)
    [ "$code" != 0 ] || rm -f "$state/follow"
    exit "$code"
}

follow() {
    over='' went=''
    trap 'over=yes; [ ! -p "$state/probes" ] || echo end 1<>"$state/probes"' HUP INT TERM
    while [ -z "$over" ]; do
        follow_once &
        until wait $!; code=$? && ! kill -0 $! 2>/dev/null; do :; done
        case $code:$over in
        0:* | *:yes) ;; # Another call needed the tree, or the user has ended it.
        3:) if [ -n "$went" ]; then exit 0; else die "it is not started"; fi ;;
        4:) [ -e "$state/trial" ] || die "another script is started" ;;
        5:) ;;
        *) exit "$code" ;;
        esac
        went=yes
        [ "$code$over" = 0 ] || sleep 2
    done
}

memory=${QOSC_MEMORY:-/var/lib/qosc} parts="$parts follow"
more_calls=$more_calls'
  follow         adapts the rates to a line that varies until it is ended; --dry-run only says what it would do'
# shellcheck disable=SC2016 # awk
engine_rules=$engine_rules'
@include follow.awk
'
