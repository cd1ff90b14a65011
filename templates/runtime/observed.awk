# --- the observed state

# Removes the counters and assigned numbers of a line of tc. The flows of a CAKE become an empty line.
function normal(line) {
    sub(/[ \t]+$/, "", line)
    if (line ~ /^class htb / || line ~ /^qdisc [cfp][a-z_]* [0-9a-f]*: parent c05:/) return line
    if (line ~ /^class cake /) return ""
    gsub(/ (refcnt [0-9]*|direct_packets_stat [0-9]*|not_in_hw)/, "", line)
    sub(/ \((rule hit [0-9]* )?success [0-9]*\)/, "", line)
    sub(/index [0-9]* ref [0-9]* bind [0-9]* cpmark/, "cpmark", line)
    sub(/index [0-9]* ref.*/, "", line)
    sub(/ref [0-9]* bind.*/, "", line)
    sub(/[ \t]+$/, "", line)
    return line
}

# Reads what `rate` does not change, settings and the table of marks: it records them as the last start did.
function keep_recorded(    line, word) {
    marks = 0
    while ((getline line <(state "/state")) > 0) {
        split(line, word, " ")
        if (marks || line ~ /^table inet /) mark[++marks] = line
        else if (word[1] == "sysctl") recorded[word[2]] = substr(line, length(word[2]) + 9)
    }
    close(state "/state")
}

function print_state(    line) {
    print_lines(state_line, state_lines)
    if (only == "rated") while ((getline line <(state "/new/described")) > 0) print line >(state "/described")
}

# A start with nothing to do records what it has found here: later, others may have changed something.
function write_state(    i) {
    if (!steps_found || steps || marks_state != "kept" || lates || sysctls_off != "" || given != "") return
    for (i = 1; i <= state_lines; i++) print state_line[i] >(state "/new/state")
    close(state "/new/state")
}

# Returns true if HTB ignores mpu, as from Linux 3.8 to 5.16.2, and in long-term kernels until January 2022.
function ignores_mpu(    i) {
    if (mpu > 0 && only == "state")
        for (i = 1; i <= tc; i++) if (shown[i] ~ /^class htb /) return shown[i] ~ / mpu 0b /
    return 0
}

# Finds the observed state: what tc shows, and the settings outside of our qdiscs.
function find_state(    i, value) {
    if (only == "rated") keep_recorded()
    state_line[++state_lines] = who
    for (i = 1; i <= tc; i++) state_line[++state_lines] = shown[i]
    # While the ifb is down, no download arrives.
    value = first_line(sys "/class/net/" ifb "/flags")
    if (value != "") state_line[++state_lines] = ifb (is_up(value) ? " up" : " down")
    value = queue_length()
    if (txqueuelen != "" && value != "") state_line[++state_lines] = "txqueuelen " value
    for (i = 1; i <= sysctls; i++) {
        value = is_there("/proc/sys/" sysctl[i]) ? first_line("/proc/sys/" sysctl[i]) : "missing"
        # Tabs separate the numbers of a setting, but the record has single spaces.
        gsub(/[ \t]+/, " ", value)
        if (sysctl[i] in recorded) value = recorded[sysctl[i]]
        state_line[++state_lines] = "sysctl " sysctl[i] " " value
        if (value != sysctl_value[i]) sysctls_off = add_line(sysctls_off, sysctl[i] " " sysctl_value[i])
    }
    for (i = 1; i <= tunnel_lines; i++) state_line[++state_lines] = tunnel_line[i]
    for (i = 1; i <= marks; i++) state_line[++state_lines] = mark[i]
}

function is_up(flags) { return flags ~ /[13579bdf]$/ }

function queue_length() { return first_line(sys "/class/net/" dev "/tx_queue_len") }

# Returns 0 if there is no such device, 1 if it is down, 2 if it is up.
function upness(device,    flags) {
    flags = first_line(sys "/class/net/" device "/flags")
    return flags == "" ? 0 : is_up(flags) ? 2 : 1
}

# Returns the device to which downloads are redirected.
function find_ifb(    i, second) {
    if (!is_there(sys "/class/net/" ifb2 "/ifindex")) return ifb1
    for (i = 1; i <= tc; i++) {
        if (index(shown[i], "Redirect to device " ifb1 ")")) return ifb1
        if (index(shown[i], "Redirect to device " ifb2 ")")) second = 1
    }
    return second || !is_there(sys "/class/net/" ifb1 "/ifindex") ? ifb2 : ifb1
}

# --- the record

