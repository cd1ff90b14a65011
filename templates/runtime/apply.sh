# --- apply and undo -----------------------------------------------------------------------------------------------

# Removes our objects from the device of the last start. Fails if that is the device of this start, or if none is known.
leave_device() {
    last_device && [ "$last" != "$dev" ] || return 1
    wanted=$dev dev=$last
    # What was on trial may be stopped by now, so only the watchdog ends the trial.
    [ "$on_trial" != arming ] || on_trial=yes
    if read_facts; then
        remove || exit 1
        drop_records
        stopped=yes
        say "stopped on $last"
    fi
    dev=$wanted
}

# Succeeds if the state and the rates are as the last start of this very script left them. For offloads, see late.
as_recorded() { [ "$same:$unedited" = yes:yes ] && { [ -n "$rate_up" ] || [ -z "$held_rates" ]; }; }

# Writes `before` as `look` has found it. Its lines are never lost, even to a kill: new ones are appended. A last line
# that was cut, as by a full disk, says nothing and goes.
remember() {
    case $cut$remembered in
    "$before_was$newline") ;;
    "$before_was$newline"*) printf '%s' "${remembered#"$before_was$newline"}" >>"$state/before" ;;
    *) write_before "$remembered" ;;
    esac 2>/dev/null || die "cannot write $state/before: there may be no space left"
}

# Only a record that is there must be replaced in one step.
write_before() {
    [ -s "$state/before" ] || { printf '%s' "$1" >"$state/before" && return; }
    printf '%s' "$1" >"$state/next" && mv "$state/next" "$state/before"
}

# Says how to stop sqm-scripts, if that is at work on the device. It may cut the name of its ifb.
name_sqm() {
    [ -e "/run/sqm/$dev.state" ] || [ -e "/var/run/sqm/$dev.state" ] || [ -d "/sys/class/net/ifb4$dev" ] || return 0
    how="systemctl disable --now sqm@$dev"
    [ ! -x /etc/init.d/sqm ] || how='/etc/init.d/sqm stop && /etc/init.d/sqm disable'
    echo "  this is sqm-scripts; to stop it: $how" >&2
}

# Ends the script if it cannot start. Changes nothing that packets meet.
expect_startable() {
    refuse_writable_folder
    retry_refused || exit 1
    add_ifbs
    if [ -n "$foreign" ] && [ "$take_over" = no ]; then
        fail "not ours, so nothing was changed (--take-over removes it):$foreign"
        name_sqm
        exit 1
    fi
    refuse_rival
    expect_possible
    find_marks
    [ "$marks" != late ] || try_marks
    if [ -n "$program" ]; then
        preflight
        shortcuts
        ! has marks || warn_rules
    fi
}

# Brings the router from any state to the desired state.
apply() {
    [ "$following" != died ] || rm -f "$state/follow"
    if as_recorded; then
        leave_trial
        find_rates
        find_trial
        if [ -z "$late" ]; then
            say "up to date$at$trying"
        else
            remember
            aggregates_off "$late"
            off=$(printf '%s\n' "$late" | while read -r device feature; do
                case $newline$failed in *"$newline$device $feature$newline"*) ;; *) echo "$device" ;; esac
            done | sort -u | tr '\n' ' ')
            say "up to date$at${off:+; turned off what makes aggregates on: $off}$trying"
            changes=no
            [ -n "$following" ] || { note_devices && find_who && write_record state; }
        fi
        return 0
    fi
    if pause_follower; then take_steps || exit 1; fi
    expect_startable
    if leave_device; then
        read_facts
        take_steps || exit 1
        add_ifbs
        [ "$has_marks" = no ] || marks=late
    fi
    case $ours:$root_before in
    *root*:* | *:default) ;;
    *)
        warn "the root qdisc of $dev was made by others, and is replaced until \`stop\`: $root_before"
        name_sqm
        ;;
    esac
    [ "$frames:$header" != auto:22 ] ||
        warn "$dev carries PPPoE frames: they are counted right, but no filter sees the IP packets inside;" \
            "shape the ppp device instead"
    ! has tunnels || warn_wrapped
    warn_topology
    warn_queues

    changes=yes
    [ -n "$early$first$program$final" ] || [ "$marks" != kept ] || [ -n "$late$sysctls_off" ] || changes=no
    begin_change
    leave_trial
    change || undo
    find_rates
    case $ours:$changes in
    *:no) say "up to date$at" ;;
    *root*) say "changed on $dev${at:-: up $shaped_up, down $shaped_down}" ;;
    *) say "started on $dev${at:-: up $shaped_up, down $shaped_down}" ;;
    esac
    [ -z "$swapped" ] || printf '%s\n' "$swapped" | sed 's/^#/ /'
}

