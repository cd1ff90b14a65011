# --- the call status ----------------------------------------------------------------------------------------------

status() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    [ "$code" != 3 ] || return 3
    printf '  %s, made by qosc from %s; header %s bytes, %s above IP on the line\n' "$dev" "$source" "$header" "$above_ip"
    any_table up "$dev"
    [ ! -d "/sys/class/net/$ifb" ] || any_table down "$ifb"
    # tunnels {
    tunnels_said
    # } tunnels
    return "$code"
}

# Where CAKE schedules, its tins by name.
any_table() {
    case $(tins) in
    "$1 "* | *"$newline$1 "*) tin_table "$1" "$2" ;;
    *) table "$1" "$2" ;;
    esac
}

# The classes of a direction by id, depth and name, from the objects and the comments above them.
class_names() {
    device=@wan
    [ "$1" = up ] || device=@ifb
    printf '%s\n' "$objects" | awk -v device="$device" '
        /^#/ { name = substr($0, 3); sub(/ \([^(]*\)$/, "", name) }
        $1 == "class" && $4 == device {
            if ($6 != "c05:") print substr($8, 5) " " depth[$6] + 0 " " name
            depth[$8] = $6 == "c05:" ? 0 : depth[$6] + 1
        }'
}

# A tin is served before those with lower numbers as long as it takes no more than its threshold.
tin_table() {
    {
        tins
        echo "== qdisc"
        tc -s qdisc show dev "$2" root
    } | awk -v way="$1" '
@include tins.awk
'
}

# The classes of a device by name, in the order of the tree. HTB counts what was sent, the leaf what was dropped.
table() {
    {
        class_names "$1"
        echo "== class"
        tc -s class show dev "$2" parent c05:
        echo "== qdisc"
        tc -s qdisc show dev "$2"
    } | awk -v way="$1" '
@include classes.awk
'
}
