# Reads, in sections that begin with `== NAME`: the tins of CAKE with their classes, the objects with names in the
# comments above them, and the output of `tc -s` for one device after the other, each from its root qdisc on. Prints a
# table for each device: the classes in the order of the tree, or the tins if CAKE schedules the direction.

$1 == "==" { section = $2; next }
section == "tins" { if (NF) read_tin($1); next }
section == "objects" { read_object(); next }
$1 == "qdisc" && $4 == "root" { way = way == "" ? "up" : "down"; kind = "root"; at = ""; next }
$1 == "qdisc" {
    kind = "qdisc"
    at = ""
    for (i = 4; i < NF; i++) if ($i == "parent") { at = $(i + 1); sub(/^c05:/, "", at) }
}
$1 == "class" {
    kind = "class"
    at = substr($3, 5)
    for (i = 4; i < NF; i++) { if ($i == "rate") rate[way, at] = $(i + 1); if ($i == "ceil") ceil[way, at] = $(i + 1) }
}
kind == "root" && /^ *(thresh|bytes|pkts|drops|backlog) / {
    if ($1 == "backlog" && !((way, "thresh", 1) in said)) next
    for (i = 2; i <= NF; i++) said[way, $1, i - 1] = $i
}
$1 == "Sent" && kind == "class" { sent[way, at] = $2; packets[way, at] = $4 }
$1 == "Sent" && kind == "qdisc" && at != "" { dropped[way, at] = $7; sub(/,/, "", dropped[way, at]) }
$1 == "backlog" && kind == "qdisc" && at != "" { backlog[way, at] = $2 }

END {
    row = "%-28s %10s %10s %14s %11s %9s %9s\n"
    print_table("up")
    if (way == "down") print_table("down")
}

function read_tin(way) {
    tin[way, ++tins[way]] = $2
    sub(/^[^ ]+ [^ ]+ /, "")
    title[way, tins[way]] = $0
}

function read_object(    way, id) {
    if (/^#/) { from = substr($0, 3); sub(/ \([^(]*\)$/, "", from) }
    if ($1 != "class" || $6 == "c05:") return
    way = $4 == "@ifb" ? "down" : "up"
    id = substr($8, 5)
    class[way, ++classes[way]] = id
    depth[way, id] = depth[way, substr($6, 5)] + 1
    title[way, id] = from
}

function print_table(way) {
    if (tins[way]) print_tins(way)
    else print_classes(way)
}

# Prints the tins of a CAKE. A tin has priority over those with lower numbers while it is within its threshold.
function print_tins(way,    i, id) {
    printf "  %-4s " row, way, "class", "tin", "threshold", "bytes", "packets", "dropped", "backlog"
    for (i = 1; i <= tins[way]; i++) {
        id = tin[way, i]
        printf "       " row, title[way, i], id, said[way, "thresh", id], said[way, "bytes", id],
            said[way, "pkts", id], said[way, "drops", id], said[way, "backlog", id]
    }
}

# HTB counts what was sent, the leaf what was dropped.
function print_classes(way,    i, id, indent) {
    printf "  %-4s " row, way, "class", "guarantee", "ceiling", "bytes", "packets", "dropped", "backlog"
    for (i = 1; i <= classes[way]; i++) {
        id = class[way, i]
        indent = sprintf("%" 2 * (depth[way, id] - 1) "s", "")
        printf "       " row, indent title[way, id], rate[way, id], ceil[way, id], sent[way, id],
            packets[way, id], dropped[way, id], backlog[way, id]
    }
}
