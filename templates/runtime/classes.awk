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
}
