# Reads the objects, with names in the comments above them, then the output of tc.

$1 == "==" { shown = 1; next }
!shown && /^#/ { from = substr($0, 3); sub(/ \([^(]*\)$/, "", from); next }
!shown && $1 == "class" && $4 == device {
    at = substr($8, 5)
    if ($6 != "c05:") { id[++n] = at; depth[at] = depth[substr($6, 5)] + 1; name[at] = from }
}
!shown { next }
$1 == "class" || $1 == "qdisc" { kind = $1; at = $1 == "class" ? substr($3, 5) : "" }
$1 == "class" { for (i = 4; i < NF; i++) { if ($i == "rate") rate[at] = $(i + 1); if ($i == "ceil") ceil[at] = $(i + 1) } }
$1 == "qdisc" { for (i = 4; i < NF; i++) if ($i == "parent") { at = $(i + 1); sub(/^c05:/, "", at) } }
$1 == "Sent" && kind == "class" { sent[at] = $2; packets[at] = $4 }
$1 == "Sent" && kind == "qdisc" && at != "" { dropped[at] = $7; sub(/,/, "", dropped[at]) }
$1 == "backlog" && kind == "qdisc" && at != "" { backlog[at] = $2 }
END {
    row = "%-28s %10s %10s %14s %11s %9s %9s\n"
    printf "  %-4s " row, way, "class", "guarantee", "ceiling", "bytes", "packets", "dropped", "backlog"
    for (i = 1; i <= n; i++) {
        at = id[i]
        indent = ""
        for (d = 1; d < depth[at]; d++) indent = indent "  "
        printf "       " row, indent name[at], rate[at], ceil[at], sent[at], packets[at], dropped[at], backlog[at]
    }
}
