# --- a trial ------------------------------------------------------------------------------------------------------

# `try` starts, and a process that outlives the terminal goes back to what was before, unless `confirm` comes in time.
# Kept meanwhile: `trial` (who goes back, when, and from which script), `trying` (that script), and `back` (the script
# to go back to; none where nothing of ours was there), with `back-rate` where that was at other line rates.

seconds_up() {
    read -r uptime _ </proc/uptime
    echo "${uptime%%.*}"
}

try() {
    [ "$take_over" = no ] || die "what --take-over removes does not come back, so it cannot be tried"
    prepare_start
    # A terminal that dies takes nothing with it.
    trap '' HUP
    [ ! -e "$state/trial" ] || die "there is a trial already: $(trial_left); confirm it, or stop"
    if as_recorded && [ -z "$late" ]; then
        say "up to date: there is nothing to try"
        return 0
    fi
    cat "$0" 2>/dev/null >"$state/trying" || rm -f "$state/trying"
    is_this_script "$state/trying" || die "$0 cannot be read again, which going back may need: call it by its path"
    rm -f "$state/back" "$state/back-rate"
    [ ! -r "$state/rate" ] || cat "$state/rate" >"$state/back-rate"
    if [ -e "$state/state" ] && [ -r "$state/script" ]; then
        try_space "$(wc -c <"$state/script")"
        cat "$state/script" >"$state/back"
    fi
    began=$(seconds_up)
    id=$$.$began
    cat >"$state/watch" <<WATCH
trap '' HUP
left=$1
while [ "\$left" -gt 0 ]; do
    sleep "\$left"
    read -r _ _ ends _ <'$state/trial' || exit 0
    read -r now _ </proc/uptime
    left=\$((ends - \${now%%.*}))
done
exec sh '$state/trying' --device '$dev' go-back $id
WATCH
    # The change may cut this very connection, so who goes back is there before it.
    if command -v setsid >/dev/null; then
        QOSC_RUN=$run setsid sh "$state/watch" </dev/null >/dev/null 2>&1 &
    else
        QOSC_RUN=$run sh "$state/watch" </dev/null >/dev/null 2>&1 &
    fi
    # With the time when it began: its number alone may be another process's by the deadline.
    watcher=$(process $!)
    watcher=${watcher% *}:${watcher#* }
    trial_until $((began + $1))
    on_trial=arming
    apply
    on_trial=yes
    trial_until $(($(seconds_up) + $1))
    say "on trial: $(trial_left); \`confirm\` keeps it"
}

trial_until() {
    echo "$id $watcher $1 $digest" >"$state/trial.new"
    mv "$state/trial.new" "$state/trial"
}

# Succeeds if the process that goes back at the deadline is alive.
watched() {
    case $watcher in
    *:*) ;;
    *)
        # As older scripts wrote it.
        kill -0 "$watcher" 2>/dev/null
        return
        ;;
    esac
    [ "$(process "${watcher%:*}")" = "${watcher%:*} ${watcher#*:}" ]
}

# How long a trial has got.
trial_left() {
    read -r _ watcher ends _ <"$state/trial"
    if ! watched; then
        echo "the process that would go back is gone, so it stays until you confirm or stop it"
        return
    fi
    left=$((ends - $(seconds_up)))
    echo "it goes back in $((left > 0 ? left : 0)) s"
}

# The trial is over, whichever way.
end_trial() {
    [ -e "$state/trial" ] || return 0
    read -r id watcher _ <"$state/trial"
    rm -f "$state/trial" "$state/trying" "$state/back" "$state/back-rate" "$state/watch"
    [ "${1-}" != here ] && watched || return 0
    kill -- "-${watcher%:*}" 2>/dev/null || kill "${watcher%:*}" 2>/dev/null
    return 0
}

# Another script than the one on trial: whoever calls it has made up his mind.
leave_trial() {
    [ -e "$state/trial" ] && [ -z "${QOSC_LOCK-}" ] || return 0
    read -r _ _ _ tried <"$state/trial"
    [ "$tried" = "$digest" ] || end_trial
}

confirm() {
    take_lock
    [ -e "$state/trial" ] || die "there is no trial to confirm: it has gone back, or there was none"
    end_trial
    say "confirmed: it stays"
}

# What the process of `try` calls when time is up.
go_back() {
    take_lock
    [ -e "$state/trial" ] || return 0
    read -r id _ <"$state/trial"
    [ "$id" = "$1" ] || return 0
    finish_change
    # Another link may be at work here for long. The trial must not stay for that.
    until (lock_device) 2>/dev/null; do sleep 5; done
    locked=$dev
    if [ -r "$state/back" ] && put_back "$state/back" "$(cat "$state/back-rate" 2>/dev/null)"; then
        how="what was before is back"
    else
        same_device
        read_facts || ifindex=''
        prepare
        remove
        how="everything of ours was removed"
    fi
    end_trial here
    ! command -v logger >/dev/null || logger -t qosc "$link: the trial was not confirmed: $how"
}

# Another script's start, and its `rate` where it had been at other line rates.
put_back() {
    # shellcheck disable=SC2086 # two rates are two words
    again "$1" start && { [ -z "${2-}" ] || again "$1" rate $2; }
}

# A call of another script, under our lock.
again() {
    script=$1
    shift
    QOSC_LOCK=$(cat "$state/lock") QOSC_RUN=$run sh "$script" --device "$dev" "$@" >/dev/null
}