# Makes the change that `look` has found, and records it.
change() {
    remember
    run_batch tc "$early" "could not free the ifb" || return 1
    words="an ifb takes the module ifb and iproute2's ip; OpenWrt: kmod-ifb, and ip-tiny or ip-full"
    run_batch ip "$first" "could not set up the devices ($words)" || return 1
    aggregates_off "$late"
    set_sysctls "$sysctls_off"
    # The filters read the marks, so the table comes first.
    [ "$marks" != late ] || load_marks "the kernel refused the table of marks" || return 1
    hundredths_up
    began=$now
    run_batch tc "$program" "the kernel refused a step" || return 1
    # Records for `plan` how long a tree takes: the number of lines, and their time in hundredths of a second.
    if [ -n "$tree_lines" ]; then
        hundredths_up
        speed="$tree_lines $((now - began))"
    fi
    [ -n "$tunnels" ] || leave_tunnels || {
        fail "could not remove the filters at a tunnel"
        return 1
    }
    # No table may send packets to a device that is gone.
    [ "$marks" != left ] || unload_marks || {
        fail "could not remove the table inet qosc_$link"
        return 1
    }
    [ -z "$final" ] || drain
    run_batch ip "$final" "could not remove what is not needed any more" || return 1
    forget_settings
    finish_change
    keep
}

# Sets devices_then to the devices that must not aggregate packets. If the YAML names none, others may come: `check`
# tells them apart.
note_devices() {
    [ -z "$receivers" ] || return 0
    find_devices
    # shellcheck disable=SC2086 # each word is a device
    set -- $receiving
    devices_then=$*
}

warn_mpu() { warn "this kernel ignores mpu: packets below $mpu bytes are charged less than they take on the line"; }

# Records a change that went well: what is described, and what is there now.
keep() {
    if [ -z "$given" ]; then
        note_devices
        # A rollback has the rates of its record.
        held_rates=${rate_up:+$rate_up $rate_down}
    elif [ -z "$behind" ]; then
        # A script without tunnels records nothing of their devices.
        tunnels=''
    fi
    find_who
    if ! write_record state; then
        [ "$code" != 0 ] || die "the change is made, but cannot be recorded: start again"
        fail "tc does not show the result, or it cannot be recorded"
        return 1
    fi
    [ "$code" != 4 ] || warn_mpu
    [ "$remaining" = "$remembered" ] || write_before "$remaining" ||
        die "the change is made, but cannot be recorded: start again"
}

# Writes the record in one step. $1 is what the engine prints. Sets code, which is 4 if this kernel ignores mpu.
write_record() {
    code=0
    {
        echo "$who"
        [ -z "$held_rates" ] || echo "rate $held_rates"
        [ -z "$speed" ] || echo "speed $speed"
        [ -z "$tunnels_refused" ] || echo "refused $tunnels_refused"
        [ -z "$devices_then" ] || echo "devices $devices_then"
        printf '== described\n%s== shown\n' "$description"
        if [ "$changes" = no ] && [ -n "$observed" ]; then
            printf '%s' "$observed"
        elif [ -n "$program" ] && [ -z "$final" ]; then
            observe '' shown | engine "$1" - "$state/shown"
        else
            # What tc has shown is not the result if something was removed after it.
            observe '' | engine "$1"
        fi || code=$?
        echo '== end'
    } 2>/dev/null >"$state/next" && case $code in 0 | 4) mv "$state/next" "$state/state" ;; *) false ;; esac
}

# Rolls back to the state of the last start, or else removes everything of ours: then traffic flows as without us.
undo() {
    finish_change
    [ "$on_trial" = no ] || end_trial
    was=$ours
    case $was in
    *root* | *filters*)
        if put_back "$state/state" "$before_was"; then
            fail "everything was put back as it was before"
            exit "${interrupted:-1}"
        fi
        fail "the way back failed, too"
        ;;
    esac
    evicted=$foreign
    remove || exit "${interrupted:-1}"
    case $evicted:$was$stopped in
    ?*:*) fail "what start made was removed again; what --take-over removed is gone:$evicted" ;;
    *root* | *filters* | *yes) fail "everything of ours was removed: traffic flows as without it" ;;
    *) fail "everything was put back as it was before" ;;
    esac
    exit "${interrupted:-1}"
}

# Rolls back to the record $1, with $2 as the text of `before`: a start whose description is a record.
put_back() {
    [ -s "$1" ] && read_back "$1" || return 1
    take_steps || return 1
    # The watchdog waits for space, but whoever called this script does not.
    [ "$on_trial" != over ] || try_space $((5 * ${#description}))
    find_marks
    [ "$has_marks" = no ] || marks=late
    # Offloads that were off at that time go off again, and others go on.
    late=$(printf '%s' "$2" | sed -n 's/^offload //p')
    aggregates_left=$(printf '%s' "$remembered" | grep '^offload ' | while read -r line; do
        case $newline$2$newline in
        *"$newline$line$newline"*) ;;
        *) echo "${line#* }" ;;
        esac
    done)
    remaining=$remembered
    case $newline$2$newline in *"${newline}device $dev $ifindex$newline"*) remaining=$2$newline ;; esac
    change
}

