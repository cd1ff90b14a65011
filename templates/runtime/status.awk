# Reads, in sections that begin with `== NAME`: sentences; the objects with names in the comments above them; the tins
# of CAKE with their classes; the policers; and the output of `tc -s` for one device after the other, each from its root
# qdisc on, and then for the hooks. Prints the sentences and a table for each direction, or the metrics instead.
#
# A subject, such as a class, has a key: its direction and its id. `value` has the numbers of a subject under the names
# of the metrics. Counters stay texts, so they keep all digits.

$1 == "==" { section = $2; next }
section == "said" { if (metrics == "no") print_folded(); next }
section == "tins" { if (NF) read_tin($1); next }
section == "policers" { if (NF) read_policer($1); next }
section == "objects" { read_object(); note_policers(); next }
$1 == "qdisc" || $1 == "class" { read_head(); next }
$1 == "filter" || $1 == "action" { read_action(); next }
$1 == "Sent" { read_sent(); next }
kind == "root" && $3 !~ /p$/ { read_tin_row($1); next }
$1 == "backlog" && $3 ~ /p$/ && kind != "class" {
    value["backlog_bytes", key] = amount($2, 1024)
    value["backlog_packets", key] = amount($3, 1)
}
kind == "queue" && $1 == "marks" { value["ecn_marked_packets_total", key] = $2 }
kind == "queue" && after("ecn_mark") != "" { value["ecn_marked_packets_total", key] = after("ecn_mark") }

END {
    if (metrics == "yes") print_metrics()
    else { print_table("up"); print_table("down") }
}

# Prints the line in at most 80 columns.
function print_folded(    indent, line, i) {
    indent = /^ / ? "  " : ""
    line = indent $1
    for (i = 2; i <= NF; i++) {
        if (width(line $i) > 79) { print line; line = indent "  " $i }
        else line = line " " $i
    }
    print line
}

# Returns the number of characters. Most awks count bytes.
function width(text) {
    gsub(/[\200-\277]/, "", text)
    return length(text)
}

# Returns the word after another one.
function after(word,    i) {
    for (i = 1; i < NF; i++) if ($i == word) return $(i + 1)
    return ""
}

# Returns the number of a text such as 6272Kbit. A K stands for $2.
function amount(text, k) {
    return sprintf("%.0f", text * (text ~ /K/ ? k : text ~ /M/ ? k * k : text ~ /G/ ? k * k * k : 1))
}

function add(kind_of, key_of, name_of, labels_of) {
    kinds[++subjects] = kind_of; keys[subjects] = key_of; names[subjects] = name_of; labels[subjects] = labels_of
}

