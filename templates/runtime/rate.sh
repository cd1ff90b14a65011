# --- the call rate: other line rates than those of the YAML ---------------------------------------------------------

# Sets bps from a rate as the YAML writes it, such as `6.5mbit`. Fails with a message if it is not a rate.
read_rate() {
    number=${1#"${1%%[! ]*}"}
    unit=${number#"${number%%[!0-9.]*}"}
    number=${number%"$unit"}
    unit=${unit%"${unit##*[! ]}"}
    unit=${unit%/[sS]}
    unit=${unit%"${unit##*[! ]}"}
    unit=${unit#"${unit%%[! ]*}"}
    case $unit in
    [bB][iI][tT]) decimals='' ;;
    [kK][bB][iI][tT]) decimals='???' ;;
    [mM][bB][iI][tT]) decimals='??????' ;;
    [gG][bB][iI][tT]) decimals='?????????' ;;
    *) number='' decimals='' ;;
    esac
    # The digits after the point, one for each `?` of the unit. If digits below 1 bit/s remain, they must be zeros.
    fraction=${number#"${number%%.*}"}000000000
    fraction=${fraction#.}
    # shellcheck disable=SC2295 # decimals is a pattern.
    below=${fraction#$decimals}
    bps=${number%%.*}${fraction%"$below"}
    # Some shells read a number with a leading zero as octal.
    bps=${bps#"${bps%%[!0]*}"}
    case $number:$below in
    :* | .* | *.:* | *.*.* | 0[0-9]* | *:*[!0]*) bps='' ;;
    esac
    [ ${#bps} -le 12 ] || [ "$bps" = 1000000000000 ] || bps=''
    [ -z "$bps" ] || return 0
    fail "'$1' is not a rate from 1bit to 1000gbit: write a number and bit, kbit, mbit or gbit, such as 6.5mbit"
    return 1
}

# Sets spoken to $1 bit/s for people, in the largest unit that needs at most three decimals.
speak_rate() {
    case $1 in
    ????*000000) spoken=${1%000000} unit=gbit ;;
    ????*000) spoken=${1%000} unit=mbit ;;
    ????*) spoken=$1 unit=kbit ;;
    *) spoken=${1}000 unit=bit ;;
    esac
    decimals=${spoken#"${spoken%???}"}
    decimals=${decimals%"${decimals##*[!0]}"}
    spoken=${spoken%???}${decimals:+.$decimals}$unit
}

take_rates() {
    [ $# -ge 3 ] || misuse "rate takes both directions: rate UP DOWN, with - for one that stays as it is"
    rate_up=- rate_down=-
    [ "$2" = - ] || { read_rate "$2" && rate_up=${bps}bit; } || exit 2
    [ "$3" = - ] || { read_rate "$3" && rate_down=${bps}bit; } || exit 2
}

# Adds ` at rate UP up and DOWN down` to at if `rate` was the last call that changed something.
add_rates() {
    [ -n "$held_rates" ] || return 0
    rate_up=${held_rates% *} rate_down=${held_rates#* }
    speak_rate "${rate_up%bit}"
    at="$at at rate $spoken up"
    speak_rate "${rate_down%bit}"
    at="$at and $spoken down"
}

# Takes the lock of a call that changes the tree, and finds the facts that its objects need.
take_device() {
    find_tools
    take_lock
    read_device
}

# Scales the tree in place. Programs that follow a line may call this ten times a second, so it starts few processes.
set_rates() {
    same_device
    [ -d "/sys/class/net/$dev" ] || die "there is no device $dev"
    take_device
    # A `-` stands for the rate in force.
    rates=${held_rates:-$line_rates}
    [ "$rate_up" != - ] || rate_up=${rates% *}
    [ "$rate_down" != - ] || rate_down=${rates#* }
    only_as_before=yes
    find_follower
    [ "$following" != yes ] || die "\`follow\` adapts the rates: end it first"
    look objects '' || exit 1
    { [ "$same_device" = yes ] && [ ! -s "$state/program" ]; } ||
        die "$dev is not as this script has started it: start first"
    expect_possible
    if [ "$same" = no ]; then
        add_ifbs
        [ -z "$foreign" ] || die "not ours, so nothing was changed:$foreign"
        [ -z "$early$first$final" ] || die "the devices are not as start has left them: start first"
    fi
    changes=no
    if [ -n "$program" ]; then
        changes=yes
        begin_change
        run_batch tc "$program" "the kernel refused a step" || undo
        finish_change
    fi
    held_rates="$rate_up $rate_down" who=$made
    # The engine still reads the record that this one replaces.
    write_record rated || die "the rates are set, but cannot be recorded: start again"
    find_rates
    say "scaled$at"
}

# Keeps the rates in force, if a hook calls start and neither the script nor the device is another one.
keep_rates() {
    [ "$if_present$anew" = yes ] && [ -n "$held_rates" ] || return 0
    find_who
    # A variant with the same line rates keeps them, too.
    [ "$same_rates" = no ] || [ "${made#by * }" != "${who#by * }" ] || made=$who
    [ "$made" != "$who" ] || rate_up=${held_rates% *} rate_down=${held_rates#* }
}

# Prints the line rates of a variant.
# shellcheck disable=SC2317 # variants call these
rates_of() {
    [ -z "$1" ] || vary "$1"
    echo "$line_rates"
}

# shellcheck disable=SC2317
# Notes whether the variants $1 and $2 have the same line rates.
compare_rates() {
    [ -z "$held_rates" ] || [ "$(rates_of "$1")" != "$(rates_of "$2")" ] || same_rates=yes
}

shares() { printf '== shares\n%s' "$share_list"; }

same_rates=no same_device='' parts="$parts rate"
more_calls=$more_calls'
  rate UP DOWN   scales the tree in place to other line rates, such as 6.5mbit 25mbit, until the next start; - keeps
                 one; start --if-present keeps both'
# shellcheck disable=SC2016 # awk
engine_rules=$engine_rules'
@include scaled.awk
'
