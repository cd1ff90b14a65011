# --- messages, facts about the router, the lock -------------------------------------------------------------------

# The reader of these lines may be gone, which must not stop the script.
say() { printf '%s: %s\n' "$link" "$*" 2>/dev/null || :; }
warn() { printf '%s: warning: %s\n' "$link" "$*" >&2; }
fail() { printf '%s: error: %s\n' "$link" "$*" >&2; }

die() {
    fail "$@"
    exit 1
}

# Succeeds if a PPPoE session of this router runs over the device.
carries_pppoe() {
    [ -r /proc/net/pppoe ] || return 1
    while read -r _ _ over; do
        [ "$over" = "$dev" ] && return 0
    done </proc/net/pppoe
    return 1
}

# Sets header and the overheads for tc. A negative one goes to a size table. Fails if there is no device $dev.
read_facts() {
    # The device with the tree of uploads.
    up=${uploads:-$dev}
    { read -r type <"/sys/class/net/$dev/type" && read -r ifindex <"/sys/class/net/$dev/ifindex"; } 2>/dev/null ||
        return 1
    header=0
    if [ "$type" = 1 ]; then
        header=14
        case $frames in
        pppoe) header=22 ;;
        auto) carries_pppoe && header=22 ;;
        esac
    fi
    # At the ingress hook, a packet has no Ethernet header. The ifb restores it.
    ingress_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
    [ "$ingress_overhead" -ge 0 ] || ingress_overhead=0
    # CAKE subtracts an Ethernet header by itself, but not the header of a PPPoE frame.
    cake_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
    # shellcheck disable=SC2034 # not every script has a CAKE
    cake_leaf_overhead=$cake_overhead
    overhead=$((above_ip - header))
    stab=''
    if [ "$overhead" -lt 0 ]; then
        stab="stab overhead $overhead linklayer ethernet"
        overhead=0
        # The size table has already set the length on the line. CAKE subtracts an Ethernet header from that, too.
        # shellcheck disable=SC2034 # not every script has a CAKE
        cake_leaf_overhead=14
    fi
}

# Sets now to the uptime in hundredths of a second, the finest unit that the kernel tells a shell.
hundredths_up() {
    read -r uptime _ </proc/uptime
    hundredths=${uptime#*.}
    # A number that begins with 0 would be octal.
    now=$((${uptime%%.*} * 100 + ${hundredths#0}))
}

# Prints the byte queue limit of each transmit queue as a setting: all paths begin at /proc/sys. A record has its own.
queue_limits() {
    [ -n "$bql" ] || return 0
    for limit in "$sys/class/net/$dev"/queues/tx-*/byte_queue_limits/limit_max; do
        [ -n "$given" ] || [ ! -e "$limit" ] || echo "../..$limit $bql"
    done
}

warn_queues() {
    [ -z "$bql" ] || [ -n "$(queue_limits)" ] ||
        warn "the driver of $dev has no byte queue limits, so bql changes nothing"
}

# Warns if packets of the LAN use the device, too, or if nft does not see its packets.
warn_topology() {
    [ "$has_marks" = no ] || [ ! -d "/sys/class/net/$dev/brport" ] ||
        warn "$dev is a port of a bridge, so nft sees none of its packets and sets no marks: shape the bridge instead"
    for upper in "/sys/class/net/$dev"/upper_*; do
        [ -e "$upper" ] || continue
        grep -qs 'DEVTYPE=.*vlan' "$upper/uevent" || continue
        vlan=${upper##*/upper_}
        for device in $receivers; do
            [ "$vlan" = "$device" ] || [ -e "/sys/class/net/$device/lower_$vlan" ] || continue
            warn "$vlan of the LAN runs over $dev, so packets to the LAN count as uploads:" \
                "give the WAN a VLAN of its own, and shape that"
        done
    done
}

# Removes the records and more files. No other file of a folder that QOSC_RUN names may go.
drop_records() {
    (cd "$state" 2>/dev/null &&
        exec rm -f before state next program shown probe follow probes "$@")
}

# Removes what only this call needed. Of the files, the lock goes last.
# shellcheck disable=SC2317 # a trap calls it
leave() {
    trap - EXIT
    set +f
    [ "$stopped:$changing" != yes: ] || fail "what was stopped is not started again"
    # A `try` that ended before it changed anything leaves no trial.
    [ "$on_trial" != arming ] || end_trial
    # An interrupted preflight leaves its device.
    ! our_ifb "$probe" || echo "link del dev $probe" | ip -batch - 2>/dev/null
    for file in program shown; do [ ! -s "$state/$file" ] || true >"$state/$file"; done
    # After a failure, more may be left.
    if [ -e "$state/next" ] || [ -e "$state/probe" ]; then rm -f "$state/next" "$state/probe"; fi
    [ -e "$state/trial" ] || [ ! -e "$state/back" ] || rm -rf "$state/back"
    if [ ! -s "$state/before" ]; then
        drop_records ../lock
        rmdir "$state" "$run" 2>/dev/null
    fi
    exec 9<&-
}

# Sets process to the number of the process $1 and its start time, because numbers are reused. Fails if it has ended.
find_process() {
    process=''
    read -r words 2>/dev/null <"/proc/$1/stat" || return 1
    # Its name, in brackets, may contain anything.
    # shellcheck disable=SC2086
    set -- "$1" ${words##*) }
    # A process that has ended stays in the table until its parent reads its exit status.
    case $2 in Z | X) return 1 ;; esac
    process="$1 ${21}"
}

# Locks all links with descriptor 9, and makes the folder of this link. Fails if another call holds the lock.
lock() {
    [ -d "$run" ] || new_folder=yes
    # The folders above are for others, too.
    umask 022
    # shellcheck disable=SC2174
    [ -d "$state" ] || words=$(mkdir -p -m 700 "$state" 2>&1) || case $words in
    # The last call to leave removes the folders.
    *'No such file'*) ;;
    *) cannot_write "$words" ;;
    esac
    umask 077
    { command exec 9>>"$run/lock"; } 2>/dev/null || words=$({ true >>"$run/lock"; } 2>&1) || case $words in
    *'No such file'*) ;;
    *) cannot_write "$words" ;;
    esac
    # The file may have been removed and made again meanwhile.
    # shellcheck disable=SC3013 # dash, bash and ash know -ef
    flock -n 9 2>/dev/null && [ /proc/self/fd/9 -ef "$run/lock" ] && [ -d "$state" ]
}

# Ends the script with the reason in the words $1 of the tool that could not write.
cannot_write() {
    rmdir "$state" "$run" 2>/dev/null
    case $1 in
    *'No space'*) die "cannot write $state: there may be no space left" ;;
    *) die "cannot write $state: ${1##*: }" ;;
    esac
}

