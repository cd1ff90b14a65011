# Reads, in sections that begin with `== NAME`: lists of this script, the observed tunnels and table of marks, the
# output of tc, of ethtool and of ip. Prints what `look` needs: facts, an empty line, and the observed state in normal
# form. As `only` says, prints one part: the `state`, the output of `tc` in normal form, or the `late` offloads.

BEGIN { tc = 0; part = "hooks"; root = stab = hook = "" }
$1 == "==" { section = $2; next }
section == "sysctls" { if (NF) sysctl[++sysctls] = $1; next }
section == "receiving" { receiver[++receivers] = $1; next }
section == "sending" { sender[++senders] = $1; is_sender[$1] = 1; next }
section == "tunnels" { if (NF) tunnel[++tunnels] = $0; next }
section == "marks" { if (NF || marks) mark[++marks] = $0; next }
section == "features" { read_feature(); next }
section == "links" { read_link(); next }
{
    line = normal($0)
    if (line == "") next
    seen[++tc] = line
    # Most lines are classes, leaf qdiscs and details of filters.
    if (/^filter / || /^qdisc / || (part == "wan" && $1 == "linklayer")) survey()
}

END {
    if (only == "late") print_late("")
    if (only == "tc") for (i = 1; i <= tc; i++) print seen[i]
    if (!tc || only == "late" || only == "tc") exit
    ifb = find_ifb()
    settings()
    if (only == "state") { print_state(); exit }
    print "same " (is_recorded() ? "yes" : "no")
    if (script != "") print "unedited " (same_files(ENVIRON["QOSC_SCRIPT"], script) ? "yes" : "no")
    print "ifb " ifb
    print "hook " hook
    if (root != "") print "root " root
    if (stab != "") print "stab " stab
    print "ours" ours (marks ? " marks" : "")
    print "prefs" prefs
    for (i = 1; i <= foreigns; i++) print "foreign " foreign[i]
    print_late("late ")
    print ""
    print_state()
}

function print_state(    i) {
    print who
    for (i = 1; i <= tc; i++) print seen[i]
    for (i = 1; i <= besides; i++) print beside[i]
}

# Removes from a line of tc its counters and the numbers that the kernel assigns anew. Most lines are classes and
# leaf qdiscs, which only have spaces at the end. The flows of a CAKE become an empty line.
function normal(line) {
    sub(/[ \t]+$/, "", line)
    if (line ~ /^class htb / || line ~ /^qdisc [cfp][a-z_]* [0-9a-f]*: parent c05:/) return line
    if (line ~ /^class cake /) return ""
    sub(/ refcnt [0-9]*/, "", line)
    sub(/ direct_packets_stat [0-9]*/, "", line)
    sub(/ \(success [0-9]*\)/, "", line)
    sub(/ \(rule hit [0-9]* success [0-9]*\)/, "", line)
    sub(/index [0-9]* ref [0-9]* bind [0-9]* cpmark/, "cpmark", line)
    sub(/index [0-9]* ref.*/, "", line)
    sub(/ref [0-9]* bind.*/, "", line)
    sub(/ not_in_hw/, "", line)
    sub(/[ \t]+$/, "", line)
    return line
}

# --- the settings outside of our qdiscs

function settings(    i, value, path) {
    # While the ifb is down, no download arrives.
    path = "/sys/class/net/" ifb "/flags"
    if ((getline value <path) > 0) beside[++besides] = ifb (value ~ /[13579bdf]$/ ? " up" : " down")
    if (txqueuelen != "" && (getline value <("/sys/class/net/" dev "/tx_queue_len")) > 0) beside[++besides] = "txqueuelen " value
    for (i = 1; i <= sysctls; i++) {
        if ((getline value <("/proc/sys/" sysctl[i])) <= 0) value = "missing"
        # Tabs separate the numbers of a setting, but the record has single spaces.
        gsub(/[ \t]+/, " ", value)
        beside[++besides] = "sysctl " sysctl[i] " " value
    }
    for (i = 1; i <= tunnels; i++) beside[++besides] = tunnel[i]
    for (i = 1; i <= marks; i++) beside[++besides] = mark[i]
}

