# --- the calls ----------------------------------------------------------------------------------------------------

# Sets last to the present name of the device of the last start, which its number identifies. Fails without a record.
last_device() {
    before device || return 1
    for device in "${value% *}" /sys/class/net/*; do
        device=${device##*/} number='' last=$device
        read -r number 2>/dev/null <"/sys/class/net/$device/ifindex"
        [ "$number" != "${value##* }" ] || return 0
    done
    # The device is gone, and another one may have its name. Only the old name is known.
    last=${value% *}
}

# Sets dev to the device of the last start, unless the caller names a device.
same_device() {
    [ "$named" = no ] || return 0
    ! last_device || dev=$last
}

# Sets dev to the device of the last start, if the device of the YAML is missing and was the same for the last start: it
# may have another name by now. Fails if the last start was for another one.
find_device() {
    [ ! -d "/sys/class/net/$dev" ] || return 0
    ! before yaml || [ "$value" = "$default_dev" ] || [ "$named" = yes ] || return 1
    same_device
}

# Sets ethtool, and ends the script without tc.
find_tools() {
    ethtool=no
    command -v ethtool >/dev/null && ethtool=yes
    command -v tc >/dev/null || die "tc is missing (Debian: iproute2; OpenWrt: tc-tiny or tc-full)"
}

absent() {
    [ "$if_present" = yes ] || die "there is no device $dev"
    say "there is no device $dev, so there is nothing to do"
    exit 0
}

# Finds the steps of a start. To see that there are none takes no lock.
prepare_start() {
    find_device
    [ -d "/sys/class/net/$dev" ] || absent
    find_tools
    seen=no
    if [ -s "$state/state" ] && [ ! -e "$state/described" ] && [ ! -e "$state/trial" ]; then
        exec 8<"$state/state"
        survey
        if as_recorded && [ -z "$late" ] && [ "$following" != died ]; then return 0; fi
    fi
    take_lock
    # The steps hold, unless another call has changed something meanwhile.
    # shellcheck disable=SC3013 # dash, bash and ash know -ef
    if [ "$seen" = no ] || [ ! "$state/state" -ef /proc/self/fd/8 ] || [ -s "$state/program" ]; then
        survey
        expect_seen || exit 1
    fi
    exec 8<&-
}

survey() {
    read_device
    find_follower
    [ "$call" = try ] || ! has rate || keep_rates
    try_look 'objects offloads' ''
}

read_device() {
    refuse_foreign_ifbs
    # The device may have gone meanwhile.
    read_facts || absent
    choose_leaves
}

start() {
    prepare_start
    apply
}

stop() {
    take_lock
    pause_follower
    finish_change
    if [ "$named" = yes ] && last_device && [ "$last" != "$dev" ]; then
        say "not started on $dev, but on $last"
        return 0
    fi
    same_device
    read_facts || ifindex=''
    find_tools
    ours=''
    add_ifbs
    if [ ! -s "$state/before" ] && [ -z "$ours" ] && ! our_ifb "$probe"; then
        # Without a record and an ifb, only the kernel knows whether there is still a tree of ours.
        if [ -d "/sys/class/net/$dev" ]; then
            look '' facts || exit 1
            add_ifbs
            # Another link's tree is not ours.
            [ -z "$rival" ] || ours=''
        fi
        if [ -z "$ours" ]; then
            end_trial
            say "there was nothing to stop"
            return 0
        fi
    fi
    remove || return 1
    end_trial
    say "stopped"
}

# What adapts the rates holds the lock on `follow`, and reads the pipe `probes` until a line says `end`. It may belong
# to an earlier script.

# Sets following to `yes` if that is at work, to `died` if it has ended without going back, or to nothing.
find_follower() {
    following=''
    [ ! -e "$state/follow" ] || following=died
    [ -z "$following" ] || flock -n "$state/follow" true || following=yes
}

