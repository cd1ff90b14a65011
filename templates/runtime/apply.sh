# --- apply and undo -----------------------------------------------------------------------------------------------

# Removes our objects from the device of the last start. Fails if that is the device of this start, or if none is known.
leave_device() {
    last=$(last_device) || return 1
    [ "$last" != "$dev" ] || return 1
    wanted=$dev dev=$last
    lock_device
    if read_facts; then
        remove
        stopped=yes
        say "stopped on $last"
    fi
    dev=$wanted
}

# Prints the other links whose scripts have started on our device since this router booted.
rival() {
    for record in "$run"/*/before; do
        [ "$record" != "$state/before" ] || continue
        [ -r "$record" ] || continue
        grep -qsx -- "device $dev $ifindex" "$record" || continue
        grep -qsx -- "boot $boot" "$record" || continue
        record=${record%/before}
        echo "${record##*/}"
    done
}

# Succeeds if the state and the rates are as the last start of this very script left them. For offloads, see aggregates.
as_recorded() {
    [ "$same" = yes ] && [ ! -e "$state/rate" ] && unedited
}

# Succeeds if this script is unchanged since its last start. For a script from a pipe, compares the described state.
unedited() {
    if [ -e "$state/script" ]; then
        [ "$unedited" = yes ]
        return
    fi
    choose_leaves
    # tunnels {
    choose_tunnels
    # } tunnels
    described | cmp -s - "$state/described"
}