# Ends the script if another user could replace the records, which `stop` passes on to /proc/sys and tc.
refuse_shared_folder() {
    for folder in "$run" "$state"; do
        # Without root, no call gets further than the lock.
        { [ ! -h "$folder" ] && { [ -O "$folder" ] || [ ! -w "$folder" ]; }; } ||
            die "$folder is a link or belongs to another user: remove it, or name another folder in QOSC_RUN"
    done
}

# Ends the script if others may write to one of the folders. The words of `ls` begin with the modes, such as drwxr-xr-x.
refuse_writable_folder() {
    [ -z "$new_folder" ] || return 0
    case $newline$(ls -ld "$run" "$state") in
    *"${newline}d"????w* | *"${newline}d"???????w*)
        die "others may write to $run or $state: run chmod go-w on both, or name another folder in QOSC_RUN" ;;
    esac
}

# Sets netns to a number of this network namespace: the inode of its kernel socket of rtnetlink. This takes no process.
find_namespace() {
    netns=''
    while read -r _ family port _ _ _ _ _ _ inode; do
        [ "$family:$port" = 0:0 ] || continue
        netns=$inode
        break
    done 2>/dev/null </proc/net/netlink
}

# Ends the script if another network namespace has started this link: all of them see the same folder.
refuse_other_namespace() {
    if before boot && [ "$value" = "$boot" ] && before netns && [ -n "$netns" ] && [ "$value" != "$netns" ]; then
        die "the records in $state are of another network namespace:" \
            "name another folder in QOSC_RUN, or remove this one if that namespace is gone"
    fi
}

# Takes the lock, so that one call of all links runs at a time.
take_lock() {
    refuse_shared_folder
    command -v flock >/dev/null || die "flock is missing (Debian: util-linux; OpenWrt: busybox or flock)"
    tries=0
    until lock; do
        exec 9<&-
        [ "$tries" -lt 30 ] || die "another call has been at work for 30 seconds; try again later"
        tries=$((tries + 1))
        sleep 1
    done
    trap leave EXIT
    refuse_other_namespace
    [ ! -e "$state/described" ] || take_old_record
    read_record "$state/state"
    trap '' PIPE
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 131' QUIT
    trap 'exit 143' TERM
}

# Joins the files of a script of an older version to a record.
take_old_record() {
    # A start that was killed has left one that is not valid.
    if [ -s "$state/changing" ]; then
        rm -f "$state/state"
    elif (
        cd "$state" && read -r who && echo "$who" &&
            for file in rate speed refused; do [ ! -s $file ] || echo "$file $(cat $file)"; done
        [ ! -s devices ] || echo "devices $(tr '\n' ' ' <devices)"
        echo '== described' && cat described
        [ ! -s marks ] || sed 's/^/mark /' marks
        printf '== shown\n%s\n== end\n' "$(cat)"
    ) <"$state/state" >"$state/next"; then
        mv "$state/next" "$state/state"
    else
        [ "$call" = stop ] || die "cannot write $state: there may be no space left"
    fi
    rm -rf "$state/new"
    (cd "$state" && rm -f described marks rate speed refused devices changing first program last shown batch room)
}

# Sets made to the line that tells what has made the record $1, and held_rates, speed, tunnels_refused and devices_then
# to what the record says of them.
read_record() {
    made='' held_rates='' speed='' tunnels_refused='' devices_then=''
    [ -s "$1" ] || return 0
    {
        read -r made || made=''
        while read -r key value && [ "$key" != == ]; do
            case $key in
            rate) held_rates=$value ;;
            speed) speed=$value ;;
            refused) tunnels_refused=$value ;;
            devices) devices_then=$value ;;
            esac
        done
    } <"$1"
}

# From the first change on, a lost terminal does not stop the script, and an interrupted change is rolled back.
begin_change() {
    changing=yes
    [ "$on_trial" != arming ] || on_trial=yes
    trap '' HUP QUIT
    trap 'interrupted 130' INT
    trap 'interrupted 143' TERM
}

# From here on, only KILL stops the script: half a removal or half a rollback helps nobody.
finish_change() { trap '' HUP INT QUIT TERM; }
