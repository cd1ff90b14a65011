# Prints the steps of a start for `qosc plan` as JSON: each with its object, cost, reason and cause. It runs as one
# program with the engine of the scripts (templates/runtime/), and its rules come first. docs/script.md explains places.

BEGIN {
    options = " parent bandwidth rate ceil prio burst cburst quantum overhead mpu linklayer limit flows target" \
        " interval memory_limit memlimit drop_batch rtt level "
}
# Of a table that does not exist, nft prints an error.
$1 == "==" { is_in_table = 0; enter($2); next }
section == "marks" { if (/^table (inet|netdev) /) is_in_table = 1; if (!is_in_table) next }
section == "values" { at = $1; $1 = ""; present[at] = substr($0, 2); next }
section == "aggregates" { if (NF) on_now[++ons] = $0; next }
section == "aggregates_left" { if (NF) off_now[++offs] = $0; next }

END {
    read_record()
    # The dump decides if the record is of this device.
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
    # Settings and marks have items of their own. This reads the last description in place of the desired one.
    if (is_recorded) find_differences()
    for (i = 1; i <= diffs; i++)
        if (difference[i] !~ /^(txqueuelen|sysctl .*|the table of marks): /) say(json(difference[i]))
    print "]}"
    exit
}

function json(text) {
    gsub(/[\\"]/, "\\\\&", text)
    gsub(/\t/, "\\t", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}

function pair(key, text) { return json(key) ":" json(text) }

function say(text) { print comma text; comma = "," }

function cause_of(is_file, is_drift) {
    if (!is_recorded) return "unknown"
    return !is_drift ? "file" : is_file ? "both" : "drift"
}

# Sets the object of a step.
function touch(kind, key, text, key2, text2) {
    object = pair("kind", kind) (key == "" ? "" : "," pair(key, text)) (key2 == "" ? "" : "," pair(key2, text2))
}

function price(own_cost, why, own_cause) { cost = own_cost; reason = why; cause = own_cause }

# --- steps

# Prints a step.
function explain_step(i,    at, next_at, w, from, name, spot, role, id) {
    at = index(step[i] " # ", " # ")
    from = substr(step[i], at + 3)
    split(substr(step[i], 1, at - 1), w, " ")
    changes = title_of = ""
    role = w[4] == target ? "@ifb" : w[4] == up || w[4] == dev ? "@wan" : ""
    id = w[1] == "class" && w[7] == "classid" ? w[8] : w[6]
    if (w[1] == "link") explain_link(w)
    else if (role == "" || w[5] ~ /^(clsact|ingress|egress)$/) explain_hook(w, role, from)
    else if (w[1] == "qdisc" && w[5] == "root" && role == "@wan" && w[4] != up) {
        touch("root", "dev", "wan")
        price("rebuild", "uploads are queued on an ifb from now on", cause_of(1, 0))
    } else explain_tree(w, role, id, from)
    # The text after the place concerns this step alone.
    at = index(from, "), ")
    if (at) from = substr(from, 1, at)
    for (at = 0; next_at = index(substr(from, at + 1), " ("); at += next_at);
    name = at && from ~ /\)$/ ? substr(from, 1, at - 1) : from
    spot = at && from ~ /\)$/ ? substr(from, at + 2, length(from) - at - 2) : ""
    say("{" pair("tool", tool_of[i]) "," pair("verb", w[2]) ",\"object\":{" object "}," \
        pair("name", title_of == "" ? name : title_of) ",\"place\":" (spot ~ /:/ ? json(spot) : "null") "," \
        pair("command", tool_of[i] " " step[i]) "," pair("cost", cost) "," pair("reason", reason) "," \
        pair("cause", cause) ",\"values\":[" changes "]}")
}

function explain_link(w,    is_of_uploads) {
    if (w[2] == "set" && w[7] == "") {
        touch("txqueuelen")
        price("in_place", "no packet waits in the device's own queue", "file")
        changes = changed("txqueuelen", queue_length(), w[6])
        return
    }
    touch("ifb", "name", w[4])
    is_of_uploads = w[4] == ifbu
    price("in_place", "no packet passes it yet", is_of_uploads ? cause_of(1, 0) : \
        is_recorded && (root["was", "@ifb"] != "") == (target != "") ? "drift" : "file")
    if (w[2] == "set") reason = (is_of_uploads ? "up" : "down") "loads pass it from now on"
    if (w[2] != "del") return
    reason = "no packet passes it"
    if (is_of_uploads) price("rebuild", "uploads are queued at the WAN device from now on", cause)
    else if (new_cost["@ifb"] == "rebuild") price("rebuild", new_reason["@ifb"], new_cause["@ifb"])
    else if (target == "") price("rebuild", "downloads are no longer shaped", cause)
}

# Explains a step at the hooks of the WAN device, of an ifb or of a tunnel.
function explain_hook(w, role, from) {
    if (role == "@ifb") {
        touch("filters", "dev", "ifb", "hook", "ingress")
        title_of = "filters of others at " target
        price("in_place", "others may drop or redirect downloads there", "drift")
    } else if (role == "") {
        touch("tunnel", "device", w[4])
        explain_list("ingress " w[4])
        if (w[1] == "qdisc") changes = ""
    } else if (w[1] == "filter") {
        touch("filters", "dev", "wan", "hook", w[5])
        explain_list(w[5])
    } else {
        touch("hooks")
        price("in_place", "no filters are attached to it any more", "file")
        if (w[2] == "add") {
            reason = "no packet passes it yet"
            if (is_recorded && filters["was", "ingress"] + filters["was", "egress"]) cause = "drift"
        } else if (from == "")
            price("in_place", "`--take-over` deletes it with the filters that other tools added", "drift")
    }
}

function explain_tree(w, role, id, from,    own, was, want, kind) {
    own = slot_of(id) == "b" ? other_slot(id) : id
    kind = w[1] == "filter" ? "filters" : w[1] == "class" ? "class" : w[5] == "root" ? "root" : "leaf"
    # In a new tree, an entry counts as a part of the tree.
    if ((role in outcome) && w[1] == "filter" && w[7] == "pref") kind = "root"
    touch(kind, "dev", substr(role, 2), kind == "root" ? "" : kind == "filters" ? "hook" : "id", \
        kind == "filters" ? "root" : own)
    # The file no longer has the class.
    if (w[1] == "class" && w[2] == "del" && index(from, ", without "))
        title_of = substr(from, index(from, ", without ") + 10)
    if (role in outcome) {
        price(new_cost[role], new_reason[role], new_cause[role])
        return
    }
    if (w[2] == "del" && !is_cake(root["wanted", role]) &&
        (id == "c05:" ? w[1] == "filter" : slot_of(id) != slot_in_use[role])) {
        touch("class", "dev", substr(role, 2), "id", "c05:" (slot_in_use[role] == "a" ? "b" : "a") "000")
        title_of = "a second tree"
        price("in_place", "no packet enters it", cause_of(0, 1))
    } else if (w[1] == "filter") explain_list(role)
    else if (w[1] == "class") explain_class(role, own)
    else if (w[5] != "root") explain_queue(role, own)
    else {
        was = root["was", role]; want = root["wanted", role]
        price_queue(root["now", first_word(np[role])], want, want)
        cause = cause_of(was != want, is_strange[role, "root"])
        changes = differing(was, want)
    }
}

function first_word(text) { return substr(text, 1, index(text " ", " ") - 1) }

function explain_class(role, id,    was, want) {
    was = class["was", role, id]; want = class["wanted", role, id]
    if (want == "")
        price("own_backlog", was != "" || !is_recorded ? "its queue is deleted with it" : \
            "another tool created it", cause_of(was != "", was == ""))
    else if (class["now", np[role], id] == "")
        price("in_place", "no packet enters it before it is complete", cause_of_class(role, id))
    else {
        price("in_place", "a class can change while packets pass", cause_of_class(role, id))
        changes = differing(was, want)
    }
}

function cause_of_class(role, id) {
    if (!is_recorded && class["now", np[role], id] == "") return "file"
    return cause_of(class["was", role, id] != class["wanted", role, id], is_strange[role, "tree"])
}

function explain_queue(role, id,    was, now, want) {
    was = leaf["was", role, id]; now = leaf["now", np[role], id]; want = leaf["wanted", role, id]
    if (now != "") {
        price_queue(now, want, was == "" ? now : was)
        cause = cause_of(was != want, is_strange[role, "tree"])
        changes = differing(was, want)
    } else price("in_place", "it had no queue", is_recorded && was != "" && class["now", np[role], id] != "" ? \
        cause_of(was != want, 1) : cause_of_class(role, id))
}

# Sets the price of a queue that changes and keeps its packets.
function price_queue(now, want, before_it) {
    price("in_place", "the queue keeps its packets", "")
    if (want ~ / cake(_mq)? / && tins(now) != tins(want))
        price("own_backlog", "queued packets do not move to CAKE's new tins", "")
    else if (option(want, "limit") + 0 < option(before_it, "limit") + 0)
        reason = "except that a backlog above the new limit is cut"
}

function tins(line) { return match(line, / (besteffort|diffserv[348]) /) ? substr(line, RSTART, RLENGTH) : "" }

# --- trees and lists

# Finds out if a tree is as the record says, and the price of a new one.
function see_tree(role,    at) {
    at = first_word(np[role])
    slot_in_use[role] = substr(np[role], length(at) + 2)
    is_strange[role, "tree"] = is_other(np[role])
    is_strange[role, "root"] = is_other(at " root") || is_other(at " entry " slot_in_use[role])
    if (!(role in outcome)) return
    if (outcome[role] == "rebuild") price_root(role, at)
    else price("swap", outcome[role], cause_of(!is_same_tree(role), is_same_tree(role)))
    new_cost[role] = cost; new_reason[role] = reason; new_cause[role] = cause
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

function price_root(role, at,    is_file, is_drift, is_there) {
    is_file = root["was", role] != root["wanted", role]
    is_drift = root["was", role] != "" && (is_strange[role, "root"] || is_stray["now", at] != "")
    # If our root does not exist, the cause is known even without a record.
    price("rebuild", why_rebuilt(role, at), is_our_root(root["now", at]) ? cause_of(is_file, is_drift) : \
        is_drift && !is_file ? "drift" : "file")
}

function why_rebuilt(role, at,    now, want, w, new, held) {
    now = root["now", at]; want = root["wanted", role]
    if (!is_our_root(now)) {
        if (root["was", role] == "") return "there is no tree yet"
        return now == "" && role == "@ifb" ? "the ifb device is missing" : "the root qdisc is no longer ours"
    }
    split(now, w, " ")
    new = is_cake(want) ? cake_of(want) : "htb"
    if (w[2] != new) return "the engine changes from " w[2] " to " new
    if (is_stray["now", at] != "") return "others added filters to the root"
    if (is_cake(want))
        return "CAKE's flow isolation (" substr(isolation(now), 2) " -> " substr(isolation(want), 2) \
            ") can only be set at creation"
    if (live_slot("now", at) == "") return "no filter leads to a tree"
    held = option(stab["now", at], "overhead")
    new = want ~ / stab / ? option(want, "overhead") : ""
    if (held == new) return "these options of the root can only be set at creation"
    return "the root's size table (" (held == "" ? "none" : held " bytes") " -> " \
        (new == "" ? "none" : new " bytes") ") can only be set at creation"
}

# All steps for a list have the same facts.
function explain_list(name) {
    if (!(name in list_cause)) see_list(name)
    price("in_place", list_reason[name], list_cause[name])
    changes = list_changes[name]
}

function see_list(name,    at, force, is_file, i, words, rest, new, kept, both) {
    at = name ~ /^@/ ? np[name] : name
    force = bank_in_force(at)
    is_file = !same_list(name)
    # A hash table is no filter.
    for (i = 1; i <= filters["wanted", name]; i++) new += filter["wanted", name, i] !~ / u32 divisor /
    # A list that does not exist was not changed by others.
    list_cause[name] = !is_recorded && !force ? "file" : cause_of(is_file, filters["was", name] && \
        (!force || (name ~ /^@/ ? is_strange[name, "tree"] : is_other(hook_of(name)))))
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
    read_options(was, old)
    read_options(want, new)
    n = split("kind" options "mode", w, " ")
    old["mode"] = words_only_in(old["flags"], new["flags"])
    new["mode"] = words_only_in(new["flags"], old["flags"])
    for (i = 1; i <= n; i++)
        if (old[w[i]] "" != new[w[i]] "") all = all (all == "" ? "" : ",") changed(w[i], old[w[i]], new[w[i]])
    return all
}

# Reads a described line: the kind of its object, the values of its options, and the other words.
function read_options(line, found,    w, n, i) {
    n = split(line, w, " ")
    found["kind"] = w[5] == "root" ? w[8] : w[9]
    for (i = w[5] == "root" ? 9 : 5; i <= n; i++) {
        if (i == 9 && w[5] != "root") continue
        # CAKE has a word `flows` without a value.
        if (index(options, " " w[i] " ") && (w[i] != "flows" || w[i + 1] ~ /^[0-9]/)) { found[w[i]] = w[i + 1]; i++ }
        else found["flags"] = found["flags"] " " w[i]
    }
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
    for (i = 1; i <= ons; i++) explain_offload(on_now[i], 1)
    for (i = 1; i <= offs; i++) explain_offload(off_now[i], 0)
    # The caller knows the command that loads a table.
    n = marks ? "there" : "none"
    if (marks_state == "late")
        say_setting("nft " substr(table[1], 1, length(table[1]) - 2), n, "as described", \
            cause_of(!are_same(was_mark, was_marks, table, tables), are_same(was_mark, was_marks, table, tables)), "")
    else if (marks_state == "left")
        say_setting("nft table inet qosc_" link, n, "none", "file", "nft delete table inet qosc_" link)
}

function say_setting(what, old, new, own_cause, command) {
    say("{" pair("what", what) "," pair("old", old) "," pair("new", new) "," pair("cause", own_cause) "," \
        pair("command", command) "}")
}

function explain_sysctl(line,    path, new, w, what) {
    path = first_word(line)
    new = substr(line, length(path) + 2)
    line = "echo \047" new "\047 >/proc/sys/" path
    gsub(/[ \t]+/, " ", new)
    if ((path in present) && present[path] "" == new "") return
    what = path
    if (split(path, w, "/") == 10 && w[10] == "limit_max") what = "limit_max of " w[6] " " w[8]
    else gsub(/\//, ".", what)
    # The last start read its value after it had set it.
    say_setting(what, present[path], new, !is_recorded ? "unknown" : \
        line_with(held_line, held_lines, "sysctl " path " ") == "sysctl " path " " new ? "drift" : "file", line)
}

# An aggregation feature, or the number of segments of a packet (`DEVICE gso_max_segs=65535`).
function explain_offload(line, is_on,    w, part, command) {
    split(line, w, " ")
    if (split(w[2], part, "=") > 1) command = "ip link set dev " w[1] " gso_max_segs " (is_on ? 1 : part[2])
    else command = "ethtool -K " w[1] " " w[2] (is_on ? " off" : " on")
    if (part[2] == "") { part[2] = "on"; part[3] = "off" } else part[3] = 1
    say_setting(part[1] " of " w[1], is_on ? part[2] : part[3], is_on ? part[3] : part[2], \
        is_on && is_recorded && (("offload " line) in noted) ? "drift" : "file", command)
}
