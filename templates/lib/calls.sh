# --- the calls ----------------------------------------------------------------------------------------------------

# The device of the last start, by its number: it may have another name by now. Nothing where there is none.
last_device() {
    last=$(before device) || return 1
    for device in "${last% *}" /sys/class/net/*; do
        device=${device##*/}
        number=
        read -r number 2>/dev/null <"/sys/class/net/$device/ifindex"
        if [ "$number" = "${last##* }" ]; then
            echo "$device"
            return 0
        fi
    done
    # Gone, and perhaps another of that name has come: what it was called is all that is left.
    echo "${last% *}"
}

# Unless the caller names a device, `stop` and `status` are about that of the last start.
same_device() {
    [ "$named" = no ] || return 0
    last=$(last_device) && dev=$last
}

# A start on another device than the last one leaves nothing on that. True when there was something to leave.
leave_device() {
    last=$(last_device) || return 1
    [ "$last" != "$dev" ] || return 1
    wanted=$dev dev=$last
    if read_facts; then
        remove
        say "stopped on $last"
    fi
    dev=$wanted
}

prepare() {
    read -r boot </proc/sys/kernel/random/boot_id
    ethtool=no
    command -v ethtool >/dev/null && ethtool=yes
    command -v tc >/dev/null || die "tc is missing (Debian: iproute2, OpenWrt: tc-full)"
}

# Another link whose script has started on our device since this router did.
rival() {
    for record in "$run"/*/before; do
        [ "$record" != "$state/before" ] || continue
        grep -qsx -- "device $dev $ifindex" "$record" || continue
        grep -qsx -- "boot $boot" "$record" || continue
        record=${record%/before}
        echo "${record##*/}"
    done
}

prepare_start() {
    [ "$named" = yes ] || [ -d "/sys/class/net/$dev" ] || same_device
    [ -d "/sys/class/net/$dev" ] || die "there is no device $dev"
    prepare
    take_lock
    read_facts
    look || exit 1
    late=$(aggregates)
}

# Whether start has nothing to do.
in_place() {
    [ "$(recorded)" = "$now" ] && [ -z "$late" ] && [ ! -e "$state/rate" ]
}

start() {
    prepare_start
    leave_trial
    apply
}

# From whatever is there to what is described.
apply() {
    if [ "$(recorded)" = "$now" ] && [ ! -e "$state/rate" ]; then
        [ ! -d "/sys/class/net/ifbp-$link" ] || echo "link del dev ifbp-$link" | ip -batch -
        if [ -z "$late" ]; then
            say "up to date"
        else
            aggregates_off "$late"
            say "up to date; turned off what makes aggregates on: $(printf '%s\n' "$late" | sed 's/ .*//' | sort -u | tr '\n' ' ')"
        fi
        return 0
    fi
    survey
    if [ -n "$foreign" ] && [ "$take_over" = no ]; then
        fail "not ours, so nothing was changed (--take-over removes it):$foreign"
        exit 1
    fi
    rival=$(rival)
    [ -z "$rival" ] || die "link $rival is at work on $dev; stop that first"
    choose_leaves
    take_steps
    marks=kept
    if marks_left; then marks=left; elif marks_late; then marks=late; fi
    [ $marks != late ] || try_marks
    if grep -q '^tc ' "$state/steps"; then
        tried=$leaves${tunnels_refused-}
        preflight
        [ "$leaves${tunnels_refused-}" = "$tried" ] || take_steps
        shortcuts
        # marks {
        warn_rules
        # } marks
    fi
    if leave_device; then
        read_facts
        look || exit 1
        survey
        late=$(aggregates)
        take_steps
        [ "$has_marks" = no ] || marks=late
    fi
    [ "$frames:$header" != auto:22 ] || warn "$dev carries PPPoE frames: they are counted right, but no filter sees the IP packets inside; shape the ppp device instead"
    # tunnels {
    warn_wrapped
    # } tunnels
    if kernel_ignores_mpu; then warn "this kernel ($version) ignores mpu: packets below $mpu bytes are charged less than they take on the line"; fi

    remember
    rm -f "$state/state"
    {
        [ ! -d "/sys/class/net/ifbp-$link" ] || echo "link del dev ifbp-$link"
        ip_first
    } >"$state/batch"
    [ ! -s "$state/batch" ] || run_batch ip "$state/batch" "could not set up the devices" || undo
    aggregates_off "$late"
    set_sysctls "$(sysctls_off)"
    # Before the filters that read them.
    [ $marks != late ] || load_marks || undo
    tc_all >"$state/program"
    began=$(hundredths_up)
    [ ! -s "$state/program" ] || run_batch tc "$state/program" "the kernel refused a step" || undo
    # How long a tree takes, for `plan`: how many lines, and the hundredths of a second that they took together.
    if grep -q '^qdisc replace .* root ' "$state/program"; then
        echo "$(grep -c '' "$state/program") $(($(hundredths_up) - began))" >"$state/speed"
    fi
    [ -n "${tunnels-}" ] || leave_tunnels
    ip_last >"$state/batch"
    if [ -s "$state/batch" ]; then
        drain
        run_batch ip "$state/batch" "could not remove what is not needed any more" || undo
    fi
    if [ $marks = left ]; then unload_marks; fi
    forget_settings
    keep || undo
    case $ours in
    *root*) say "changed on $dev: up $shaped_up, down $shaped_down" ;;
    *) say "started on $dev: up $shaped_up, down $shaped_down" ;;
    esac
}

