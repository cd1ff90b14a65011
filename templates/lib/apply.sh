# --- apply and undo -----------------------------------------------------------------------------------------------

# A start on another device than the last one leaves nothing on that. True when there was something to leave.
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

# True if the kernel holds what the last start left, at the rates of the file. Offloads may be on again: see aggregates.
as_recorded() {
    [ "$(recorded)" = "$now" ] && [ ! -e "$state/rate" ]
}

# Tries whether there is space for all that a start writes from here on: its steps twice, what the kernel then holds twice
# and at up to twice the length, and a copy of this script.
reserve() {
    # The way back uses the space of the start that failed.
    [ -z "${QOSC_LOCK-}" ] || return 0
    text=$state/described.new
    if [ -r "$0" ]; then set -- "$0"; else set --; fi
    try_space "$text" "$text" "$text" "$text" "$text" "$text" "$@"
}

# Ends the script if there is no space for a copy of these files.
try_space() {
    cat "$@" 2>/dev/null >"$state/space.new" || die "there is too little space in $run: nothing was changed"
    rm "$state/space.new"
}

# From whatever is there to what is described.
apply() {
    if as_recorded; then
        leave_trial
        [ ! -d "/sys/class/net/ifbp-$link" ] || echo "link del dev ifbp-$link" | ip -batch -
        if [ -z "$late" ]; then
            say "up to date"
        else
            aggregates_off "$late"
            late=$(printf '%s\n' "$late" | not_stuck)
            say "up to date${late:+; turned off what makes aggregates on: $(printf '%s\n' "$late" | sed 's/ .*//' | sort -u | tr '\n' ' ')}"
            [ -n "$receivers" ] || receiving >"$state/devices"
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
    case $ours:$root_before in
    *root*:* | *:default) ;;
    *) warn "the root qdisc of $dev was made by others, and is replaced until \`stop\`: $root_before" ;;
    esac
    [ "$frames:$header" != auto:22 ] || warn "$dev carries PPPoE frames: they are counted right, but no filter sees the IP packets inside; shape the ppp device instead"
    # tunnels {
    warn_wrapped
    # } tunnels
    if kernel_ignores_mpu; then warn "this kernel ($version) ignores mpu: packets below $mpu bytes are charged less than they take on the line"; fi

    begin_change
    leave_trial
    remember
    [ ! -e "$state/state" ] || rm "$state/state"
    {
        [ ! -d "/sys/class/net/ifbp-$link" ] || echo "link del dev ifbp-$link"
        # What comes before the first command for tc.
        sed -n -e '/^tc /q' -e 's/^ip //p' "$state/steps"
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
    took=$(($(hundredths_up) - began))
    awk -v took=$took '/^qdisc replace .* root / { made = 1 } END { if (made) print NR " " took }' "$state/program" >"$state/speed.new"
    [ ! -s "$state/speed.new" ] || mv "$state/speed.new" "$state/speed"
    [ -n "${tunnels-}" ] || leave_tunnels
    sed -n '/^tc /,$s/^ip //p' "$state/steps" >"$state/batch"
    if [ -s "$state/batch" ]; then
        drain
        run_batch ip "$state/batch" "could not remove what is not needed any more" || undo
    fi
    if [ $marks = left ]; then unload_marks; fi
    forget_settings
    finish_change
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
    # Where the YAML names no devices, others may come: `check` tells them apart.
    [ -n "$receivers" ] || receiving >"$state/devices"
    if [ "$has_marks" = yes ]; then wanted_marks >"$state/marks"; elif [ -e "$state/marks" ]; then rm "$state/marks"; fi
    [ ! -e "$state/rate" ] || rm "$state/rate"
    # tunnels {
    rm -f "$state/refused"
    [ -z "${tunnels_refused-}" ] || echo "$tunnels_refused" >"$state/refused"
    # } tunnels
    if [ ! -e "$state/script" ] || ! grep -qsxF "digest='$digest'" "$state/script"; then
        [ ! -e "$state/script" ] || rm "$state/script"
        if grep -qsxF "digest='$digest'" "$0"; then cat "$0" >"$state/script.new" && mv "$state/script.new" "$state/script"; fi
    fi
    mv "$state/state.new" "$state/state"
}

# All or nothing: back to what the last start left where it was ours, and otherwise everything of ours goes. Then
# traffic flows as without us.
undo() {
    finish_change
    # The way back itself: whoever called knows what to do.
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

# A signal in the middle of a change.
interrupted() {
    interrupted=$1
    fail "interrupted"
    undo
}

# Takes away what `start` made, from whatever state it was left in.
remove() {
    finish_change
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
            ! our_ifb "$device" || echo "link del dev $device"
        done
        if queue=$(before txqueuelen) && [ -d "/sys/class/net/$dev" ]; then echo "link set dev $dev txqueuelen $queue"; fi
        # Not by way of a file: a full disk must not stop a removal.
    } | ip -force -batch - >/dev/null 2>&1
    aggregates_back
    grep -s '^sysctl ' "$state/before" | while read -r _ path value; do
        others "sysctl $path " >/dev/null || printf '%s\n' "$value" >"/proc/sys/$path"
    done
    rm -f "$state/state" "$state/before" "$state/described" "$state/marks" "$state/script" "$state/rate" "$state/base" "$state/speed" "$state/refused" "$state/devices"
}