# Lets it put the rates of the file back, and waits for that. Fails if it was not at work.
pause_follower() {
    find_follower
    [ "$following" = yes ] || return 1
    # The pipe of one that hangs may be full.
    echo end 1<>"$state/probes" 9<&- &
    hundredths_up
    waits=$((now + 1000))
    until flock -n "$state/follow" rm -f "$state/follow"; do
        [ "$now" -lt "$waits" ] || { kill $! 2>/dev/null; die "\`follow\` does not end: kill its processes"; }
        sleep 0.1 2>/dev/null || sleep 1
        hundredths_up
    done
    following=''
}

# Sets at to what is in force beside the file: a variant, or other rates.
find_rates() {
    at=${variant:+, variant $variant}
    [ "$following" != yes ] || at="$at, and \`follow\` adapts the rates"
    ! has rate || add_rates
}

# Sets working if a change is at work now.
find_work() {
    [ -e "$run/lock" ] && (command exec 9<"$run/lock" && ! flock -n 9) 2>/dev/null || return 0
    working=": a change is at work now"
}

# Compares the observed with the recorded state, and sets verdict. Returns 0 in place, 1 drifted, 3 not started.
compare() {
    same_device
    read_facts || {
        verdict="not started: there is no device $dev"
        return 3
    }
    find_tools
    find_follower
    explain=${explain:-some}
    look offloads facts || die "so nobody can tell whether it drifted: exit code 1 only means that this call failed"
    find_rates
    verdict="in place$at"
    [ "$same$late$following" != yesdied ] || drift="\`follow\` has died; \`start\` returns to the rates of the file"
    [ "$same$late" != yes ] || [ "$following" = died ] || return 0
    find_work
    add_ifbs
    [ -s "$state/before" ] || [ -z "$rival" ] || ours=''
    case $same$ours in
    yes* | *root* | *filters*) ;;
    *)
        verdict="not started$working"
        return 3
        ;;
    esac
    [ -r "$state/state" ] || drift="there is no record of what start made; \`start\` makes a new tree"
    [ ! -s "$state/program" ] || drift="the last change was interrupted; \`start\` completes it, \`stop\` removes it"
    verdict="drifted$at${working:-: $drift}"
    return 1
}

check() {
    compare
    code=$?
    find_trial
    say "$verdict$trying$waiting"
    # Whatever differs during a change will differ no more.
    [ "$code$working" != 1 ] || [ -z "$differences" ] || printf '%s\n' "$differences"
    [ "$code" = 3 ] || [ -z "$fresh" ] ||
        printf '%s\n' "$fresh" | sed 's/^/  new since the last start, which would turn this off: /'
    [ "$code" = 3 ] || fast_line
    return "$code"
}

# Says that one core may be too slow for this line, if several could shape it.
fast_line() {
    fast_up=${line_rates% *} fast_down=${line_rates#* }
    read -r release </proc/sys/kernel/osrelease
    case $release$objects in
    [0-6].* | *' cake_mq '*) return ;;
    *'dev @ifb root '*) ;;
    *) fast_down=0 ;;
    esac
    [ "${fast_up%bit}" -ge 500000000 ] || [ "${fast_down%bit}" -ge 500000000 ] || return 0
    [ "$(grep -c ^processor /proc/cpuinfo)" -lt 2 ] ||
        echo "  one core shapes each direction; if it is fully busy at full load, \`engine: cake_mq\` uses several"
}

# Adds the offloads of new devices to late, as for a start.
all_late() { late=$late${late:+${fresh:+$newline}}$fresh; }

