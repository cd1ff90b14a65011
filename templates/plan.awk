# Prints the steps of a start for `qosc plan` as JSON: each with its object, cost, reason and cause. It runs as one
# program with the engine of the scripts (templates/runtime/), and its rules come first. The input is a dump.

BEGIN { state = "."; sys = "sys"; given = "wanted"; explain = "all" }

# Keeps the output of each command, by its words without options.
/^==> / {
    command = substr($0, 5)
    gsub(/ -[^ ]+| +$/, "", command)
    if (command in lines_of) command = "again"
    lines_of[command] += 0
    is_dump = 1
    next
}
is_dump { output[command, ++lines_of[command]] = $0; next }

END {
    read_dump()
    read_record()
    # The caller knows that the record is of this device.
    who = record_who
    find_state()
    read_before()
    boot = before["boot"]
    describe()
    for (i = 1; i <= wants; i++) if (split(wanted[i], word, " ") && word[1] == "sysctl") is_setting[word[2]] = 1
    find_facts()
    find_steps()
    print "{\"recorded\":" (is_recorded ? "true" : "false") ",\"our_root\":" (ours ~ /root/ ? "true" : "false")
    print ",\"steps\":["
    see_tree("@wan")
    if (target != "") see_tree("@ifb")
    for (i = 1; i <= steps; i++) explain_step(i)
    comma = ""
    print "],\"settings\":["
    explain_settings()
    comma = ""
    print "],\"foreign\":["
    for (i = 1; i <= foreigns; i++) say(json(foreign[i]))
    comma = ""
    print "],\"drift\":["
    # This reads the last description in place of the desired one. If the last start queued the uploads on another
    # device, the dump need not show that.
    if (is_recorded && !is_moved()) find_differences()
    # Settings and marks have items of their own. A tunnel is new or gone here only if it is in the file: a tunnel
    # without a device has a line, too.
    for (i = 1; i <= diffs; i++)
        if (difference[i] !~ /^(txqueuelen|sysctl .*|the table of marks): |^tunnel [^ ]+: (new|gone)/)
            say(json(difference[i]))
    print "]}"
    exit
}

# Reads what tc, the script and nft say, in the order in which a script asks for it.
function read_dump() {
    read_lines_of("tc filter show dev " dev " ingress")
    read_lines_of("tc filter show dev " dev " egress")
    read_tree(up)
    read_tree(ifb1)
    if (up != dev) read_lines_of("tc qdisc show dev " dev)
    read_lines_of("tunnels")
    read_marks("inet")
    read_marks("netdev")
}

function read_tree(device) {
    read_lines_of("tc qdisc show dev " device)
    read_lines_of("tc class show dev " device " parent c05:")
    read_lines_of("tc filter show dev " device " parent c05:")
    read_lines_of("tc filter show dev " device " parent c05:a000")
    read_lines_of("tc filter show dev " device " parent c05:b000")
}

# Reads the output of a command as the engine does, without messages of tc.
function read_lines_of(words,    i) {
    for (i = 1; i <= lines_of[words]; i++) {
        $0 = output[words, i]
        line = normal($0)
        if (line == "" || /^(Error: |RTNETLINK |We have an error |Cannot find |Command failed |through )/) continue
        shown[++tc] = line
        if (/^(filter|qdisc) / || (part == "wan" && $1 == "linklayer")) note_known()
    }
}

# Reads a table. Of one that does not exist, nft prints an error.
function read_marks(family,    words, i, is_in) {
    words = "nft list table " family " qosc_" link
    for (i = 1; i <= lines_of[words]; i++) {
        if (index(output[words, i], "table " family " ") == 1) is_in = 1
        if (is_in && (marks || output[words, i] !~ /^[ \t]*$/)) mark[++marks] = output[words, i]
    }
}

