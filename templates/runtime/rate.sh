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

# Prints the described lines at the line rates in force. Reads the lines of `shares`, then the described lines.
#
# The formulas are those of qosc, and values that the YAML gives stay. If qosc would reject the YAML at these
# rates, the numbers are made to fit: no rate is below 8000 bit/s (100 for a host class without a guarantee),
# no ceiling is above that of the parent, and no guarantee above its own ceiling. If the guarantees in a
# parent exceed its own, each keeps 8000 bit/s, and the rest shrinks in proportion. A guarantee of 0%, and
# each guarantee below such a class, is 100 bit/s at all line rates and counts as nothing.
scaled() {
    awk -v rate_up="${rate_up%bit}" -v rate_down="${rate_down%bit}" '
@include scaled.awk
' "$@"
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

# Writes the file `base` once after a start, for `scaled`: `shares`, then the lines at the rates of the YAML.
at_own_rates() {
    made="# ${now%%"$newline"*}, leaves $leaves${through:+, $through}" first=''
    [ ! -r "$state/base" ] || read -r first <"$state/base"
    [ "$first" != "$made" ] || return 0
    {
        echo "$made"
        shares
        lines
    } >"$state/base.new"
    expect_known "$(grep '^? ' "$state/base.new")"
    try_space 0
    mv "$state/base.new" "$state/base"
}

# Scales the tree in place. Programs that follow a line may call this ten times a second, so it starts few processes.
set_rates() {
    same_device
    read_facts || die "there is no device $dev"
    prepare
    take_lock
    lock_device
    refuse_foreign_ifbs
    look || exit 1
    held=''
    [ ! -r "$state/state" ] || IFS= read -r held <"$state/state"
    if [ "$held" != "${now%%"$newline"*}" ]; then
        die "$dev is not as this script has started it: start first"
    fi
    held=$same
    if [ "$held" = yes ]; then
        foreign='' ours=' root'
    else
        survey
        [ -z "$foreign" ] || die "not ours, so nothing was changed:$foreign"
    fi
    choose_leaves
    # If start found no CAKE, the leaves cannot split aggregated packets.
    if [ "$leaves" = splitting ] && ! grep -q '^qdisc [^#]* cake ' "$state/described"; then leaves=whole; fi
    # tunnels {
    only_as_before=yes
    # } tunnels
    take_steps
    if [ "$held" = no ] && { [ -s "$state/first" ] || [ -s "$state/last" ]; }; then
        die "the devices are not as start has left them: start first"
    fi
    if [ -s "$state/program" ]; then
        begin_change
        before_was=''
        [ -e "$state/script" ] || before_was=$(cat "$state/before")
        mv "$state/state" "$state/state.old"
        run_batch tc "$state/program" "the kernel refused a step" || undo
        look || undo
    fi
    finish_change
    mv "$state/described.new" "$state/described"
    echo "$rate_up $rate_down" >"$state/rate"
    printf '%s\n' "$now" >"$state/state"
    say "scaled$(at_rates)"
}

rate_up='' rate_down=''
newline='
'
