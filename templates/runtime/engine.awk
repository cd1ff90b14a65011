# Reads the sections of `observe`, and prints what `only` names, or facts for the shell (see docs/script.md).

BEGIN { part = "hooks" }
$1 == "==" { enter($2); next }
section == "sysctls" { if (NF) read_setting(); next }
section == "receiving" { if (NF) { receiver[++receivers] = $1; is_receiver[$1] = 1 } next }
section == "sending" { if (NF) { sender[++senders] = $1; is_sender[$1] = 1 } next }
section == "marks" { if (NF || marks) mark[++marks] = $0; next }
section == "table" { read_table(); next }
section == "features" { read_feature(); next }
section == "links" { read_link(); next }
section == "objects" { read_object(); next }
section == "tc" {
    line = normal($0)
    if (line == "") next
    shown[++tc] = line
    # Most lines are classes, leaf qdiscs and details of filters.
    if (/^filter / || /^qdisc / || (part == "wan" && $1 == "linklayer")) note_known()
}

END {
    if (only == "described") { describe(); print_lines(wanted, wants); exit }
    if (only == "tc") print_lines(shown, tc)
    if (!whole) tc = 0
    if ((!tc && only != "facts") || only == "tc") exit only ~ /^(state|rated)$/
    read_record()
    find_state()
    if (only == "state" || only == "rated") { print_lines(state_line, state_lines); exit ignores_mpu() ? 4 : 0 }
    read_before()
    find_facts()
    if (unknown == "" && only != "facts" &&
        (!same || !unedited || rate_up != "" || given != "" || was_rate != "")) find_steps()
    if (only == "steps") {
        if (new_trees() != "") print new_trees()
        for (i = 1; i <= steps; i++) print tool_of[i] " " step[i]
        exit
    }
    if (explain != "" && (!same || lates) && is_recorded) find_differences()
    print_facts()
}

function enter(name) {
    section = name
    if (name == "shown") whole = 1
}

function read_setting() {
    sysctl[++sysctls] = $1
    is_setting[$1] = 1
    sub(/^[^ ]* /, "")
    sysctl_value[sysctls] = $0
}

function print_lines(line, n,    i) { for (i = 1; i <= n; i++) print line[i] }

# Returns the first of some lines that begins with these words, or nothing.
function line_with(line, n, words,    i) {
    for (i = 1; i <= n; i++) if (index(line[i], words) == 1) return line[i]
    return ""
}

# Returns the first line of a file, or nothing.
function first_line(path,    line) {
    if ((getline line <path) <= 0) line = ""
    close(path)
    return line
}

function is_there(path,    line, found) {
    found = (getline line <path) >= 0
    close(path)
    return found
}

# Reads a record: who made it, what it described, and what was there after that. One without its end is worth nothing.
function read_record(    path, line, part) {
    path = state "/state"
    if ((getline record_who <path) <= 0) record_who = ""
    while ((getline line <path) > 0) {
        if (line ~ /^== /) part = substr(line, 4)
        else if (line ~ /^rate /) was_rate = line
        else if (line ~ /^devices /) was_devices = line " "
        else if (part == "described" && line ~ /^mark /) was_mark[++was_marks] = substr(line, 6)
        else if (part == "described") was_line[++was_lines] = line
        else if (part == "shown") {
            held_line[++held_lines] = line
            if (held_marks || line ~ /^table (inet|netdev) /) held_mark[++held_marks] = line
        }
    }
    close(path)
    is_recorded = part == "end"
    if (!is_recorded) was_lines = was_marks = held_lines = held_marks = 0
}

# Returns true if the lines of two lists are the same.
function are_same(own, n, other, m,    i) {
    for (i = 1; i <= n && (own[i] == other[i] || masked(own[i]) == masked(other[i])); i++);
    return n + 0 == m + 0 && i > n
}

