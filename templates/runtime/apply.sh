# --- apply and undo -----------------------------------------------------------------------------------------------

# Removes our objects from the device of the last start. Fails if that is the device of this start, or if none is known.
leave_device() {
    last_device && [ "$last" != "$dev" ] || return 1
    wanted=$dev dev=$last
    lock_device
    if read_facts; then
        remove
        stopped=yes
        say "stopped on $last"
    fi
    dev=$wanted
}

# Succeeds if the state and the rates are as the last start of this very script left them. For offloads, see late.
as_recorded() { [ "$same:$unedited" = yes:yes ] && [ ! -e "$state/rate" ]; }

# Writes `before` as `look` has found it. Its lines are never lost, even to a kill: new ones are appended.
remember() {
    case $remembered in
    "$before_was$newline") ;;
    "$before_was$newline"*) printf '%s' "${remembered#"$before_was$newline"}" >>"$state/before" ;;
    *)
        printf '%s' "$remembered" >"$state/new/before"
        mv "$state/new/before" "$state/before"
        ;;
    esac
}

# Brings the router from any state to the desired state.
apply() {
    if as_recorded; then
        leave_trial
        [ ! -d "/sys/class/net/$probe" ] || echo "link del dev $probe" | ip -batch -
        if [ -z "$late" ]; then
            say "up to date"
        else
            remember
            aggregates_off "$late"
            late=$(printf '%s\n' "$late" | not_stuck)
            say "up to date${late:+; turned off what makes aggregates on: $(printf '%s\n' "$late" | sed 's/ .*//' | sort -u | tr '\n' ' ')}"
            if [ -z "$receivers" ]; then record_devices && mv "$state/new/devices" "$state/devices"; fi
        fi
        return 0
    fi
    survey
    if [ -n "$foreign" ] && [ "$take_over" = no ]; then
        fail "not ours, so nothing was changed (--take-over removes it):$foreign"
        exit 1
    fi
    [ -z "$rival" ] || die "link $rival is at work on $dev; stop that first"
    expect_possible
    find_marks
    [ "$marks" != late ] || try_marks
    if [ -s "$state/program" ]; then
        tried=$leaves${tunnels_refused-}
        preflight
        if [ "$leaves${tunnels_refused-}" != "$tried" ]; then
            take_steps
            survey
        fi
        shortcuts
        # marks {
        warn_rules
        # } marks
    fi
    if leave_device; then
        read_facts
        take_steps
        survey
        [ "$has_marks" = no ] || marks=late
    fi
    case $ours:$root_before in
    *root*:* | *:default) ;;
    *) warn "the root qdisc of $dev was made by others, and is replaced until \`stop\`: $root_before" ;;
    esac
    [ "$frames:$header" != auto:22 ] || warn "$dev carries PPPoE frames: they are counted right, but no filter sees the IP packets inside; shape the ppp device instead"
    # tunnels {
    warn_wrapped
    # } tunnels
    if kernel_ignores_mpu; then warn "this kernel ($version) ignores mpu: packets below $mpu bytes are charged less than they take on the line"; fi

    changes=yes
    [ "$steps" != 0 ] || [ "$marks" != kept ] || [ -n "$late$sysctls_off" ] || changes=no
    begin_change
    leave_trial
    # Until the change is complete, the record of the last start only serves a rollback.
    : >"$state/changing"
    remember
    run_part first "could not set up the devices" || undo
    aggregates_off "$late"
    set_sysctls "$sysctls_off"
    # The filters read the marks, so the table comes first.
    [ "$marks" != late ] || load_marks || undo
    hundredths_up
    began=$now
    run_part program "the kernel refused a step" || undo
    # Records for `plan` how long a tree takes: the number of lines, and their time in hundredths of a second.
    if [ -n "$tree_lines" ]; then
        hundredths_up
        echo "$tree_lines $((now - began))" 2>/dev/null >"$state/new/speed" || : >"$state/new/speed"
    fi
    [ -n "${tunnels-}" ] || leave_tunnels
    run_part last "could not remove what is not needed any more" || undo
    [ "$marks" != left ] || unload_marks
    forget_settings
    finish_change
    keep || undo
    case $ours:$changes in
    *:no) say "up to date" ;;
    *root*) say "changed on $dev: up $shaped_up, down $shaped_down" ;;
    *) say "started on $dev: up $shaped_up, down $shaped_down" ;;
    esac
}

