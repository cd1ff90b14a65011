# Prints each object for this router, with the comment above it. If `trial` is the name of a device, prints a
# trial on it: all lines, or if there are many, some of each kind.

BEGIN {
    value["overhead"] = overhead
    value["ingress_overhead"] = ingress_overhead
    value["cake_overhead"] = cake_overhead
    value["cake_leaf_overhead"] = cake_leaf_overhead
    value["stab"] = stab
}

/^[ \t]*#/ { from = $0; sub(/^[ \t]*# ?/, "", from); class = ""; next }
NF == 0 { next }
{
    sub(/ # .*/, "")
    # Most lines have no other word than these, and there may be many lines.
    sub(/ @overhead /, " " overhead " ")
    if (/ @([^wi]|w[^a]|wa[^n]|wan[^ ]|i[^f]|if[^b]|ifb[^ ])/)
        for (i = 2; i <= NF; i++) if ($i ~ /^@/ && $i !~ /^@(wan|ifb|port|tags)$/) fill(i)
    # A trial must not reach a device with traffic.
    if ($1 != "@with" && ($1 !~ /^(qdisc|class|filter)$/ || $3 != "dev" || $4 !~ /^@(wan|ifb)$/)) refuse($1 ~ /^(qdisc|class|filter)$/ ? $4 : $1)
    if ($9 == "fq_codel" && ($4 == "@ifb" ? split_down : split_up) == "yes") split_aggregates()
    origin = $1 == "qdisc" && $6 == class ? queue_of(from) : from
    class = $1 == "class" ? $8 : ""
    if (trial == "") print $0 " # " origin
    else if ($1 != "@with") keep()
}

END { if (trial != "" && !unknown) try_all() }

# Keeps a line for the trial. There may be very many lines, so it keeps a sample of each kind, and all classes.
function keep(    sample) {
    lines++
    sample = ++like[$1, $4, $5, $1 == "filter" ? $11 : $9, NF] <= 50 || lines <= 250
    if (!sample && $1 != "class") return
    line[++kept] = $0
    if (sample) { is_sample[kept] = 1; comment[kept] = origin ", line " NR " of the objects" }
    else comment[kept] = origin
    if ($5 == "root") is_root[kept] = 1
    if ($1 == "class") class_of[kept] = $8
}

function fill(i,    name) {
    name = substr($i, 2)
    if (!(name in value)) refuse($i)
    $i = value[name]
    gsub(/  +/, " ")
}

function refuse(word) {
    print "? " NR " " word
    unknown = 1
    exit
}

# CAKE replaces fq_codel, with the same memory.
function split_aggregates(    i, words) {
    words = instead
    for (i = 10; i < NF; i++) if ($i == "memory_limit") sub(/@memory/, $(i + 1), words)
    $0 = $1 " " $2 " " $3 " " $4 " " $5 " " $6 " " $7 " " $8 " " words
}

# Returns the comment of a leaf, from that of its class: `voice: queue (home.yaml:22)`.
function queue_of(from,    at, next_at) {
    while (next_at = index(substr(from, at + 1), " (")) at += next_at
    return at ? substr(from, 1, at - 1) ": queue" substr(from, at) : from ": queue"
}

function try_all(    n) {
    if (needs_hook == "yes") print "qdisc add dev " trial " clsact"
    for (n = 1; n <= kept; n++) {
        if (n in is_root) begin_tree(n)
        else if (n in class_of) class_at[class_of[n]] = n
        if (lines <= 250 || ((n in is_sample) && !(shape(line[n]) in tried))) try(n)
    }
}

# Both directions are tried on one device, one after the other.
function begin_tree(n) {
    if (rooted++) print "qdisc del dev " trial " root"
    split("", class_at)
    split("", done)
}

# Prints line n after the lines that it needs: the class of a leaf or of a filter, and the parents of a class.
function try(n,    word, i, words, text) {
    if (n in done) return
    done[n] = 1
    split(line[n], word, " ")
    if (word[1] == "class") try_class(word[6])
    else if (word[1] == "qdisc" && word[5] == "parent") try_class(word[6])
    else if (match(line[n], / flowid [^ ]+/)) try_class(substr(line[n], RSTART + 8, RLENGTH - 8))
    text = line[n]
    tried[shape(text)] = 1
    gsub(/@(wan|ifb)/, trial, text)
    # The kernel may already have a police with this index.
    gsub(/ index [0-9]+/, "", text)
    print text " # " comment[n]
}

function try_class(id) { if (id in class_at) try(class_at[id]) }

# Returns a line without its numbers. Lines with the same shape work or fail together.
function shape(text) {
    gsub(/[0-9a-f]*[0-9:][0-9a-f:.x]*/, "N", text)
    return text
}