# Prints the differences from the record. If each list has the next line of the other, the rarer decides.
function print_differences(    old, new, in_old, in_new, added, i, j, n, m, line) {
    while ((getline line <(state "/state")) > 0) { old[++n] = line; in_old[line]++ }
    for (m = 1; m <= state_lines; m++) in_new[new[m] = state_line[m]]++
    i = j = 1
    while (i <= n || j < m) {
        if (i <= n && j < m && old[i] == new[j]) {
            printf "%s", added
            added = ""
            in_old[old[i++]]--
            in_new[new[j++]]--
        } else if (j == m || (i <= n && (!in_new[old[i]] || (in_old[new[j]] && in_new[old[i]] > in_old[new[j]])))) {
            print difference("was:", old[i])
            in_old[old[i++]]--
        } else {
            added = added difference("is: ", new[j]) "\n"
            in_new[new[j++]]--
        }
    }
    printf "%s", added
}

function difference(word, line) { sub(/^ */, "", line); return "  " word " " line }

# --- our objects and those of others

# The root comes first for each device, so the second root is that of an ifb.
function survey() {
    if ($1 == "filter") { if (part == "hooks") survey_filter(); return }
    if ($1 == "linklayer") { if (root_line != "" && hook == "") stab_line = line; return }
    if ($4 == "root") part = part == "hooks" ? "wan" : "ifb"
    if (part == "ifb") return
    if (line ~ /^qdisc (htb|cake) c05: root/) { ours = ours " root"; root_line = line }
    else if (line ~ /^qdisc (clsact|ingress) ffff: parent/) hook = $2
    else if ($4 == "root") {
        root_line = line
        if ($3 != "0:" && $2 ~ /^(htb|hfsc|prio|drr|qfq|mq|mqprio|multiq|cbq|ets|taprio|atm|dsmark)$/) {
            foreign_found("qdisc " $2 " " $3 " at the root of " dev)
            at_root = 1
        }
    }
}

function survey_filter(    i, pref, kind, at, list) {
    for (i = 2; i < NF; i++) if ($i == "pref") { pref = $(i + 1); kind = $(i + 2) }
    at = pref < ingress_pref + hook_bank ? pref : pref - hook_bank
    list = at < ingress_pref || at >= hook_pref_end ? "" : at < egress_pref ? "ingress" : "egress"
    if (list == "") foreign_found("filter " kind " pref " pref " at the ingress or egress of " dev)
    else if (!((list, pref) in known)) {
        known[list, pref] = 1
        our_prefs = our_prefs " " list ":" pref
        ours = ours " filters"
    }
}

function foreign_found(words) {
    if (words in listed) return
    listed[words] = 1
    foreign[++foreigns] = words
    if (words ~ /at the ingress/) foreign_hook = 1
}

# Returns the words that make the root qdisc again, or `default`. tc shows units that it does not accept.
function root_words(    n, w, i, kind, words, stab) {
    words = root_line
    # Some versions of tc cannot read the weights of fq, so the defaults are left out.
    sub(/ bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1 weights 589824 196608 65536 /, " ", words)
    n = split(words, w, " ")
    if (n < 4 || w[3] == "0:" || root_lost != "") return "default"
    kind = w[2]
    stab = stab_line
    sub(/^ */, "", stab)
    words = "handle " w[3] " " (stab == "" ? "" : "stab " stab " ") kind
    # pfifo_fast shows a priomap that nobody can set.
    for (i = kind == "pfifo_fast" ? n + 1 : 5; i <= n; i++) {
        if (w[i] == "refcnt") i++
        # CAKE shows `bandwidth unlimited`, of which tc accepts only the second word.
        else if (w[i] " " w[i + 1] == "bandwidth unlimited") continue
        # CoDel counts units of 1024 ns, and tc shows them rounded down.
        else if (kind ~ /codel$/ && w[i] ~ /^[0-9]+us$/) words = words " " (w[i] + 1) "us"
        # The defaults of sfq are 127 packets and 128 flows. Either of them, if given, sets the other to 127.
        else if (kind " " w[i] " " w[i + 1] ~ /^sfq (limit 127p|flows 128)$/) i++
        else if (w[i] ~ /[^0-9].*([pb]|sec)$/ || w[i] ~ /[^0-9\/].*\//) words = words " " w[i]
        else words = words " " plain(w[i])
    }
    # fq_codel does not show that ECN is off, but turns it on by default.
    if (kind ~ /^fq_codel/ && words " " !~ / ecn /) words = words " noecn"
    return words
}

function plain(word) {
    if (word ~ /^[0-9]/) sub(/(sec|[pb]|\/.*)$/, "", word)
    return word
}