print() {
    find_device
    read_facts || die "there is no device $dev"
    find_tools
    refuse_foreign_ifbs
    choose_leaves
    find_follower
    take_steps || exit 1
    all_late
    if as_recorded && [ -z "$late" ]; then
        echo "# up to date: start would change nothing"
        return 0
    fi
    add_ifbs
    [ -z "$foreign" ] || [ "$take_over" = yes ] ||
        die "not ours, so nothing would be changed (--take-over removes it):$foreign"
    refuse_rival
    expect_known
    [ -z "$swapped" ] || printf '%s\n' "$swapped"
    case $first in
    *"type ifb"*) [ -d /sys/module/ifb ] || echo "modprobe ifb numifbs=0" ;;
    esac
    printf '%s' "$early" | sed 's/^/tc /'
    printf '%s' "$first" | sed 's/^/ip /'
    printf '%s\n%s\n' "$sysctls_off" "$sysctls_left" | while read -r path value; do
        [ -z "$path" ] || echo "echo '$value' >/proc/sys/$path"
    done
    feature_commands "$late" off
    feature_commands "$aggregates_left" on
    find_marks
    if [ "$marks" = late ]; then
        echo "nft -f - <<'END'"
        marks_program
        echo END
    fi
    printf '%s' "$program" | sed 's/^/tc /'
    printf '%s' "$final" | sed 's/^/ip /'
    [ -n "$tunnels" ] || tunnels_left | sed 's/^/tc /'
    [ "$marks" != left ] || echo "nft delete table inet qosc_$link"
}

# Prints each command and its raw output, for `qosc plan --dump`.
dump() {
    same_device
    read_facts || die "there is no device $dev"
    find_tools
    look offloads facts
    all_late
    printf '# qosc dump 2, link %s, script %s%s, wan %s, ifb %s, header %s, ethtool %s\n' \
        "$link" "${digest%%-*}" "${variant:+, variant $variant}" "$dev" "$ifb1" "$header${stab:+, $stab}" "$ethtool"
    echo '==> refused'
    (refuse_foreign_ifbs && refuse_rival) 2>&1
    dumped uname -r
    dumped tc -V
    for device in "$dev" "$ifbu" "$ifb1"; do
        [ -d "/sys/class/net/$device" ] || continue
        dumped ip -d link show dev "$device"
        dumped tc -d qdisc show dev "$device"
        dumped tc -d class show dev "$device" parent c05:
        for class in '' a000 b000; do dumped tc -d filter show dev "$device" parent "c05:$class"; done
        if [ "$device" = "$dev" ]; then
            dumped tc -d filter show dev "$device" ingress
            dumped tc -d filter show dev "$device" egress
        fi
        [ "$ethtool" = no ] || dumped ethtool -k "$device"
    done
    if [ "$has_marks" = yes ] || before marks; then dumped nft list table inet "qosc_$link"; fi
    [ -z "$uploads" ] || dumped nft list table netdev "qosc_$link"
    dumped ip addr show
    [ ! -r /proc/net/pppoe ] || dumped cat /proc/net/pppoe
    # Prints the settings of all scripts of ours: the planned one may have others than this one.
    for path in /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_wmem /proc/sys/net/core/rmem_max \
        /proc/sys/net/core/wmem_max /proc/sys/net/ipv4/tcp_ecn \
        /proc/sys/../../sys/class/net/"$dev"/queues/tx-*/byte_queue_limits/limit_max; do
        [ ! -r "$path" ] || dumped cat "$path"
    done
    echo "==> aggregates up $split_up down $split_down by $receivers"
    [ -z "$late" ] || printf '%s\n' "$late"
    echo "==> aggregates_left"
    [ -z "$aggregates_left" ] || printf '%s\n' "$aggregates_left"
    ! has tunnels || dump_tunnels
    for record in before state; do
        [ ! -r "$state/$record" ] || dumped cat "$state/$record"
    done
    echo '==> end'
}

dumped() {
    echo "==> $*"
    "$@" 2>&1
}