# The record of a start that went well: what was described, what the kernel then held, and who did it.
keep() {
    look_into "$state/state.new" || return 1
    mv "$state/described.new" "$state/described"
    if [ "$has_marks" = yes ]; then wanted_marks >"$state/marks"; else rm -f "$state/marks"; fi
    [ ! -e "$state/rate" ] || rm -f "$state/rate"
    # tunnels {
    rm -f "$state/refused"
    [ -z "${tunnels_refused-}" ] || echo "$tunnels_refused" >"$state/refused"
    # } tunnels
    if ! grep -qsxF "digest='$digest'" "$state/script"; then
        rm -f "$state/script"
        if grep -qsxF "digest='$digest'" "$0"; then cat "$0" >"$state/script.new" && mv "$state/script.new" "$state/script"; fi
    fi
    mv "$state/state.new" "$state/state"
}

# All or nothing: back to what the last start left where it was ours, and otherwise everything of ours goes. Then
# traffic flows as without us.
undo() {
    # The way back itself: whoever called knows what to do.
    [ -z "${QOSC_LOCK-}" ] || exit 1
    [ "$on_trial" = no ] || end_trial
    was=$ours
    case $was in
    *root* | *filters*)
        if [ -r "$state/script" ]; then
            if put_back "$state/script" "$(rates)"; then
                fail "everything was put back as it was before"
                exit 1
            fi
            fail "the way back failed, too"
        fi
        ;;
    esac
    evicted=$foreign
    remove
    case $evicted:$was in
    ?*:*) fail "what start made was removed again; what --take-over removed is gone:$evicted" ;;
    *root* | *filters*) fail "everything of ours was removed: traffic flows as without it" ;;
    *) fail "everything was put back as it was before" ;;
    esac
    exit 1
}

# Takes away what `start` made, from whatever state it was left in.
remove() {
    if [ -d "/sys/class/net/$dev" ]; then
        look || exit 1
        survey
        # Where no record says it, what has filters of ours and no others is ours.
        if ! hook_before=$(before hook) && [ -n "$our_prefs" ]; then hook_before=made; fi
        {
            removal "$root_before"
            # A root that was somebody's, and that a start had taken away when it was stopped short.
            case $ours:$root in
            *root*:*) ;;
            *' 0: root'*)
                words=$(before root) || words=default
                [ "$words" = default ] || echo "qdisc replace dev $dev root $words"
                ;;
            esac
            [ "$hook_before" != made ] || [ -n "$foreign" ] || [ -z "$hook" ] || echo "qdisc del dev $dev $hook"
        } | tc -force -batch - >/dev/null 2>&1
    fi
    leave_tunnels
    if [ "$has_marks" = yes ] || [ ! -e "$state/before" ] || before marks >/dev/null; then unload_marks; fi
    {
        for device in "$ifb1" "$ifb2" "ifbp-$link"; do
            [ ! -d "/sys/class/net/$device" ] || echo "link del dev $device"
        done
        if queue=$(before txqueuelen) && [ -d "/sys/class/net/$dev" ]; then echo "link set dev $dev txqueuelen $queue"; fi
    } >"$state/batch"
    [ ! -s "$state/batch" ] || ip -force -batch "$state/batch" >/dev/null 2>&1
    aggregates_back
    grep -s '^sysctl ' "$state/before" | while read -r _ path value; do
        others "sysctl $path " >/dev/null || printf '%s\n' "$value" >"/proc/sys/$path"
    done
    rm -f "$state/state" "$state/before" "$state/described" "$state/marks" "$state/script" "$state/rate" "$state/base" "$state/speed" "$state/refused"
}