function read_object(    way, own, parent) {
    if (/^#/) { from = substr($0, 3); sub(/ \([^(]*\)$/, "", from) }
    if ($1 == "qdisc" && $5 == "root") {
        way = $4 == "@ifb" ? "down" : "up"
        add("link_", way SUBSEP "root", way == "up" ? "uploads" : "downloads", label("direction", way))
    }
    if ($1 != "class") return
    way = $4 == "@ifb" ? "down" : "up"
    own = way SUBSEP substr($8, 5)
    made["rate", own] = amount(after("rate"), 1)
    made["ceil", own] = amount(after("ceil"), 1)
    if ($6 == "c05:") return
    parent = way SUBSEP substr($6, 5)
    title[own] = from
    depth[own] = depth[parent] + 1
    # Only the name of a host class can have more than 64 characters.
    add("class_", own, width(from) > 64 ? substr(from, length(title[parent]) + 1) : from,
        class_labels(way, from, title[parent]))
}

# Notes the subject that the lines below belong to.
function read_head() {
    kind = $1 == "class" ? "class" : $4 == "root" ? "root" : "queue"
    if (kind == "root") way = way == "" ? "up" : "down"
    key = way SUBSEP (kind == "root" ? "root" : in_slot_a(kind == "class" ? $3 : after("parent")))
    if (kind == "root" && after("bandwidth") + 0 > 0)
        value["rate_bits_per_second", key] = amount(after("bandwidth"), 1000)
    if (kind != "class") return
    value["guarantee_bits_per_second", key] = exact("rate")
    value["ceiling_bits_per_second", key] = exact("ceil")
    if ($4 == "root") value["rate_bits_per_second", way, "root"] = exact("ceil")
}

# Returns the rate of a class. tc may cut what is below 1 kbit/s, which the script knows.
function exact(word,    seen, own) {
    seen = amount(after(word), 1000); own = made[word, key]
    return own - seen < 1000 && own - seen > -8 ? own : seen
}

# Returns a class id in slot a, without its handle. The tree may be in either slot.
function in_slot_a(id,    digit) {
    id = substr(id, 5)
    digit = index("3579bdf", substr(id, 1, 1))
    return digit ? substr("2468ace", digit, 1) substr(id, 2) : id
}

# HTB counts what was sent, the leaf what was dropped.
function read_sent() {
    sub(/,$/, "", $7)
    if (kind == "policer") read_policed()
    if (kind == "root" || kind == "class") {
        value["sent_bytes_total", key] = $2
        value["sent_packets_total", key] = $4
    }
    if (kind == "root" || kind == "queue") value["dropped_packets_total", key] = $7
}

# Prints the classes of a direction in the order of the tree, without devices of a prefix that have sent nothing. If
# CAKE schedules it, prints the tins.
function print_table(way,    n) {
    for (n = 1; n <= subjects; n++) {
        if (index(keys[n], way SUBSEP) != 1) continue
        if (kinds[n] == "link_") {
            printf "\n%47s%9s%8s%8s%8s\n", tins[way] ? "tin threshold" : "guarantee   ceiling", "sent", "packets",
                "dropped", "backlog"
            print_row(n, "  ", "", rate(n, "rate"), "sent_bytes_total", "sent_packets_total")
        } else if (kinds[n] == "tin_") print_tin(n)
        else if (names[n] !~ /\/[0-9.]+$/ || value["sent_packets_total", keys[n]] > 0)
            print_row(n, sprintf("%" (2 * depth[keys[n]] + 2) "s", ""), rate(n, "guarantee"), rate(n, "ceiling"),
                "sent_bytes_total", "sent_packets_total")
    }
}

# Prints a row of 80 columns. A long name has a line of its own.
function print_row(n, indent, first, second, bytes, packets,    row) {
    row = indent names[n]
    if (width(row) > 27) { print row; row = "" }
    row = sprintf("%s%" (28 - width(row)) "s%9s %9s%9s%8s%8s%8s", row, "", first, second, size(n, bytes),
        count(n, packets), count(n, "dropped_packets_total"), size(n, "backlog_bytes"))
    sub(/ +$/, "", row)
    print row
}

function rate(n, name) {
    name = name "_bits_per_second"
    return (name, keys[n]) in value ? short(value[name, keys[n]], "%.4g", 999.95, 1000, " kmgtpe") "bit" : ""
}

function count(n, name) {
    return (name, keys[n]) in value ? short(value[name, keys[n]], "%.4g", 999.95, 1000, " kMGTPE") : ""
}

# Sizes have units of 1024, and small ones are exact.
function size(n, name,    bytes) {
    if (!((name, keys[n]) in value)) return ""
    bytes = value[name, keys[n]] + 0
    return bytes < 10000 ? bytes "B" : short(bytes, "%.3g", 999.5, 1024, " KMGTPE") "iB"
}

# Returns a number in the unit in which it is below the limit.
function short(number, format, limit, unit, prefixes,    i) {
    number += 0
    for (i = 1; number >= limit && i < 7; i++) number /= unit
    return sprintf(format, number) (i > 1 ? substr(prefixes, i, 1) : "")
}
