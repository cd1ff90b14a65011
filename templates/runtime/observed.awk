# --- the observed state

# Removes the counters and assigned numbers of a line of tc. The flows of a CAKE, and what is inside cake_mq, become an
# empty line.
function normal(line) {
    sub(/[ \t]+$/, "", line)
    if (line ~ /^(class cake(_mq)?|qdisc cake 0: parent c05:.*) /) return ""
    if (line ~ /^class htb / || line ~ /^qdisc [cfp][a-z_]* [0-9a-f]*: parent c05:/) return line
    gsub(/ (refcnt [0-9]*|direct_packets_stat [0-9]*|not_in_hw)/, "", line)
    sub(/ \((rule hit [0-9]* )?success [0-9]*\)/, "", line)
    sub(/index [0-9]* ref [0-9]* bind [0-9]* cpmark/, "cpmark", line)
    sub(/index [0-9]* ref.*/, "", line)
    sub(/ref [0-9]* bind.*/, "", line)
    sub(/[ \t]+$/, "", line)
    return line
}

# Takes what `rate` does not change, settings and the table of marks, from the record.
function keep_recorded(    i, word) {
    marks = held_marks
    for (i = 1; i <= held_marks; i++) mark[i] = held_mark[i]
    for (i = 1; i <= held_lines; i++)
        if (held_line[i] ~ /^sysctl / && split(held_line[i], word, " "))
            recorded[word[2]] = substr(held_line[i], length(word[2]) + 9)
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
    for (i = 1; i <= tc; i++) state_line[++state_lines] = shown[i]
    # While the ifb is down, no download arrives.
    value = first_line(sys "/class/net/" ifb1 "/flags")
    if (value != "") state_line[++state_lines] = ifb1 (is_up(value) ? " up" : " down")
    if (up != dev && upness(up)) state_line[++state_lines] = up (upness(up) > 1 ? " up" : " down")
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

# --- differences from the record

# Finds the objects that differ from the record, and the words for the gravest difference.
function find_differences(    i, k, n, kind) {
    for (i = 1; i <= was_lines; i++) read_line("wanted", was_line[i])
    read_item("was", record_who)
    for (i = 1; i <= held_lines; i++) read_item("was", held_line[i])
    read_item("is", who)
    for (i = 1; i <= state_lines; i++) read_item("is", state_line[i])
    for (i = 1; i <= lates; i++) read_item("is", "offload " late[i] " on")
    n = split("device root clsact redirect entry table tunnel sysctl txqueuelen offload class queue filter by", kind)
    for (k = 1; k <= n; k++)
        for (i = 1; i <= items; i++) if (kind_of[item[i]] == kind[k]) compare_item(item[i], kind[k])
    if (!diffs) drift = "the order of objects was changed, or a list without filters"
    drift = drift (causes > 1 ? " (1 of " causes " differences)" : "") \
        "; `start" (foreigns ? " --take-over" : "") "` mends that"
    n = explain == "all" || diffs < 19 ? diffs : 18
    if (n < diffs + below) difference[n + 1] = "and " diffs + below - n " more: `check -v` lists them"
    differences = joined(difference, n + (n < diffs + below), "  ")
}

# Reads a line of the record (was) or of the observed state (is). Details belong to the object above them.
function read_item(s, line,    w, kind, id, parent_of, on, name) {
    gsub(/[ \t]+/, " ", line)
    if (line ~ /^( |}|$)/) {
        text[s, item_at] = text[s, item_at] line
        if (line ~ /order 1: mirred .*Redirect/ && sub(/.* on /, "the redirect of downloads on ", title[item_at]))
            kind_of[item_at] = "redirect"
        return
    }
    split(line, w, " ")
    kind = w[1] == ifb1 || w[1] == ifbu ? "device" : w[1]
    if (kind == "qdisc") kind = w[4] == "root" ? "root" : w[5] ~ /^ffff:/ ? "clsact" : "queue"
    if (kind == "by") place = "ingress"
    # Others may have filters at the ifb.
    if (kind == "clsact" && place == "@ifb") kind = "queue"
    # If an ifb takes the uploads, the WAN device has a root of its own. The ifb may be gone.
    if (kind == "root" && up != dev && line !~ / c05: /) place = "other"
    else if (kind == "root")
        place = place == "ingress" && (s == "was" || up == dev || upness(up)) ? "@wan" : "@ifb"
    on = " on " (place == "@ifb" ? ifb1 : place == "@wan" ? up : place ~ / / ? substr(place, 9) : dev)
    name = (place == "@wan" ? "uploads" : "downloads") on
    parent_of = "root " place " "
    if (kind == "root") {
        name = place == "other" ? "the root qdisc" on : "the tree of " name
        parent_of = place == "@ifb" ? "device  " ifb1 : up != dev ? "device  " up : ""
    } else if (kind == "clsact") {
        name = (("wanted", "@ifb") in root ? "the redirect of downloads" : kind) " on " dev
        parent_of = up == dev ? "root @wan " : ""
    } else if (kind == "class" || kind == "queue") {
        id = w[kind == "class" ? 3 : 5]
        if (w[5] ~ /^c05:/) parent_of = "class " place " " w[5]
        name = (kind == "class" ? "class " : "queue of ") class_title(id) on
        sub(/ leaf [^ ]+/, "", line)
    } else if (kind == "filter") {
        # The head of a list of filters does nothing.
        if (!match(line, / pref .* (fh|handle) [^ ]+/) || line ~ / ht divisor /) return
        id = substr(line, RSTART + 1, RLENGTH - 1)
        if (place !~ /^@/) parent_of = "clsact @wan "
        else if (line ~ / chain 0 .*( c05:.000|terminal flowid)/) { kind = "entry"; name = "the entry of " name }
        if (kind == "filter") name = "filter " filter_title(s, line, id) on
        sub(/ order [0-9]+ key ht [^ ]+ bkt [^ ]+/, "", line)
    } else {
        parent_of = ""
        name = kind == "by" ? "the script, its device or ethtool" : kind == "table" ? "the table of marks" : w[1]
        if (kind ~ /^(sysctl|tunnel|offload)$/) name = kind " " (id = kind == "offload" ? w[3] " of " w[2] : w[2])
        if (kind == "device") id = w[1]
        if (kind != "by") place = kind == "tunnel" ? "ingress " id : ""
        sub(/^(by|txqueuelen|sysctl [^ ]+|offload [^ ]+ [^ ]+) /, "", line)
    }
    item_at = kind " " (kind == "clsact" ? "@wan" : place) " " id
    if (!(item_at in title)) item[++items] = item_at
    kind_of[item_at] = kind; title[item_at] = name; above[item_at] = parent_of; text[s, item_at] = line
}