usage() {
    cat <<USAGE
usage: ${0##*/} [--device DEV] [--if-present] [--take-over] CALL
  start, reload  brings the router to the described state, from any state; changes nothing where it is already
  stop           removes what start made and nothing else
  restart        the same as start, but makes everything anew
  status         the classes with rates, counters, drops and backlog; exits as check
  check [-v]     what differs from what start left, with -v all of it; 0 in place, 1 drifted, 3 not started
  print          the commands that start would run now; changes nothing
  try SECONDS    starts, and goes back to what was before unless confirmed in time
  confirm        keeps what is on trial
  undo           goes back from what is on trial to what was before
  dump           what this router holds, as one text$more_calls
  --device DEV   the WAN device, where its name is known only now (default: $default_dev)
  --if-present   as a hook needs it: exit 0 from start if there is no such device
  --take-over    remove a root qdisc or filters that others made
USAGE
}

# Succeeds for root, without another process. Others can neither change qdiscs nor see tables of nft.
is_root() {
    while read -r key _ uid _ && [ "$key" != Uid: ]; do :; done </proc/self/status
    [ "$uid" = 0 ]
}

# Ends the script after a wrong call, with a message or the usage.
misuse() {
    if [ $# = 0 ]; then usage >&2; else fail "$@"; fi
    exit 2
}

# Ends the script if it lacks the part $1, which has the call $2.
need() {
    has "$1" || misuse "this script has no call $2: write \`script: { calls: [$1] }\` in the YAML, and compile again"
}

take_over=no
leaves=whole given='' anew='' explain='' working='' variant='' waiting='' unbuffered='' follow=''
changes='' root_lost='' new_folder='' only_as_before='' no_tunnels='' tunnels_refused='' netns=''
# Without a device, there are no facts about it.
ifindex='' header=0 overhead=0 ingress_overhead=0 cake_overhead=0 cake_leaf_overhead=0 stab='' ethtool=no
if_present=no
named=no
metrics=no
on_trial=no
interrupted=''
# stopped is `yes` once this call has removed what was there, so that a rollback cannot restore it.
stopped='' changing=''
call=''
argument=''

# Reads the arguments and makes the call.
main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --device)
            case ${2-} in
            '' | . | .. | */* | -* | *[!A-Za-z0-9._^+-]*) misuse "this is not the name of a device: '${2-}'" ;;
            esac
            dev=$2 named=yes
            shift
            ;;
        --take-over) take_over=yes ;;
        --if-present) if_present=yes ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*)
            case "$call $1" in
            'check -v' | 'check --verbose') explain=all ;;
            'status --metrics') need metrics 'status --metrics' && metrics=yes ;;
            'follow --dry-run') argument=dry ;;
            *) misuse ;;
            esac
            ;;
        *)
            case $call:$argument in
            '':)
                call=$1
                if [ "$call" = rate ]; then
                    need rate rate
                    take_rates "$@"
                    shift 2
                fi
                ;;
            try:) argument=$1 ;;
            *) misuse ;;
            esac
            ;;
        esac
        shift
    done

    [ -n "$call" ] || misuse
    is_root || die "run this as root, such as with sudo"
    # A pipe among the records of another user would hold the call.
    refuse_shared_folder
    read -r boot </proc/sys/kernel/random/boot_id
    find_namespace
    refuse_other_namespace
    read_record "$state/state"
    [ -z "$switches" ] || [ "$call" = follow ] || choose_variant
    case $call in
    start | reload) start ;;
    restart)
        anew=yes
        start
        ;;
    stop) stop ;;
    status) status ;;
    check) check ;;
    print) print ;;
    dump) dump ;;
    switch) ;; # Without variants, there is nothing to do.
    rate) set_rates ;;
    follow)
        [ -n "$bounds" ] || die "the YAML has no \`vary\` in \`link\`, so there are no bounds for the rates"
        follow
        ;;
    try)
        case $argument in
        '' | 0* | *[!0-9]* | ??????*) misuse "try for how many seconds? (1 to 99999)" ;;
        esac
        try "$argument"
        ;;
    confirm) confirm ;;
    undo) undo_trial ;;
    '') misuse ;;
    *) misuse "there is no call '$call': ${0##*/} --help lists all" ;;
    esac
}
