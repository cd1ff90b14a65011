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
        for (i = 2; i <= NF; i++) if ($i ~ /^@/ && $i !~ /^@(wan|ifb|port|tags)$/) fill(i)
    # A trial must not reach a device with traffic.
    if ($1 !~ /^(qdisc|class|filter|@with)$/) refuse($1)
    else if ($1 != "@with" && ($3 != "dev" || $4 !~ /^@(wan|ifb)$/)) refuse($4)
    if (unknown != "") return
    if ($9 == "fq_codel" && ($4 == "@ifb" ? leaves_down : leaves_up) == "yes") split_aggregates()
    name_of_line = $1 == "qdisc" && $6 == class_id ? queue_of(from) : from
    class_id = $1 == "class" ? $8 : ""
    if ($1 == "@with") {
        if (with_tunnel()) wanted[++wants] = $0 " # " name_of_line
        return
    }
    wanted[++wants] = $0 " # " name_of_line
    if (trial != "") keep_for_trial()
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

# Adds the settings and scales to the rates in force. `given` names a file with another desired state.
function describe(    i, line) {
    if (described_once++) return
    if (given != "") {
        wants = 0
        while ((getline line <given) > 0) wanted[++wants] = line
        close(given)
        return
    }
    if (rate_up != "") scale()
    if (txqueuelen != "") wanted[++wants] = "txqueuelen " txqueuelen
    for (i = 1; i <= sysctls; i++) wanted[++wants] = "sysctl " sysctl[i] " " sysctl_value[i]
}

# --- the trial on a probe device: all lines, or if there are many, some of each kind

# Keeps a line for the trial. There may be very many lines, so it keeps a sample of each kind, and all classes.
function keep_for_trial(    sample) {
    tries++
    sample = ++like[$1, $4, $5, $1 == "filter" ? $11 : $9, NF] <= 50 || tries <= 250
    if (!sample && $1 != "class") return
    try_line[++try_lines] = $0
    if (sample) { is_sample[try_lines] = 1; try_name[try_lines] = name_of_line ", line " object_line " of the objects" }
    else try_name[try_lines] = name_of_line
    if ($5 == "root") is_root[try_lines] = 1
    if ($8 == "c05:a000") {
        is_sample[++try_lines] = 1
        try_name[try_lines] = name_of_line
        try_line[try_lines] = "filter add dev " $4 \
            " parent c05:a000 pref 4 protocol all u32 match u32 0 0 at 0 action goto chain 1"
    }
    if ($1 == "class") class_of[try_lines] = $8
}

function write_trial(file,    n) {
    if (needs_hook == "yes") print "qdisc add dev " trial " clsact" >file
    for (n = 1; n <= try_lines; n++) {
        if (n in is_root) begin_tree(n, file)
        else if (n in class_of) class_at[class_of[n]] = n
        if (tries <= 250 || ((n in is_sample) && !(shape(try_line[n]) in tried))) try(n, file)
    }
    close(file)
}

# Both directions are tried on one device, one after the other.
function begin_tree(n, file) {
    if (rooted++) print "qdisc del dev " trial " root" >file
    split("", class_at)
    split("", done)
}

# Prints line n after the lines that it needs: the class of a leaf or of a filter, and the parents of a class.
function try(n, file,    word, text) {
    if (n in done) return
    done[n] = 1
    split(try_line[n], word, " ")
    if (word[1] == "class") try_class(word[6], file)
    else if (word[1] == "qdisc" && word[5] == "parent") try_class(word[6], file)
    else if (match(try_line[n], / flowid [^ ]+/)) try_class(substr(try_line[n], RSTART + 8, RLENGTH - 8), file)
    text = try_line[n]
    tried[shape(text)] = 1
    gsub(/@(wan|ifb)/, trial, text)
    # The kernel may already have a police with this index.
    gsub(/ index [0-9]+/, "", text)
    print text " # " try_name[n] >file
}

function try_class(id, file) { if (id in class_at) try(class_at[id], file) }

# Returns a line without its numbers. Lines with the same shape work or fail together.
function shape(text) {
    gsub(/[0-9a-f]*[0-9:][0-9a-f:.x]*/, "N", text)
    return text
}