# Ends the script if there is too little space for everything that it writes from here on: the steps once
# more, the observed state twice (at up to twice its length, with a margin), and a copy of this script.
reserve() {
    # A rollback uses the space of the start that failed.
    [ -z "${QOSC_LOCK-}" ] || return 0
    copies=0 changes=0 script=0
    set -- "$state/described.new" "$state/steps"
    [ -n "$rate_up" ] || [ -e "$state/script" ] || [ ! -f "$0" ] || set -- "$@" "$0"
    {
        read -r copies _
        read -r changes _
        [ $# = 2 ] || read -r script _
    } <<SIZES
$(wc -c "$@" 2>/dev/null)
SIZES
    try_space $((5 * copies + changes + script))
}

# Ends the script if there is too little space for $1 bytes.
try_space() {
    # A full disk has cut short the files so far, so some space is always needed.
    needed=$(($1 / 1024 + 16))
    set -f
    # Available blocks, capacity and mount point are the last words of df.
    # shellcheck disable=SC2046
    set -- $(df -Pk "$state")
    set +f
    while [ $# -gt 3 ]; do shift; done
    [ "$1" -ge $needed ] || die "there is too little space in $run; free some, and try again"
}

# Brings the router from any state to the desired state.
apply() {
    if as_recorded; then
        leave_trial
        [ ! -d "/sys/class/net/$probe" ] || echo "link del dev $probe" | ip -batch -
        if [ -z "$late" ]; then
            say "up to date"
        else
            aggregates_off "$late"
            late=$(printf '%s\n' "$late" | not_stuck)
            say "up to date${late:+; turned off what makes aggregates on: $(printf '%s\n' "$late" | sed 's/ .*//' | sort -u | tr '\n' ' ')}"
            [ -n "$receivers" ] || { receiving >"$state/devices.new" && mv "$state/devices.new" "$state/devices"; }
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
    if [ -s "$state/program" ]; then
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
        look offloads || exit 1
        survey
        take_steps
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
    [ -s "$state/steps" ] || [ $marks != kept ] || [ -n "$late$(sysctls_off)" ] || changes=no
    begin_change
    leave_trial
    # If there is no copy of the last script, the rollback needs these facts.
    before_was=''
    [ -e "$state/script" ] || [ ! -e "$state/before" ] || before_was=$(cat "$state/before")
    remember
    [ ! -e "$state/state" ] || mv "$state/state" "$state/state.old"
    run_part first "could not set up the devices" || undo
    aggregates_off "$late"
    set_sysctls "$(sysctls_off)"
    # The filters read the marks, so the table comes first.
    [ $marks != late ] || load_marks || undo
    began=$(hundredths_up)
    run_part program "the kernel refused a step" || undo
    # Records for `plan` how long a tree takes: the number of lines, and their time in hundredths of a second.
    took=$(($(hundredths_up) - began))
    if read -r lines <"$state/trees"; then
        echo "$lines $took" 2>/dev/null >"$state/speed" || rm -f "$state/speed"
    fi
    [ -n "${tunnels-}" ] || leave_tunnels
    run_part last "could not remove what is not needed any more" || undo
    if [ $marks = left ]; then unload_marks; fi
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
    look_into "$state/state.new" || return 1
    mv "$state/described.new" "$state/described"
    # If the YAML names no devices, others may come: `check` tells them apart.
    [ -n "$receivers" ] || { receiving >"$state/devices.new" && mv "$state/devices.new" "$state/devices"; }
    if [ "$has_marks" = yes ]; then wanted_marks >"$state/marks"; elif [ -e "$state/marks" ]; then rm "$state/marks"; fi
    # The input of `rate` follows from the objects.
    set --
    for file in "$state/rate" "$state/base"; do [ ! -e "$file" ] || set -- "$@" "$file"; done
    [ $# = 0 ] || rm "$@"
    # tunnels {
    rm -f "$state/refused"
    [ -z "${tunnels_refused-}" ] || echo "$tunnels_refused" >"$state/refused"
    # } tunnels
    if [ ! -e "$state/script" ] || ! cmp -s "$0" "$state/script"; then
        [ ! -e "$state/script" ] || rm "$state/script"
        if is_this_script "$0"; then cat "$0" >"$state/script.new" && mv "$state/script.new" "$state/script"; fi
    fi
    mv "$state/state.new" "$state/state"
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
    [ -r "$state/state.old" ] && ! grep -q '^filter add dev [^@]' "$state/described" || return 1
    look || return 1
    survey
    mv "$state/state.old" "$state/state"
    needs_hook=no
    ! grep -q '^filter add dev @wan [ei]' "$state/described" || needs_hook=yes
    txqueuelen=$(sed -n 's/^txqueuelen //p' "$state/state")
    # A setting that the last start did not have gets its original value.
    {
        grep '^sysctl ' "$state/before"
        grep '^sysctl ' "$state/state"
    } | while read -r _ path value; do printf '%s\n' "$value" >"/proc/sys/$path"; done
    if [ -r "$state/marks" ]; then
        { printf 'add table inet qosc_%s\ndelete table inet qosc_%s\n' "$link" "$link" && cat "$state/marks"; } | nft -f - || return 1
    elif [ "$has_marks" = yes ]; then
        unload_marks
    fi
    empty_parts
    steps "$state/described" >"$state/steps" || return 1
    for part in first program last; do
        run_part $part "the way back failed, too" || return 1
    done
    switch_features "$(grep '^offload ' "$state/before" | while read -r line; do
        case $newline$before_was$newline in
        *"$newline$line$newline"*) ;;
        *) echo "${line#* }" ;;
        esac
    done)" on >/dev/null
    printf '%s\n' "$before_was" >"$state/before"
    look || return 1
    # The record may contain settings of the last script that this one does not know.
    {
        head -n 1 "$state/state"
        {
            echo '== tc'
            show
        } | read_sections tc
        ! grep -q "^ifb.* up\$" "$state/state" || echo "$ifb up"
        sed -n -e '/^table inet /,$p' -e '/^txqueuelen /p' -e '/^sysctl /p' "$state/state"
    } >"$state/state.new"
    mv "$state/state.new" "$state/state"
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
        look || exit 1
        survey
        # Without a record, a hook is ours if it has filters of ours and no others.
        if ! hook_before=$(before hook) && [ -n "$our_prefs" ]; then hook_before=made; fi
        {
            removal "$root_before"
            # A killed start may have removed the root qdisc that others made.
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
    back=$(aggregates_before)
    {
        for device in "$ifb1" "$ifb2" "$probe"; do
            ! our_ifb "$device" || echo "link del dev $device"
        done
        segments "$back" on
        if queue=$(before txqueuelen) && [ -d "/sys/class/net/$dev" ]; then echo "link set dev $dev txqueuelen $queue"; fi
        # No file is used here: a full disk must not stop a removal.
    } | ip -force -batch - >/dev/null 2>&1
    switch_by_ethtool "$back" on >/dev/null
    [ ! -r "$state/before" ] || while read -r what path value; do
        [ "$what" != sysctl ] || others "sysctl $path " >/dev/null || printf '%s\n' "$value" >"/proc/sys/$path"
    done <"$state/before"
    rm -f "$state/state" "$state/before" "$state/described" "$state/marks" "$state/script" "$state/rate" "$state/base" "$state/speed" "$state/refused" "$state/devices"
}