stop() {
    take_lock
    end_trial
    if [ "$named" = yes ] && last=$(last_device) && [ "$last" != "$dev" ]; then
        say "not started on $dev, but on $last"
        leave
        return 0
    fi
    same_device
    read_facts || ifindex=''
    prepare
    if [ ! -e "$state/before" ] && [ ! -d "/sys/class/net/$ifb1" ] && [ ! -d "/sys/class/net/$ifb2" ] && [ ! -d "/sys/class/net/ifbp-$link" ]; then
        # Without a record and without an ifb there may still be a tree of ours: only the kernel knows.
        ours=''
        if [ -d "/sys/class/net/$dev" ]; then
            look || exit 1
            survey
        fi
        if [ -z "$ours" ]; then
            say "there was nothing to stop"
            leave
            return 0
        fi
    fi
    remove
    say "stopped"
    leave
}

# 0 in place, 1 drifted, 3 not started; sets verdict.
compare() {
    same_device
    read_facts || {
        verdict="not started: there is no device $dev"
        return 3
    }
    prepare
    look || exit 1
    survey
    case $ours in
    *root* | *filters*) ;;
    *)
        verdict="not started"
        return 3
        ;;
    esac
    late=$(aggregates)
    if [ "$(recorded)" = "$now" ] && [ -z "$late" ]; then
        verdict="in place$(at_rates)"
        return 0
    fi
    verdict="drifted$(at_rates)"
    return 1
}

check() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    if [ "$code" = 1 ]; then
        if [ -r "$state/state" ]; then
            printf '%s\n' "$now" | diff "$state/state" - |
                sed -n -e '/^---/d' -e '/^+++/d' -e 's/^[<-] */  was: /p' -e 's/^[>+] */  is:  /p'
        else
            echo "  there is no record of what start made (or another version of this script made it)"
        fi
        [ -z "$late" ] || printf '%s\n' "$late" | sed 's/^/  aggregates on again: /'
    fi
    return "$code"
}

print() {
    [ "$named" = yes ] || [ -d "/sys/class/net/$dev" ] || same_device
    read_facts || die "there is no device $dev"
    prepare
    look || exit 1
    late=$(aggregates)
    if in_place; then
        echo "# up to date: start would change nothing"
        return 0
    fi
    survey
    [ -z "$foreign" ] || [ "$take_over" = yes ] || die "not ours, so nothing would be changed (--take-over removes it):$foreign"
    choose_leaves
    # tunnels {
    choose_tunnels
    # } tunnels
    all=$(steps)
    case $all in
    *"type ifb"*) [ -d /sys/module/ifb ] || echo "modprobe ifb numifbs=0" ;;
    esac
    printf '%s\n' "$all" | sed -e '/^tc /,$d' -e '/^$/d'
    {
        sysctls_off
        sysctls_left
    } | while read -r path value; do echo "echo '$value' >/proc/sys/$path"; done
    printf '%s\n' "$late" | while read -r device feature; do
        case $feature in
        '') ;;
        *=*) echo "ip link set dev $device gso_max_segs 1" ;;
        *) echo "ethtool -K $device $feature off" ;;
        esac
    done
    aggregates_left | while read -r device feature; do
        case $feature in
        *=*) echo "ip link set dev $device gso_max_segs ${feature#*=}" ;;
        *) echo "ethtool -K $device $feature on" ;;
        esac
    done
    marks=kept
    if marks_left; then marks=left; elif marks_late; then marks=late; fi
    if [ $marks = late ]; then
        echo "nft -f - <<'END'"
        marks_program
        echo END
    fi
    printf '%s\n' "$all" | sed -n '/^tc /,$p'
    [ -n "${tunnels-}" ] || tunnels_left | sed 's/^/tc /'
    [ $marks != left ] || echo "nft delete table inet qosc_$link"
}