# Returns the device to which downloads are redirected.
function find_ifb(    i, second) {
    if ((getline i <("/sys/class/net/" ifb2 "/ifindex")) <= 0) return ifb1
    for (i = 1; i <= tc; i++) {
        if (index(seen[i], "Redirect to device " ifb1 ")")) return ifb1
        if (index(seen[i], "Redirect to device " ifb2 ")")) second = 1
    }
    return second ? ifb2 : ifb1
}

# --- the record

function is_recorded(    i, line) {
    if ((getline line <record) <= 0 || line != who) return 0
    for (i = 1; i <= tc + besides; i++)
        if ((getline line <record) <= 0 || line != (i <= tc ? seen[i] : beside[i - tc])) return 0
    return (getline line <record) <= 0
}

function same_files(one, other,    a, b, more_a, more_b) {
    if (one == other) return 1
    do {
        more_a = (getline a <one)
        more_b = (getline b <other)
        if (more_a != more_b || (more_a > 0 && a != b)) return 0
    } while (more_a > 0)
    return more_a == 0
}

# --- our objects and those of others

# The root comes first for each device, so the second root is that of an ifb.
function survey() {
    if ($1 == "filter") { if (part == "hooks") survey_filter(); return }
    if ($1 == "linklayer") { if (root != "" && hook == "") stab = line; return }
    if ($4 == "root") part = part == "hooks" ? "wan" : "ifb"
    if (part == "ifb") return
    if (line ~ /^qdisc (htb|cake) c05: root/) { ours = ours " root"; root = line }
    else if (line ~ /^qdisc (clsact|ingress) ffff: parent/) hook = $2
    else if ($4 == "root") {
        root = line
        if ($3 != "0:" && $2 ~ /^(htb|hfsc|prio|drr|qfq|mq|mqprio|multiq|cbq|ets|taprio|atm|dsmark)$/) others("qdisc " $2 " " $3 " at the root of " dev)
    }
}

function survey_filter(    i, pref, kind, at, list) {
    for (i = 2; i < NF; i++) if ($i == "pref") { pref = $(i + 1); kind = $(i + 2) }
    at = pref < ingress_pref + hook_bank ? pref : pref - hook_bank
    list = at < ingress_pref || at >= hook_pref_end ? "" : at < egress_pref ? "ingress" : "egress"
    if (list == "") others("filter " kind " pref " pref " at the ingress or egress of " dev)
    else if (!((list, pref) in known)) {
        known[list, pref] = 1
        prefs = prefs " " list ":" pref
        ours = ours " filters"
    }
}

function others(words) {
    if (words in listed) return
    listed[words] = 1
    foreign[++foreigns] = words
}

# --- offloads

# Reads a line of `ip -o -d link show`. In older versions, the number ends the line.
function read_link(    name) {
    name = $2
    sub(/:$/, "", name)
    if (!(name in is_sender)) sub(/@.*/, "", name)
    for (i = 3; i < NF; i++) if ($i == "gso_max_segs" && $(i + 1) != 1) sends[name] = $(i + 1)
}

# Leaves out what ethtool could not turn off, because each start would only try again.
function print_late(prefix,    i, k, line, n, words) {
    while ((getline line <before) > 0) if (line ~ /^stuck /) stuck[substr(line, 7)] = 1
    for (i = 1; i <= receivers; i++) {
        n = split(on[receiver[i]], words, "\n")
        for (k = 1; k < n; k++) if (!(words[k] in stuck)) print prefix words[k]
    }
    for (i = 1; i <= senders; i++) if (sender[i] in sends) print prefix sender[i] " gso_max_segs=" sends[sender[i]]
}

# Reads a line of `ethtool -k`. It has long names where `ethtool -K` takes short ones.
function read_feature(    i, words) {
    if (!("gro" in long)) {
        split("gro generic-receive-offload: lro large-receive-offload: rx-gro-hw rx-gro-hw: rx-gro-list rx-gro-list: rx-udp-gro-forwarding rx-udp-gro-forwarding:", words, " ")
        for (i = 1; i in words; i += 2) { short[words[i + 1]] = words[i]; long[words[i]] = 1 }
    }
    if (/^Features for /) { device = substr($3, 1, length($3) - 1); on[device] = "" }
    else if (NF == 2 && $2 == "on" && ($1 in short)) on[device] = on[device] device " " short[$1] "\n"
}
