# --- the call rate: other line rates than those of the YAML ---------------------------------------------------------

# Sets bps from a rate as the YAML writes it, such as `6.5mbit`. Fails with a message if it is not a rate.
read_rate() {
    rest=${1#"${1%%[! ]*}"}
    number=${rest%%[!0-9.]*}
    unit=${rest#"$number"}
    unit=${unit#"${unit%%[! ]*}"}
    unit=${unit%"${unit##*[! ]}"}
    case $number in
    '' | .*)
        fail "'$1' is not a rate: it does not begin with a number; write a number and a unit, such as 6.5mbit"
        return 1
        ;;
    *.*.* | *.)
        fail "the number of the rate '$1' has a point too many"
        return 1
        ;;
    0[0-9]*)
        fail "the rate '$1' begins with a zero, which some programs read as octal"
        return 1
        ;;
    esac
    written=$unit
    case $unit in
    */[sS])
        unit=${unit%/?}
        unit=${unit%"${unit##*[! ]}"}
        ;;
    esac
    case $unit in
    [bB][iI][tT]) places=0 ;;
    [kK][bB][iI][tT]) places=3 ;;
    [mM][bB][iI][tT]) places=6 ;;
    [gG][bB][iI][tT]) places=9 ;;
    ,*)
        fail "the rate '$1' has a comma: decimals follow a point"
        return 1
        ;;
    '')
        fail "the rate '$1' has no unit: write ${number}mbit if megabits a second are meant"
        return 1
        ;;
    *[bB][pP][sS])
        fail "the rate '$1' means bytes a second to tc and bits a second to people: write bit, kbit, mbit or gbit"
        return 1
        ;;
    *)
        fail "the rate '$1' has the unknown unit '$written': the units are bit, kbit, mbit and gbit, powers of 1000"
        return 1
        ;;
    esac
    fraction=''
    case $number in
    *.*) fraction=${number#*.} number=${number%.*} ;;
    esac
    while :; do
        case $fraction in
        *0) fraction=${fraction%0} ;;
        *) break ;;
        esac
    done
    if [ ${#fraction} -gt "$places" ]; then
        fail "the rate '$1' is not a whole number of bits a second"
        return 1
    fi
    while [ ${#fraction} -lt "$places" ]; do fraction=${fraction}0; done
    bps=$number$fraction
    # Some shells read a number with a leading zero as octal.
    while :; do
        case $bps in
        0?*) bps=${bps#0} ;;
        *) break ;;
        esac
    done
    if [ ${#bps} -gt 13 ] || [ "$bps" -gt 1000000000000 ]; then
        fail "the rate '$1' is above 1000gbit, the largest; check the unit"
        return 1
    fi
    if [ "$bps" = 0 ]; then
        fail "at the rate '$1' the line carries nothing"
        return 1
    fi
}

# Sets spoken to a rate in bit/s for people, in the largest unit that needs at most three decimals.
speak_rate() {
    step=1 unit=bit
    for larger in 1000:kbit 1000000:mbit 1000000000:gbit; do
        if [ "$1" -lt "${larger%:*}" ] || [ $(($1 % (${larger%:*} / 1000))) != 0 ]; then break; fi
        step=${larger%:*} unit=${larger#*:}
    done
    decimals=$((1000 + $1 % step * 1000 / step))
    decimals=.${decimals#1}
    while :; do
        case $decimals in
        *0 | .) decimals=${decimals%?} ;;
        *) break ;;
        esac
    done
    spoken=$(($1 / step))$decimals$unit
}

take_rates() {
    if [ $# -lt 3 ]; then
        usage >&2
        exit 2
    fi
    read_rate "$2" || exit 2
    rate_up=${bps}bit
    read_rate "$3" || exit 2
    rate_down=${bps}bit
}

# Prints the line rates in force if they are not those of the YAML.
rates() {
    [ ! -r "$state/rate" ] || cat "$state/rate"
}

# Prints ` at rate UP up and DOWN down` if `rate` was the last call that changed something.
at_rates() {
    [ -r "$state/rate" ] || return 0
    read -r rate_up rate_down <"$state/rate"
    speak_rate "${rate_up%bit}"
    printf ' at rate %s up' "$spoken"
    speak_rate "${rate_down%bit}"
    printf ' and %s down' "$spoken"
}

# Scales the tree in place. Programs that follow a line may call this ten times a second, so it starts few processes.
set_rates() {
    same_device
    read_facts || die "there is no device $dev"
    prepare
    take_lock
    lock_device
    refuse_foreign_ifbs
    choose_leaves
    # If start found no CAKE, the leaves cannot split aggregated packets.
    if [ "$leaves" = splitting ] && ! grep -qs '^qdisc [^#]* cake ' "$state/described"; then leaves=whole; fi
    only_as_before=yes
    look objects '' || exit 1
    [ "$same_device" = yes ] || die "$dev is not as this script has started it: start first"
    if [ "$same" = no ]; then
        survey
        [ -z "$foreign" ] || die "not ours, so nothing was changed:$foreign"
    fi
    expect_possible
    if [ "$same" = no ] && { [ -s "$state/first" ] || [ -s "$state/last" ]; }; then
        die "the devices are not as start has left them: start first"
    fi
    if [ -s "$state/program" ]; then
        begin_change
        : >"$state/changing"
        # The same process shows the result.
        show_lines >>"$state/program"
        run_batch tc "$state/program" "the kernel refused a step" "$state/new/shown" || undo
        [ -s "$state/new/shown" ] || undo
        finish_change
        if ! observe '' shown | engine rated - "$state/new/shown" >"$state/state" || [ ! -s "$state/state" ]; then
            die "the rates are set, but cannot be recorded: start again"
        fi
    fi
    finish_change
    echo "$rate_up $rate_down" >"$state/rate"
    settled=yes
    say "scaled$(at_rates)"
}

rate_up='' rate_down=''
newline='
'
