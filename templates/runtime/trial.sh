# --- a trial ------------------------------------------------------------------------------------------------------

# The file `trial` has the id, the watchdog, the deadline and the digest, `back` the records to return to.

# Sets seconds to the uptime.
seconds_up() {
    hundredths_up
    seconds=$((now / 100))
}

try() {
    [ "$take_over" = no ] || die "what --take-over removes does not come back, so it cannot be tried"
    prepare_start
    # A lost terminal does not stop the trial.
    trap '' HUP
    [ ! -e "$state/trial" ] || die "there is a trial already: $(trial_left); confirm it, or undo it"
    if as_recorded && [ -z "$late" ]; then
        say "up to date: there is nothing to try"
        return 0
    fi
    if [ -e "$state/state" ]; then
        rm -rf "$state/back"
        { mkdir "$state/back" && cp "$state/state" "$state/before" "$state/back"; } ||
            die "cannot write $state: there may be no space left"
    fi
    seconds_up
    began=$seconds
    id=$$.$began
    # The change may cut this very connection, so the watchdog runs first.
    watch "$1" "$id" &
    # With its start time: by the deadline, its number alone may belong to another process.
    find_process $!
    watcher=${process% *}:${process#* }
    trial_until $((began + $1)) || die "cannot write $state: there may be no space left"
    on_trial=arming
    apply
    on_trial=yes
    seconds_up
    trial_until $((seconds + $1))
    find_trial
    say "${trying#, }"
}

# Rolls back the trial $2 after $1 seconds or later. It has the functions in its memory: the script may be a pipe.
watch() {
    # Not at the call: for a function, dash and ash keep the old streams open, and an SSH session would wait for them.
    # The lock would be held as long as one of its descriptors is open.
    exec </dev/null >/dev/null 2>&1 9<&-
    trap '' HUP INT QUIT PIPE
    left=$1
    while :; do
        # If the trial ends meanwhile, `sleep` outlives the watchdog.
        sleep $((left < 60 ? left : 60))
        time_left "$2" || exit 0
        # Another call may be at work, or there is too little space: this never gives up.
        if [ "$left" -le 0 ]; then
            (go_back "$2") && exit
            left=1
        fi
    done
}

# Sets left to the seconds that the trial $1 has left. Fails if it has ended.
time_left() {
    read -r id _ ends _ 2>/dev/null <"$state/trial" && [ "$id" = "$1" ] || return 1
    seconds_up
    left=$((ends - seconds))
}

trial_until() {
    { echo "$id $watcher $1 $digest" >"$state/next"; } 2>/dev/null && mv "$state/next" "$state/trial"
}

# Succeeds if the watchdog is alive.
watched() {
    find_process "${watcher%:*}" || return 1
    # Older scripts wrote only the number.
    case $watcher in *:*) [ "$process" = "${watcher%:*} ${watcher#*:}" ] ;; esac
}

# Prints how much time the trial has left.
trial_left() {
    read -r _ watcher ends _ <"$state/trial"
    if ! watched; then
        echo "the process that would go back is gone, so it stays until you confirm or undo it"
        return
    fi
    seconds_up
    left=$((ends - seconds))
    echo "it goes back in $((left > 0 ? left : 0)) s"
}

# Sets trying to what becomes of a configuration on trial, and how to keep it.
find_trial() {
    trying=''
    [ ! -e "$state/trial" ] || trying=", on trial: $(trial_left); \`confirm\` keeps it"
}

# Ends the trial. Also ends the watchdog, unless $1 is `here`: then this process is the watchdog.
end_trial() {
    [ -e "$state/trial" ] || return 0
    read -r id watcher _ <"$state/trial"
    rm -rf "$state/trial" "$state/back"
    [ "${1-}" != here ] && watched || return 0
    kill "${watcher%:*}" 2>/dev/null
    return 0
}

# Ends the trial, unless the script on trial just starts again. Whoever starts another one, or restarts, has decided.
leave_trial() {
    [ -e "$state/trial" ] || return 0
    read -r _ _ _ tried <"$state/trial"
    [ "$tried$anew" = "$digest" ] || end_trial
}

confirm() {
    take_lock
    [ -e "$state/trial" ] || die "there is no trial to confirm: it has gone back, or there was none"
    end_trial
    say "confirmed: it stays"
}

# Rolls back the trial $1 if its deadline has passed. The watchdog calls this. Fails if it must be called again.
go_back() {
    take_lock
    time_left "$1" || exit 0
    # The change took longer than the trial, and has moved the deadline.
    [ "$left" -le 0 ] || exit 1
    roll_back
    end_trial here
    ! command -v logger >/dev/null || logger -t qosc "$link: the trial was not confirmed: $how"
}

# Rolls back the trial before its deadline. If this call is killed, the watchdog does it.
undo_trial() {
    take_lock
    [ -e "$state/trial" ] || die "there is no trial to undo: it has gone back, or there was none"
    roll_back
    end_trial
    [ "$gone_back" = yes ] || die "$how"
    say "undone: $how"
}

# Returns to the state before the trial, and sets how to what became of it. Sets gone_back.
roll_back() {
    finish_change
    pause_follower
    on_trial=over gone_back=yes
    try_space 0
    same_device
    read_facts || ifindex=''
    find_tools
    # What was before may have been on another device.
    was_on=$(sed -n 's/^device //p' "$state/back/before" 2>/dev/null)
    case $was_on in
    '' | "$dev "* | *" $ifindex") ;;
    *)
        dev=${was_on% *}
        leave_device || :
        read_facts || ifindex=''
        ;;
    esac
    if [ -n "$ifindex" ] && [ -d "$state/back" ] && put_back "$state/back/state" "$(cat "$state/back/before")"; then
        how="what was before is back"
    elif remove; then
        how="everything of ours was removed"
    else
        how="not all of ours could be removed: stop, or start again" gone_back=no
    fi
}
