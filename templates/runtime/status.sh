# --- the call status ----------------------------------------------------------------------------------------------

status() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    [ "$code" != 3 ] || return 3
    printf '  %s, made by qosc from %s; header %s bytes, %s above IP on the line\n' "$dev" "$source" "$header" "$above_ip"
    any_table up "$dev" @wan
    [ ! -d "/sys/class/net/$ifb" ] || any_table down "$ifb" @ifb
    # tunnels {
    tunnels_said
    # } tunnels
    return "$code"
}

# Prints the classes of a direction on a device, or its tins if CAKE schedules the direction.
any_table() {
    case $(tins) in
    "$1 "* | *"$newline$1 "*) tin_table "$1" "$2" ;;
    *) table "$@" ;;
    esac
}

# Prints the tins by name. A tin has priority over those with lower numbers while it is within its threshold.
tin_table() {
    {
        tins
        echo "== qdisc"
        tc -s qdisc show dev "$2" root
    } | awk -v way="$1" '
@include tins.awk
'
}

# Prints the classes by name in the order of the tree. HTB counts what was sent, the leaf what was dropped.
table() {
    {
        printf '%s\n' "$objects"
        echo '== shown'
        printf 'class show dev %s parent c05:\nqdisc show dev %s\n' "$2" "$2" | tc -s -batch -
    } | awk -v way="$1" -v device="$3" '
@include classes.awk
'
}