# Takes what the record $1 describes instead of what this script does. Fails if it is not whole, or describes what this
# script cannot do.
read_back() {
    read_record "$1"
    digest=${made#by }
    digest=${digest%% *}
    given=$1 anew='' needs_hook=no txqueuelen='' sysctl_list=$newline has_marks=no marks_table=$newline
    uploads='' part='' behind=''
    while IFS= read -r line; do
        case $line in
        '== '*) part=${line#== } ;;
        'filter add dev @wan '[ei]*) needs_hook=yes ;;
        'filter add dev '[!@]*)
            has tunnels || return 1
            behind=yes
            ;;
        'txqueuelen '*) [ "$part" != described ] || txqueuelen=${line#* } ;;
        'sysctl '*) [ "$part" != described ] || sysctl_list=$sysctl_list${line#* }$newline ;;
        'mark '*) has_marks=yes marks_table=$marks_table${line#* }$newline ;;
        esac
    done <"$1"
    case $marks_table in *' fwd to '*) uploads=$ifbu ;; esac
    up=${uploads:-$dev}
    [ "$part" = end ]
}

# shellcheck disable=SC2317 # traps call it
interrupted() {
    # The signal may have come while words were split otherwise.
    unset IFS
    set +f
    interrupted=$1
    fail "interrupted"
    undo
}

# Removes everything that `start` made, whatever state it was left in. If something stays, fails, says what, and keeps
# the records.
remove() {
    finish_change
    left=''
    remove_tree && remove_others
    [ -z "$left" ] || {
        fail "not as before the first start:${left%,}; the records stay, so \`stop\` can try again"
        return 1
    }
    # Without these lines, `leave` removes all records.
    [ ! -s "$state/before" ] || true 2>/dev/null >"$state/before" || die "cannot write $state/before"
}

# Finds what is there of ours. If the device is a new one by now, another link may have started on it.
look_for_ours() {
    look '' facts || return 1
    [ -z "$rival" ] || ours='' our_prefs='' root='' hook=''
}

# Removes our objects from the devices with traffic. Fails if any is left: then nothing else may go.
remove_tree() {
    value=default
    if [ -d "/sys/class/net/$dev" ]; then
        look_for_ours || exit 1
        add_ifbs
        value=${root_noted:-default}
        {
            removal "$value"
            # A killed start may have removed the root qdisc that others made.
            case $ours:$root in
            *root*:*) ;;
            *' 0: root'*) [ "$value" = default ] || echo "qdisc replace dev $dev root $value" ;;
            esac
            # Without a record, a hook is ours if it has filters of ours and no others.
            case $hook_before:$our_prefs in
            made:* | :?*) [ -n "$foreign_hook" ] || [ -z "$hook" ] || echo "qdisc del dev $dev $hook" ;;
            esac
        } | tc -force -batch - >/dev/null 2>&1
    fi
    root_was=$value
    leave_tunnels || left=' filters at a tunnel,'
    # tc may have refused this, and a packet must never be sent to a deleted ifb.
    if [ -d "/sys/class/net/$dev" ]; then
        look_for_ours || left=" what tc does not show,$left"
        case $ours in *filters*) left="$left filters of $dev," ;; esac
        case $ours in *root*) left="$left root qdisc of $dev," ;; esac
    else
        look '' facts 2>/dev/null
    fi
    [ -z "$left" ]
}

# Removes the devices and the table of marks, and restores settings. Adds to left what is not as it was before us.
remove_others() {
    case $root in *' 0: root'*) [ "$root_was" = default ] || left=" root qdisc (was $root_was)," ;; esac
    [ "$hook_before:$foreign_hook" != made: ] || [ -z "$hook" ] || left="$left qdisc $hook of $dev,"
    if [ "$has_marks" = yes ] || [ ! -s "$state/before" ] || before marks; then
        unload_marks || ! before marks || left="$left table inet qosc_$link,"
    fi
    # No file is used here: a full disk must not stop a removal.
    words=$(
        for device in "$ifb1" "$ifb2" "$ifbu" "$probe"; do
            ! our_ifb "$device" || echo "link del dev $device"
        done
        [ -z "$queue_before" ] || [ ! -d "/sys/class/net/$dev" ] || echo "link set dev $dev txqueuelen $queue_before"
    )
    switch_features "$aggregates_before" on "$words${words:+$newline}"
    [ -z "$refused" ] || left="$left devices or their settings,"
    [ -z "$failed" ] || left="$left offloads of$(printf '%s' "$failed" | sed 's/ .*//' | sort -u | tr '\n' ' '),"
    set_sysctls "$sysctls_before" 2>/dev/null || left="$left settings in /proc/sys,"
}
