# --- variants: settings for a part of the day -------------------------------------------------------------------------

# Sets due to the variant for the time on the clock, or to nothing, which a clock that is not
# set chooses.
find_due() {
    clock=$(date '+%Y%m%d %u%H%M')
    if [ "${clock% *}" -lt "$not_before" ]; then
        case $call in
        check | status | switch) due=$variant ;;
        *) due='' && warn "the clock is not set, so no variant is chosen: it says $(date)" ;;
        esac
        return
    fi
    due=${switches##*:} # Before the first switch of a week, that of the last week holds.
    for change in $switches; do
        [ "${clock#* }" -lt "${change%%:*}" ] || due=${change#*:}
    done
}

# Prints the line rates of a variant.
rates_of() {
    [ -z "$1" ] || vary "$1"
    echo "$line_rates"
}

# Sets variant to that of the last start, or to the due one for a call that starts, and takes what it sets.
choose_variant() {
    read -r _ ran _ 2>/dev/null <"$state/state" || ran=''
    case $ran in
    "$digest") ;;
    "$digest-"*) variant=${ran#*-} ;;
    *) ran='' ;; # It is not started, or by another script.
    esac
    case $call in
    check | status)
        find_due
        if [ -z "$ran" ] || [ "$due" = "$variant" ]; then
            waiting=''
        elif [ -n "$due" ]; then
            waiting="; variant $due is due: start"
        else
            waiting="; variant $variant is over: start"
        fi
        ;;
    start | reload | restart | try | print | dump | switch)
        find_due
        if [ "$call" = switch ]; then
            [ -n "$ran" ] && [ "$due" != "$variant" ] && [ ! -e "$state/trial" ] || exit 0
            call=start if_present=yes
        fi
        [ ! -e "$state/rate" ] || [ "$(rates_of "$variant")" != "$(rates_of "$due")" ] || same_rates=yes
        variant=$due
        ;;
    esac
    [ -z "$variant" ] || vary "$variant"
}