function class_title(id,    name) {
    name = whence["wanted", place, id ~ /^c05:[13579bdf]/ ? other_slot(id) : id]
    return name == "" ? id : name
}

# Returns the comment of a filter or, for one of others, the class to which it leads.
function filter_title(s, line, id,    n, k) {
    # Filters of fw and those in hash tables have another order than their description.
    n = s == "was" && line !~ / fh [1256]..:/ ? ++filters_at[place] : 0
    k = outside["wanted", place]
    if (n && line !~ / fw /)
        comment[place, id] = n > k ? outside_whence["wanted", "egress", n - k] : outside_whence["wanted", place, n]
    if (comment[place, id] != "") return comment[place, id]
    return match(line, /id c05:[0-9a-f]+/) ? "to " class_title(substr(line, RSTART + 3, RLENGTH - 3)) : id
}

function compare_item(at, kind,    was, is, change) {
    # gawk 5.2 crashes if a function returns an element that does not exist.
    was = masked(text["was", at] ""); is = masked(text["is", at] "")
    if (was == is) return
    if (is ~ /Redirect to device \*/) above[at] = "device  " (index(was, "device " up ")") ? up : ifb1)
    if (is_lost(above[at]) && explain != "all") { below++; return }
    change = is == "" ? "gone" : was == "" ? "new: " is : "was:" only_in(was, is) "   is:" only_in(is, was)
    difference[++diffs] = title[at] ": " change (is == "" && kind ~ /^(redirect|entry|filter)$/ ? ": " was : "")
    if (is_lost(above[at]) || causes++) return
    change = kind == "device" ? "is down" : was == "" ? "was added by others" : "was changed"
    if (is == "" || (kind == "root" && is_lost(at))) change = "is gone"
    if (kind == "root" && is !~ /^$| (0|c05): /) change = change ": others put " option(is, "qdisc") " at the root"
    drift = title[at] " " (kind == "offload" ? "is on" : change)
}

# Returns true if an object is missing in one of the states, or if another one is at the root.
function is_lost(at) { return at != "" && (text["was", at] == "" || text["is", at] !~ (at ~ /^root/ ? "c05:" : ".")) }

# Returns the options, with their values, that are in one text only.
function only_in(own, other,    w, i, n, token, all) {
    n = split(own " end", w, " ")
    for (i = 1; i <= n; i++) {
        if (w[i] !~ /^[0-9]|[:\/,]/ && !index(" " other " ", token " ")) all = all token
        token = (w[i] ~ /^[0-9]|[:\/,]/ ? token : "") " " w[i]
    }
    return all == "" ? " -" : all
}

# --- our objects and those of others

# The root comes first for each device, so the second root is that of an ifb.
function note_known() {
    if ($1 == "filter") { if (part == "hooks") survey_filter(); return }
    if ($1 == "linklayer") { if (root_line != "" && hook == "") stab_line = line; return }
    if ($4 == "root") part = part == "hooks" && (up == dev || upness(up)) ? "wan" : "ifb"
    if (part == "ifb" && (up == dev || line !~ / ffff: parent /)) return
    if (is_our_root(line)) { ours = ours " root"; root_line = line }
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
        # CAKE shows `bandwidth unlimited`, of which tc accepts only the second word.
        if (w[i] " " w[i + 1] == "bandwidth unlimited") continue
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