# Returns a line without the numbers that `follow` sets, if that is at work.
function masked(line) {
    if (following && line ~ /^(class htb|qdisc (fq_codel|cake|cake_mq|pfifo)) /)
        gsub(/ (rate|ceil|c?burst|quantum|limit|target|interval|memory_limit|memlimit|bandwidth|rtt) [^ ]+/, "", line)
    return line
}

# --- facts for the shell

function find_facts() {
    same = is_recorded && record_who == who && are_same(held_line, held_lines, state_line, state_lines)
    if (needs_egress == "yes" && hook == "ingress")
        foreign_found("qdisc ingress at the ingress of " dev \
            " (uploads are policed at the egress, which takes a clsact)")
    root_before = root_words()
    if (ours ~ /root/) root_before = before["root"] != "" ? before["root"] : "default"
    else if (at_root) root_before = "default"
    find_late()
    find_remembered()
    find_left()
    compare_marks()
    if (unknown == "") {
        # Anybody may have edited the script since the last start.
        describe()
        unedited = anew == "" && marks_state == "kept" && are_same(was_line, was_lines, wanted, wants)
    }
}

# The shell takes these lines as assignments, so each value is quoted.
function say_fact(name, value) {
    gsub(/\047/, "\047\\\047\047", value)
    print name "=\047" value "\047"
}

function add_line(text, line) { return text (text == "" ? "" : "\n") line }

function joined(line, n, prefix,    i, all) {
    for (i = 1; i <= n; i++) all = all (i == 1 ? "" : "\n") prefix line[i]
    return all
}

function print_facts(    i) {
    say_fact("seen", tc ? "yes" : "no")
    say_fact("same", same ? "yes" : "no")
    say_fact("same_device", record_who == who && is_recorded ? "yes" : "no")
    say_fact("unedited", unedited ? "yes" : "no")
    say_fact("unknown", unknown)
    say_fact("hook", hook)
    say_fact("root", root_line (stab_line == "" ? "" : "\n" stab_line))
    say_fact("ours", ours (marks ? " marks" : ""))
    say_fact("our_prefs", our_prefs)
    say_fact("foreign", foreigns ? "\n" joined(foreign, foreigns, "  ") : "")
    say_fact("late", joined(late, lates, ""))
    say_fact("drift", drift)
    say_fact("differences", differences)
    say_fact("fresh", joined(fresh, freshes, ""))
    say_fact("foreign_hook", foreign_hook ? "yes" : "")
    say_fact("root_before", root_before)
    say_fact("root_noted", before["root"])
    say_fact("hook_before", before["hook"])
    say_fact("queue_before", before["txqueuelen"])
    say_fact("rival", rival)
    say_fact("before_was", joined(before_line, befores, ""))
    say_fact("cut", before_cut)
    say_fact("remembered", remembered)
    say_fact("remaining", remaining)
    say_fact("sysctls_off", sysctls_off)
    say_fact("sysctls_left", sysctls_left)
    say_fact("aggregates_left", aggregates_left)
    say_fact("aggregates_before", aggregates_before)
    say_fact("sysctls_before", sysctls_before)
    say_fact("marks_state", marks_state)
    say_fact("through", through)
    say_fact("wrapped", wrapped)
    say_fact("own_tunnels", own_tunnels)
    say_fact("swapped", new_trees())
    say_fact("tree_lines", made ? begun : "")
    if (only == "facts" || unknown != "") return
    say_steps("early"); say_steps("first"); say_steps("program"); say_steps("final")
    for (i = 1; i <= tables; i++) wanted[wants + i] = "mark " table[i]
    say_lines("description", wanted, wants + tables)
    # A start with nothing to do records what it has found here: later, others may have changed something.
    if (!steps) say_lines("observed", state_line, state_lines)
}

function say_steps(name,    i, n, own) {
    for (i = 1; i <= steps; i++) if (part_of[i] == name) own[++n] = step[i]
    say_lines(name, own, n)
}

function say_lines(name, line, n,    i) {
    printf "%s", name "=\047"
    for (i = 1; i <= n; i++) { gsub(/\047/, "\047\\\047\047", line[i]); print line[i] }
    print "\047"
}
