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
    case $(tin_names) in
    "$1 "* | *"$newline$1 "*) tin_table "$1" "$2" ;;
    *) table "$1" "$2" ;;
    esac
}

# A tin is served before those with lower numbers as long as it takes no more than its threshold.
tin_table() {
    {
        tin_names
        echo "== qdisc"
        tc -s qdisc show dev "$2" root
    } | awk -v way="$1" '
        $1 == "==" { part = $2; next }
        part == "" { if ($1 == way) { tin[++n] = $2; sub(/^[^ ]+ [^ ]+ /, ""); name[n] = $0 }; next }
        $1 == "thresh" || $1 == "bytes" || $1 == "pkts" || $1 == "drops" || $1 == "backlog" {
            if ($1 == "backlog" && !(("thresh", 1) in said)) next
            for (i = 2; i <= NF; i++) said[$1, i - 1] = $i
        }
        END {
            printf "  %-4s %-28s %10s %10s %14s %11s %9s %9s\n", way, "class", "tin", "threshold", "bytes", "packets", "dropped", "backlog"
            for (i = 1; i <= n; i++) {
                t = tin[i]
                printf "       %-28s %10s %10s %14s %11s %9s %9s\n", name[i], t, said["thresh", t], said["bytes", t], said["pkts", t], said["drops", t], said["backlog", t]
            }
        }'
}

# The classes of a device by name, in the order of the tree. HTB counts what was sent, the leaf what was dropped.
table() {
    {
        class_names
        echo "== class"
        tc -s class show dev "$2" parent c05:
        echo "== qdisc"
        tc -s qdisc show dev "$2"
    } | awk -v way="$1" '
        $1 == "==" { part = $2; next }
        part == "" { id[++n] = $1; depth[$1] = $2; sub(/^[^ ]+ [^ ]+ /, ""); name[id[n]] = $0; next }
        part == "class" && $1 == "class" {
            at = $3; sub(/^c05:/, "", at)
            for (i = 4; i < NF; i++) { if ($i == "rate") rate[at] = $(i + 1); if ($i == "ceil") ceil[at] = $(i + 1) }
        }
        part == "qdisc" && $1 == "qdisc" { at = ""; for (i = 4; i < NF; i++) if ($i == "parent") { at = $(i + 1); sub(/^c05:/, "", at) } }
        $1 == "Sent" && part == "class" { sent[at] = $2; packets[at] = $4 }
        $1 == "Sent" && part == "qdisc" && at != "" { dropped[at] = $7; sub(/,/, "", dropped[at]) }
        $1 == "backlog" && part == "qdisc" && at != "" { backlog[at] = $2 }
        END {
            printf "  %-4s %-28s %10s %10s %14s %11s %9s %9s\n", way, "class", "guarantee", "ceiling", "bytes", "packets", "dropped", "backlog"
            for (i = 1; i <= n; i++) {
                c = id[i]
                # The class of a host that asks for nothing in this direction is not there.
                if (!(c in rate) && name[c] ~ /\//) continue
                indent = ""
                for (d = 0; d < depth[c]; d++) indent = indent "  "
                printf "       %-28s %10s %10s %14s %11s %9s %9s\n", indent name[c], rate[c], ceil[c], sent[c], packets[c], dropped[c], backlog[c]
            }
        }'
}