function json(text) {
    gsub(/[\\"]/, "\\\\&", text)
    gsub(/\t/, "\\t", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}

function pair(key, text) { return json(key) ":" json(text) }

function say(text) { print comma text; comma = "," }

# Returns true if the file moves the uploads to an ifb or away from it.
function is_moved() {
    return is_recorded && (line_with(held_line, held_lines, ifbu " ") != "") != (up != dev)
}

function cause_of(is_file, is_drift) {
    if (!is_recorded) return "unknown"
    return !is_drift ? "file" : is_file ? "both" : "drift"
}

# Sets the object of a step, and where people look for it: in an area with a rank, and by a name.
function touch(own_area, own_rank, own_name, kind, key, text, key2, text2) {
    area = own_area; rank = own_rank; what = own_name
    object = pair("kind", kind) (key == "" ? "" : "," pair(key, text)) (key2 == "" ? "" : "," pair(key2, text2))
}

function price(own_cost, why, own_cause) { cost = own_cost; reason = why; cause = own_cause }

# --- steps

function explain_step(i,    at, next_at, w, from, spot, role) {
    at = index(step[i] " # ", " # ")
    from = substr(step[i], at + 3)
    split(substr(step[i], 1, at - 1), w, " ")
    changes = title_of = ""
    role = w[4] == target ? "@ifb" : w[4] == up || w[4] == dev ? "@wan" : ""
    if (w[1] == "link") explain_link(w)
    else if (role == "" || w[5] ~ /^(clsact|ingress|egress)$/) explain_hook(w, role, from)
    else if (w[1] == "qdisc" && w[5] == "root" && role == "@wan" && w[4] != up) {
        touch("uploads", 0, "", "root", "dev", "wan")
        price("rebuild", "uploads are queued on an ifb from now on", cause_of(1, 0))
    } else explain_tree(w, role, w[1] == "class" && w[7] == "classid" ? w[8] : w[6], from)
    # The text after the place concerns this step alone.
    at = index(from, "), ")
    if (at) from = substr(from, 1, at)
    for (at = 0; next_at = index(substr(from, at + 1), " ("); at += next_at);
    if (at && from ~ /\)$/) { spot = substr(from, at + 2, length(from) - at - 2); from = substr(from, 1, at - 1) }
    if (title_of != "") from = title_of
    # The top class is `LINK: all uploads`.
    if (what == "") what = index(from, ": all ") ? substr(from, index(from, ": all ") + 2) : \
        from ~ /: queue$/ ? "queue of " substr(from, 1, length(from) - 7) : from
    say("{" pair("area", area) ",\"rank\":" rank "," pair("what", what) "," \
        pair("tool", tool_of[i]) "," pair("verb", w[2]) ",\"object\":{" object "}," \
        pair("name", from) ",\"place\":" (spot ~ /:/ ? json(spot) : "null") "," \
        pair("command", tool_of[i] " " step[i]) "," pair("cost", cost) "," pair("reason", reason) "," \
        pair("cause", cause) ",\"values\":[" changes "]}")
}

function explain_link(w,    direction) {
    direction = w[4] == ifbu ? "uploads" : "downloads"
    touch(direction, 1, w[4] ", " (w[2] == "set" ? "which is down" : "the ifb device of " direction), \
        "ifb", "name", w[4])
    price("in_place", "no packet passes it yet", direction == "uploads" ? cause_of(1, 0) : \
        is_recorded && (root["was", "@ifb"] != "") == (target != "") ? "drift" : "file")
    if (w[2] == "set" && w[7] == "") {
        touch("settings", 0, dev, "txqueuelen")
        price("in_place", "no packet waits in the device's own queue", "file")
        changes = changed("txqueuelen", queue_length(), w[6])
    } else if (w[2] == "set") reason = direction " pass it from now on"
    if (w[2] != "del") return
    reason = "no packet passes it"
    if (direction == "uploads") price("rebuild", "uploads are queued at the WAN device from now on", cause)
    else if (new_cost["@ifb"] == "rebuild") price("rebuild", new_reason["@ifb"], new_cause["@ifb"])
    else if (target == "") price("rebuild", "downloads are no longer shaped", cause)
}

# Explains a step at the hooks of a device.
function explain_hook(w, role, from) {
    if (role == "@ifb") {
        title_of = "filters of others at " target
        touch("downloads", 4, title_of, "filters", "dev", "ifb", "hook", "ingress")
        price("in_place", "others may drop or redirect downloads there", "drift")
    } else if (role == "") {
        touch("hooks", 2, "filters at the ingress of " w[4], "tunnel", "device", w[4])
        explain_list("ingress " w[4])
    } else if (w[1] == "filter") {
        touch("hooks", w[5] == "egress", "filters at the " w[5] " of " dev, "filters", "dev", "wan", "hook", w[5])
        explain_list(w[5])
    } else {
        touch("hooks", 3, "clsact of " dev, "hooks")
        if (w[2] == "add")
            price("in_place", "no packet passes it yet", \
                is_recorded && filters["was", "ingress"] + filters["was", "egress"] ? "drift" : "file")
        else if (from == "")
            price("in_place", "`--take-over` deletes it with the filters that other tools added", "drift")
        else price("in_place", "no filters are attached to it any more", "file")
    }
}

function explain_tree(w, role, id, from,    kind, own, direction) {
    kind = w[1] == "filter" ? "filters" : w[1] == "class" ? "class" : w[5] == "root" ? "root" : "leaf"
    own = slot_of(id) == "b" ? other_slot(id) : id
    # In a new tree, an entry counts as a part of the tree.
    if ((role in outcome) && w[1] == "filter" && w[7] == "pref") kind = "root"
    direction = role == "@ifb" ? "downloads" : "uploads"
    if (kind == "root") touch(direction, 0, "all " direction, kind, "dev", substr(role, 2))
    else if (kind == "filters")
        touch(direction, 3, "filters of " direction, kind, "dev", substr(role, 2), "hook", "root")
    else touch(direction, 2, "", kind, "dev", substr(role, 2), "id", own)
    # The file no longer has the class.
    if (kind == "class" && w[2] == "del") title_of = substr(from, index(from, ", without ") + 10)
    if (role in outcome) price(new_cost[role], new_reason[role], new_cause[role])
    else if (w[2] == "del" && !is_cake(root["wanted", role]) &&
        (id == "c05:" ? kind == "filters" : slot_of(id) != slot_in_use[role])) {
        title_of = "a second tree"
        own = slot_in_use[role] == "a" ? "c05:b000" : "c05:a000"
        touch(direction, 2, title_of, "class", "dev", substr(role, 2), "id", own)
        price("in_place", "no packet enters it", cause_of(0, 1))
    }
    else if (kind == "filters") explain_list(role)
    else explain_object(kind, role, own)
}

function first_word(text) { return substr(text, 1, index(text " ", " ") - 1) }

# Explains a change of an object in a tree that stays.
function explain_object(kind, role, id,    was, now, want) {
    if (kind == "class") {
        was = class["was", role, id]; now = class["now", np[role], id]; want = class["wanted", role, id]
    } else if (kind == "leaf") {
        was = leaf["was", role, id]; now = leaf["now", np[role], id]; want = leaf["wanted", role, id]
    } else { was = root["was", role]; now = root["now", first_word(np[role])]; want = root["wanted", role] }
    cost = "in_place"
    if (want == "") {
        cost = "own_backlog"
        reason = was != "" || !is_recorded ? "its queue is deleted with it" : "another tool created it"
    } else if (now == "") reason = kind == "class" ? "no packet enters it before it is complete" : "it had no queue"
    else if (kind == "class") reason = "a class can change while packets pass"
    else if (want ~ / cake(_mq)? / && tins(now) != tins(want)) {
        cost = "own_backlog"
        reason = "queued packets do not move to CAKE's new tins"
    } else if (option(want, "limit") + 0 < option(was == "" ? now : was, "limit") + 0)
        reason = "except that a backlog above the new limit is cut"
    else reason = "the queue keeps its packets"
    if (want != "" && now != "") changes = differing(was, want)
    if (want == "") cause = cause_of(was != "", was == "")
    else if (!is_recorded && class["now", np[role], id] == "" && kind != "root") cause = "file"
    else cause = cause_of(was != want, is_strange[role, kind == "root"])
}

function tins(line) { return match(line, / (besteffort|diffserv[348]) /) ? substr(line, RSTART, RLENGTH) : "" }

# --- trees and lists

# Finds out if a tree and its root (1) are as the record says, and the price of a new tree.
function see_tree(role,    at) {
    at = first_word(np[role])
    slot_in_use[role] = substr(np[role], length(at) + 2)
    is_strange[role, 0] = is_other(np[role])
    is_strange[role, 1] = is_other(at " root") || is_other(at " entry " slot_in_use[role])
    if (!(role in outcome)) return
    new_cost[role] = outcome[role] == "rebuild" ? "rebuild" : "swap"
    new_reason[role] = outcome[role]
    new_cause[role] = cause_of(!is_same_tree(role), is_same_tree(role))
    if (new_cost[role] == "rebuild") explain_root(role, at)
}

# Returns true if the last start described the same tree.
function is_same_tree(role,    i, id) {
    if (root["was", role] != root["wanted", role] || count["was", role] != count["wanted", role]) return 0
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        if (class["was", role, id] != class["wanted", role, id]) return 0
        if (leaf["was", role, id] != leaf["wanted", role, id]) return 0
    }
    return same_list(role)
}

function explain_root(role, at,    was, now, want, is_drift, w, old, new) {
    was = root["was", role]; now = root["now", at]; want = root["wanted", role]
    is_drift = was != "" && (is_strange[role, 1] || is_stray["now", at] != "")
    # If our root does not exist, the cause is known even without a record.
    new_cause[role] = is_our_root(now) ? cause_of(was != want, is_drift) : is_drift && was == want ? "drift" : "file"
    split(now, w, " ")
    old = option(stab["now", at], "overhead")
    new = want ~ / stab / ? option(want, "overhead") : ""
    if (role == "@wan" && is_moved()) {
        new_cause[role] = "file"
        new_reason[role] = "uploads are queued " (up == dev ? "at the WAN device" : "on an ifb") " from now on"
    } else if (!is_our_root(now)) new_reason[role] = was == "" ? "there is no tree yet" : \
        now == "" && role == "@ifb" ? "the ifb device is missing" : "the root qdisc is no longer ours"
    else if (w[2] != (is_cake(want) ? cake_of(want) : "htb"))
        new_reason[role] = "the engine changes from " w[2] " to " (is_cake(want) ? cake_of(want) : "htb")
    else if (is_stray["now", at] != "") new_reason[role] = "others added filters to the root"
    else if (is_cake(want)) new_reason[role] = "CAKE's flow isolation (" substr(isolation(now), 2) " -> " \
        substr(isolation(want), 2) ") can only be set at creation"
    else if (live_slot("now", at) == "") new_reason[role] = "no filter leads to a tree"
    else if (old == new) new_reason[role] = "these options of the root can only be set at creation"
    else new_reason[role] = "the root's size table (" (old == "" ? "none" : old " bytes") " -> " \
        (new == "" ? "none" : new " bytes") ") can only be set at creation"
}

# Explains a step for a list of filters. All steps for a list have the same facts.
function explain_list(name) {
    if (!(name in list_cause)) see_list(name)
    price("in_place", list_reason[name], list_cause[name])
    changes = list_changes[name]
}

function see_list(name,    at, force, is_file, i, new, kept, both) {
    at = name ~ /^@/ ? np[name] : name
    force = bank_in_force(at)
    is_file = !same_list(name)
    # A hash table is no filter.
    for (i = 1; i <= filters["wanted", name]; i++) new += filter["wanted", name, i] !~ / u32 divisor /
    # A list that does not exist was not changed by others.
    list_cause[name] = !is_recorded && !force ? "file" : cause_of(is_file, filters["was", name] && \
        (!force || (name ~ /^@/ ? is_strange[name, 0] : is_other(hook_of(name)))))
    list_reason[name] = !force ? "no filters are in force yet" : !new ? "no new filters replace them" : \
        redirect_moves && name ~ /^ingress/ ? "downloads switch to " target : \
        "new filters are added before old ones are deleted"
    list_changes[name] = changed("filters", force ? in_bank["now", at, force] + 0 : 0, new + 0)
    if (!is_recorded || !is_file || !force || !new) return
    for (i = 1; i <= filters["was", name]; i++) both[unnumbered(filter["was", name, i])]++
    for (i = 1; i <= filters["wanted", name]; i++) kept += both[unnumbered(filter["wanted", name, i])]-- > 0
    list_changes[name] = list_changes[name] "," \
        changed("of them", filters["was", name] - kept, filters["wanted", name] - kept)
}

# Returns the line of a filter without its preference.
function unnumbered(line) { sub(/ pref [0-9]+/, "", line); return line }

# --- values

function changed(name, old, new) { return "{" pair("field", name) "," pair("old", old) "," pair("new", new) "}" }

# Returns the values that differ between two described lines.
function differing(was, want,    old, new, w, n, i, all) {
    if (was == "") return ""
    n = split("kind parent bandwidth rate ceil prio burst cburst quantum overhead mpu linklayer limit flows target" \
        " interval memory_limit memlimit drop_batch rtt level mode", w, " ")
    for (i = 2; i < n; i++) is_option[w[i]] = 1
    read_options(was, old)
    read_options(want, new)
    old["mode"] = words_only_in(old["words"], new["words"])
    new["mode"] = words_only_in(new["words"], old["words"])
    for (i = 1; i <= n; i++)
        if (old[w[i]] "" != new[w[i]] "") all = all (all == "" ? "" : ",") changed(w[i], old[w[i]], new[w[i]])
    return all
}

# Reads a described line: the kind of its object, the values of its options, and the other words.
function read_options(line, found,    w, n, i) {
    n = split(line, w, " ")
    i = w[5] == "root" ? 8 : 9
    found["kind"] = w[i]
    w[i] = ""
    for (i = 5; i <= n; i++)
        # CAKE has a word `flows` without a value.
        if ((w[i] in is_option) && (w[i] != "flows" || w[i + 1] ~ /^[0-9]/)) { found[w[i]] = w[i + 1]; i++ }
        else found["words"] = found["words"] " " w[i]
}

function words_only_in(own, other,    w, n, i, all) {
    n = split(own, w, " ")
    for (i = 1; i <= n; i++) if (!index(other " ", " " w[i] " ")) all = all (all == "" ? "" : " ") w[i]
    return all
}

# --- settings and marks

function explain_settings(    i, n, line) {
    for (i = 1; i <= wants; i++) if (wanted[i] ~ /^sysctl /) explain_sysctl(substr(wanted[i], 8))
    n = split(sysctls_left, line, "\n")
    for (i = 1; i <= n; i++) explain_sysctl(line[i])
    # Only the router can tell what another choice of devices changes.
    n = lines_of["aggregates " aggregates]
    for (i = 1; i <= n; i++) explain_offload(output["aggregates " aggregates, i], 1)
    for (i = 1; n != "" && i <= lines_of["aggregates_left"]; i++) explain_offload(output["aggregates_left", i], 0)
    # The caller knows the command that loads a table.
    if (marks_state == "late")
        say_setting("nft " substr(table[1], 1, length(table[1]) - 2), marks ? "there" : "none", "as described", \
            cause_of(!are_same(was_mark, was_marks, table, tables), are_same(was_mark, was_marks, table, tables)), "")
    else if (marks_state == "left")
        say_setting("nft table inet qosc_" link, marks ? "there" : "none", "none", "file", \
            "nft delete table inet qosc_" link)
}

function say_setting(what, old, new, own_cause, command) {
    say("{" pair("what", what) "," pair("old", old) "," pair("new", new) "," pair("cause", own_cause) "," \
        pair("command", command) "}")
}

function explain_sysctl(line,    path, old, new, own_cause, w) {
    path = first_word(line)
    new = substr(line, length(path) + 2)
    line = "echo \047" new "\047 >/proc/sys/" path
    old = output["cat /proc/sys/" path, 1]
    gsub(/[ \t]+/, " ", old)
    gsub(/[ \t]+/, " ", new)
    if (old "" == new "") return
    # The last start read its value after it had set it.
    own_cause = !is_recorded ? "unknown" : \
        line_with(held_line, held_lines, "sysctl " path " ") == "sysctl " path " " new ? "drift" : "file"
    if (split(path, w, "/") == 10 && w[10] == "limit_max") path = "limit_max of " w[6] " " w[8]
    gsub(/\//, ".", path)
    say_setting(path, old, new, own_cause, line)
}

# Explains an offload (`DEVICE FEATURE`) or the number of segments of a packet (`DEVICE gso_max_segs=65535`).
function explain_offload(line, is_on,    w, part, command, off) {
    if (split(line, w, " ") < 2) return
    off = split(w[2], part, "=") > 1 ? 1 : "off"
    if (off == "off") part[2] = "on"
    command = off == "off" ? "ethtool -K " w[1] " " w[2] " " : "ip link set dev " w[1] " gso_max_segs "
    say_setting(part[1] " of " w[1], is_on ? part[2] : off, is_on ? off : part[2], \
        is_on && is_recorded && (("offload " line) in noted) ? "drift" : "file", command (is_on ? off : part[2]))
}