# For `qosc plan --dump`: each command and its raw output.
dump() {
    same_device
    read_facts || die "there is no device $dev"
    prepare
    look >/dev/null 2>&1
    echo "# qosc dump 1, link $link, script $digest, wan $dev, ifb $ifb, header $header${stab:+, $stab}, ethtool $ethtool"
    dumped uname -r
    dumped tc -V
    for device in "$dev" "$ifb1" "$ifb2"; do
        [ -d "/sys/class/net/$device" ] || continue
        dumped ip -d link show dev "$device"
        dumped tc -d qdisc show dev "$device"
        dumped tc -d class show dev "$device" parent c05:
        dumped tc -d filter show dev "$device" parent c05:
        if [ "$device" = "$dev" ]; then
            dumped tc -d filter show dev "$device" ingress
            dumped tc -d filter show dev "$device" egress
        fi
        [ "$ethtool" = no ] || dumped ethtool -k "$device"
    done
    if [ "$has_marks" = yes ] || before marks >/dev/null; then dumped nft list table inet "qosc_$link"; fi
    dumped ip addr show
    [ ! -r /proc/net/pppoe ] || dumped cat /proc/net/pppoe
    # Every setting that any script of ours knows: the one that is planned may have others than this one.
    for path in net/ipv4/tcp_rmem net/ipv4/tcp_wmem net/core/rmem_max net/core/wmem_max net/ipv4/tcp_ecn; do
        [ ! -r "/proc/sys/$path" ] || dumped cat "/proc/sys/$path"
    done
    echo "==> aggregates up $split_up down $split_down by $receivers"
    aggregates
    echo "==> aggregates_left"
    aggregates_left
    # tunnels {
    echo "==> tunnels"
    tunnels_now
    choose_tunnels
    for tunnel in $through; do echo "through $tunnel"; done
    # } tunnels
    for record in before described marks state rate speed; do
        [ ! -r "$state/$record" ] || dumped cat "$state/$record"
    done
}

dumped() {
    echo "==> $*"
    "$@" 2>&1
}

status() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    [ "$code" != 3 ] || return 3
    printf '  %s, made by qosc from %s; header %s bytes, %s above IP on the line\n' "$dev" "$source" "$header" "$above_ip"
    any_table up "$dev"
    [ ! -d "/sys/class/net/$ifb" ] || any_table down "$ifb"
    # tunnels {
    tunnels_said
    # } tunnels
    return "$code"
}

# Where CAKE schedules, its tins by name.
any_table() {
    case $(tin_names) in
    "$1 "* | *"$newline$1 "*) tin_table "$1" "$2" ;;
    *) table "$1" "$2" ;;
    esac
}

# A tin is served before those with lower numbers as long as it takes no more than its threshold.
tin_table() {
    {
        tin_names
        echo "== qdisc"
        tc -s qdisc show dev "$2" root
    } | awk -v way="$1" '
        $1 == "==" { part = $2; next }
        part == "" { if ($1 == way) { tin[++n] = $2; sub(/^[^ ]+ [^ ]+ /, ""); name[n] = $0 }; next }
        $1 == "thresh" || $1 == "bytes" || $1 == "pkts" || $1 == "drops" || $1 == "backlog" {
            if ($1 == "backlog" && !(("thresh", 1) in said)) next
            for (i = 2; i <= NF; i++) said[$1, i - 1] = $i
        }
        END {
            printf "  %-4s %-28s %10s %10s %14s %11s %9s %9s\n", way, "class", "tin", "threshold", "bytes", "packets", "dropped", "backlog"
            for (i = 1; i <= n; i++) {
                t = tin[i]
                printf "       %-28s %10s %10s %14s %11s %9s %9s\n", name[i], t, said["thresh", t], said["bytes", t], said["pkts", t], said["drops", t], said["backlog", t]
            }
        }'
}

