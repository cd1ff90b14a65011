# --- the desired state

# Reads a line of the objects, and fills in the words with an @ that depend on this router.
function read_object(    i) {
    object_line++
    if (/^[ \t]*#/) { from = $0; sub(/^[ \t]*# ?/, "", from); class_id = ""; return }
    if (!NF || unknown != "") return
    sub(/ # .*/, "")
    # Most lines have no other word than these, and there may be many lines.
    sub(/ @overhead /, " " overhead " ")
    if (/ @([^wi]|w[^a]|wa[^n]|wan[^ ]|i[^f]|if[^b]|ifb[^ ])/)
        for (i = 2; i <= NF; i++) if ($i ~ /^@/ && $i !~ /^@(wan|ifb|port|tags|pops)$/) fill(i)
    # No line may reach a device that is not ours.
    if ($1 !~ /^(qdisc|class|filter|@with)$/) refuse($1)
    else if ($1 != "@with" && ($3 != "dev" || $4 !~ /^@(wan|ifb)$/)) refuse($4)
    if (unknown != "") return
    if ($9 == "fq_codel" && ($4 == "@ifb" ? leaves_down : leaves_up) == "yes") split_aggregates()
    name_of_line = $1 == "qdisc" && $6 == class_id ? queue_of(from) : from
    class_id = $1 == "class" ? $8 : ""
    # The part `tunnels` has marked the lines of devices that are there.
    if ($1 == "@with" && !sub(/^@with \/ /, "")) return
    wanted[++wants] = $0 " # " name_of_line
}

function fill(i,    name) {
    if (!("overhead" in word_for)) {
        word_for["overhead"] = overhead
        word_for["ingress_overhead"] = ingress_overhead
        word_for["cake_overhead"] = cake_overhead
        word_for["cake_leaf_overhead"] = cake_leaf_overhead
        word_for["stab"] = stab_words
    }
    name = substr($i, 2)
    if (!(name in word_for)) refuse($i)
    $i = word_for[name]
    gsub(/  +/, " ")
}

function refuse(word) { if (unknown == "") unknown = object_line " " word }

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

# Adds the settings. `given` names a file with another desired state.
function describe(    i, line) {
    if (described_once++) return
    if (given != "") {
        wants = tables = 0
        while ((getline line <given) > 0 && line != "== shown") {
            if (line == "== described") is_described = 1
            else if (is_described && line ~ /^mark /) table[++tables] = substr(line, 6)
            else if (is_described) wanted[++wants] = line
        }
        close(given)
        return
    }
    if (txqueuelen != "") wanted[++wants] = "txqueuelen " txqueuelen
    for (i = 1; i <= sysctls; i++) wanted[++wants] = "sysctl " sysctl[i] " " sysctl_value[i]
}