# Records a start that went well: the desired state, the observed state, and this script.
keep() {
    observe '' | engine state >"$state/new/state" && [ -s "$state/new/state" ] || return 1
    # If the YAML names no devices, others may come: `check` tells them apart.
    [ -n "$receivers" ] || record_devices
    # tunnels {
    [ -z "${tunnels_refused-}" ] || echo "$tunnels_refused" >"$state/new/refused"
    # } tunnels
    # During a rollback, the caller does not know yet that this is complete. A script from a pipe leaves no copy.
    set --
    [ -z "${QOSC_LOCK-}" ] || set -- "$state/changing"
    for file in rate refused marks script; do
        case $file:$has_marks:$unedited in
        marks:yes:* | script:*:yes) continue ;;
        esac
        [ ! -e "$state/$file" ] || [ -e "$state/new/$file" ] || set -- "$@" "$state/$file"
    done
    [ $# = 0 ] || rm -f "$@"
    mv "$state"/new/* "$state"
    settled=yes
}

# Rolls back to the state of the last start, or else removes everything of ours: then traffic flows as without us.
undo() {
    finish_change
    # This is itself a rollback: its caller decides.
    [ -z "${QOSC_LOCK-}" ] || exit 1
    [ "$on_trial" = no ] || end_trial
    was=$ours
    case $was in
    *root* | *filters*)
        if [ -r "$state/script" ]; then
            if put_back "$state/script" "$(rates)"; then
                settled=yes
                fail "everything was put back as it was before"
                exit "${interrupted:-1}"
            fi
            fail "the way back failed, too"
        elif put_back_recorded; then
            fail "everything was put back as it was before"
            exit "${interrupted:-1}"
        fi
        ;;
    esac
    evicted=$foreign
    remove
    case $evicted:$was$stopped in
    ?*:*) fail "what start made was removed again; what --take-over removed is gone:$evicted" ;;
    *root* | *filters* | *yes) fail "everything of ours was removed: traffic flows as without it" ;;
    *) fail "everything was put back as it was before" ;;
    esac
    exit "${interrupted:-1}"
}

# Restores the recorded state in place, if the last start came through a pipe and left no copy of its script.
# Fails if there are filters at tunnel devices: this script may not know how to make them.
put_back_recorded() {
    [ -r "$state/state" ] && ! grep -q '^filter add dev [^@]' "$state/described" || return 1
    old=$before_was new=$remembered
    needs_hook=no
    ! grep -q '^filter add dev @wan [ei]' "$state/described" || needs_hook=yes
    txqueuelen=$(sed -n 's/^txqueuelen //p' "$state/state")
    # A setting that the last start did not have gets its original value.
    set_sysctls "$({
        grep '^sysctl ' "$state/before"
        grep '^sysctl ' "$state/state"
    } | sed 's/^sysctl //')"
    if [ -r "$state/marks" ]; then
        { printf 'add table inet qosc_%s\ndelete table inet qosc_%s\n' "$link" "$link" && cat "$state/marks"; } | nft -f - || return 1
    elif [ "$has_marks" = yes ]; then
        unload_marks
    fi
    given=$state/described
    look '' '' || return 1
    given=''
    for part in first program last; do
        run_part $part "the way back failed, too" || return 1
    done
    switch_features "$(printf '%s' "$new" | grep '^offload ' | while read -r line; do
        case $newline$old$newline in
        *"$newline$line$newline"*) ;;
        *) echo "${line#* }" ;;
        esac
    done)" on
    printf '%s\n' "$old" >"$state/before"
    look '' facts || return 1
    # The record may contain settings of the last script that this one does not know.
    {
        head -n 1 "$state/state"
        {
            echo '== tc'
            show
        } | engine tc
        ! grep -q "^ifb.* up\$" "$state/state" || echo "$ifb up"
        sed -n -e '/^table inet /,$p' -e '/^txqueuelen /p' -e '/^sysctl /p' "$state/state"
    } >"$state/new/state"
    mv "$state/new/state" "$state/state"
    settled=yes
}

interrupted() {
    interrupted=$1
    fail "interrupted"
    undo
}

# Removes everything that `start` made, whatever state it was left in.
remove() {
    finish_change
    if [ -d "/sys/class/net/$dev" ]; then
        look '' facts || exit 1
        survey
        before root || value=default
        {
            removal
            # A killed start may have removed the root qdisc that others made.
            case $ours:$root in
            *root*:*) ;;
            *' 0: root'*) [ "$value" = default ] || echo "qdisc replace dev $dev root $value" ;;
            esac
            # Without a record, a hook is ours if it has filters of ours and no others.
            case $hook_before:$our_prefs in
            made:* | :?*) [ -n "$foreign" ] || [ -z "$hook" ] || echo "qdisc del dev $dev $hook" ;;
            esac
        } | tc -force -batch - >/dev/null 2>&1
    else
        look '' facts 2>/dev/null
    fi
    leave_tunnels
    if [ "$has_marks" = yes ] || [ ! -e "$state/before" ] || before marks; then unload_marks; fi
    {
        for device in "$ifb1" "$ifb2" "$probe"; do
            ! our_ifb "$device" || echo "link del dev $device"
        done
        segments "$aggregates_before" on
        [ -z "$queue_before" ] || [ ! -d "/sys/class/net/$dev" ] || echo "link set dev $dev txqueuelen $queue_before"
        # No file is used here: a full disk must not stop a removal.
    } | ip -force -batch - >/dev/null 2>&1
    switch_by_ethtool "$aggregates_before" on
    set_sysctls "$sysctls_before" 2>/dev/null
    set --
    for file in state before described marks script rate speed refused devices changing base state.old; do set -- "$@" "$state/$file"; done
    rm -f "$@"
}