# The classes of a device by name, in the order of the tree. HTB counts what was sent, the leaf what was dropped.
table() {
    {
        class_names
        echo "== class"
        tc -s class show dev "$2" parent c05:
        echo "== qdisc"
        tc -s qdisc show dev "$2"
    } | awk -v way="$1" '
        $1 == "==" { part = $2; next }
        part == "" { id[++n] = $1; depth[$1] = $2; sub(/^[^ ]+ [^ ]+ /, ""); name[id[n]] = $0; next }
        part == "class" && $1 == "class" {
            at = $3; sub(/^c05:/, "", at)
            for (i = 4; i < NF; i++) { if ($i == "rate") rate[at] = $(i + 1); if ($i == "ceil") ceil[at] = $(i + 1) }
        }
        part == "qdisc" && $1 == "qdisc" { at = ""; for (i = 4; i < NF; i++) if ($i == "parent") { at = $(i + 1); sub(/^c05:/, "", at) } }
        $1 == "Sent" && part == "class" { sent[at] = $2; packets[at] = $4 }
        $1 == "Sent" && part == "qdisc" && at != "" { dropped[at] = $7; sub(/,/, "", dropped[at]) }
        $1 == "backlog" && part == "qdisc" && at != "" { backlog[at] = $2 }
        END {
            printf "  %-4s %-28s %10s %10s %14s %11s %9s %9s\n", way, "class", "guarantee", "ceiling", "bytes", "packets", "dropped", "backlog"
            for (i = 1; i <= n; i++) {
                c = id[i]
                # The class of a host that asks for nothing in this direction is not there.
                if (!(c in rate) && name[c] ~ /\//) continue
                indent = ""
                for (d = 0; d < depth[c]; d++) indent = indent "  "
                printf "       %-28s %10s %10s %14s %11s %9s %9s\n", indent name[c], rate[c], ceil[c], sent[c], packets[c], dropped[c], backlog[c]
            }
        }'
}

usage() {
    cat <<USAGE
usage: ${0##*/} [--device DEV] [--take-over] [CALL]
  start      (default) brings the router to the described state, from any state; changes nothing where it is already
  stop       removes what start made and nothing else
  restart    stop, then start
  reload     the same as start
  status     the classes with rates, counters, drops and backlog; 0 in place, 1 drifted, 3 not started
  check      compares the kernel with what start left; changes nothing; exits as status
  print      the commands that start would run now; changes nothing
  try SECONDS   starts, and goes back to what was before unless confirmed in time, whatever becomes of this terminal
  confirm    keeps what is on trial
  dump       what this router holds, as one text
  rate UP DOWN  scales the tree in place to other line rates, such as 6.5mbit 25mbit, until the next start; what the
             YAML gives stays, and where it does not fit any more it is cut down until it does
  --device DEV   the WAN device, where its name is known only now (default: $default_dev)
  --take-over    remove a root qdisc or filters that others made
USAGE
}

take_over=no
named=no
on_trial=no
call=''
argument=''
while [ $# -gt 0 ]; do
    case $1 in
    --device)
        case ${2-} in
        '' | . | .. | */* | -* | *[!A-Za-z0-9._^+-]*)
            fail "this is not the name of a device: '${2-}'"
            exit 2
            ;;
        esac
        dev=$2 named=yes
        shift
        ;;
    --take-over) take_over=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        usage >&2
        exit 2
        ;;
    *)
        case $call:$argument in
        '':)
            call=$1
            if [ "$call" = rate ]; then
                take_rates "$@"
                shift 2
            fi
            ;;
        try: | go-back:) argument=$1 ;;
        *)
            usage >&2
            exit 2
            ;;
        esac
        ;;
    esac
    shift
done

case ${call:-start} in
start | reload) start ;;
restart)
    stop || exit 1
    [ "$named" = yes ] || [ ! -d "/sys/class/net/$default_dev" ] || dev=$default_dev
    start
    ;;
stop) stop ;;
status) status ;;
check) check ;;
print) print ;;
dump) dump ;;
rate) set_rates ;;
try)
    case $argument in
    '' | 0* | *[!0-9]* | ??????*)
        fail "try for how many seconds? (1 to 99999)"
        exit 2
        ;;
    esac
    try "$argument"
    ;;
confirm) confirm ;;
go-back) go_back "$argument" ;;
*)
    usage >&2
    exit 2
    ;;
esac
