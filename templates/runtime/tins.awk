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
}
