# Finds the converge steps from four states: was, held, now and wanted. docs/script.md explains states and banks.

function find_steps(    i, line, record) {
    describe()
    record = state "/described"
    while ((getline line <record) > 0) read_line("was", line)
    close(record)
    record = state "/state"
    if (!is_there(state "/changing") || given != "") {
        place = "hook"
        while ((getline <record) > 0) read_held("held")
        close(record)
    }
    place = "hook"; pref = 0; object = ""
    for (i = 1; i <= state_lines; i++) { $0 = state_line[i]; read_held("now") }
    for (i = 1; i <= wants; i++) { read_line("wanted", wanted[i]); wanted_bytes += length(wanted[i]) + 1 }
    converge()
    find_space()
    steps_found = 1
}

function converge(    i) {
    np["@wan"] = hp["@wan"] = "wan"
    hooked = hook
    want_queue = txqueuelen != "" ? txqueuelen : before["txqueuelen"]
    evict = take_over == "yes" && foreign_hook
    choose_ifb()
    links()
    # `--take-over` removes the hook of others. Our root qdisc replaces theirs anyway.
    if (evict) { say("tc", "qdisc del dev " dev " " hooked, ""); forget("ingress"); forget("egress"); hooked = "" }
    if (needs_hook == "yes" && hooked == "") say("tc", "qdisc add dev " dev " clsact", origin["@wan"])
    if (target != "") direction("@ifb")
    direction("@wan")
    # Downloads of a tunnel must always be queued, at the WAN device or behind the tunnel.
    for (i = 1; i <= tunnels; i++) if (filters["wanted", "ingress " tunnel[i]]) tunnel_on(tunnel[i])
    switch_bank("ingress", "ingress", "ingress")
    switch_bank("egress", "egress", "egress")
    for (i = 1; i <= tunnels; i++) if (!filters["wanted", "ingress " tunnel[i]]) tunnel_off(tunnel[i])
    if (needs_hook != "yes" && hooked != "" && before["hook"] == "made")
        say("tc", "qdisc del dev " dev " " hooked, origin["@wan"])
    for (i = 1; i <= 2; i++) if (there[i] && name[i] != target) say("ip", "link del dev " name[i], origin["@wan"])
}

function say(tool, words, from) {
    gsub(/@wan/, dev, words)
    if (index(words, "@ifb")) gsub(/@ifb/, target, words)
    if (index(words, "  ")) gsub(/  +/, " ", words)
    words = words (from == "" ? "" : " # " from)
    tool_of[++steps] = tool
    step[steps] = words
    part_of[steps] = tool == "tc" ? "program" : begun ? "last" : "first"
    step_bytes += length(words) + 1
    if (tool == "tc") begun++
    if (words ~ /^qdisc replace .* root /) made = 1
}

# Finds the bytes that a start writes after `write_files`, with twice the observed state as a margin.
function find_space() { space = 5 * wanted_bytes + step_bytes }

# Writes the desired state, the steps (`first` for ip, `program` for tc, `last` for ip) and the trial.
function write_files(    i, n, new, part_name) {
    if (!steps_found) return
    new = state "/new/"
    for (i = 1; i <= wants; i++) print wanted[i] >(new "described")
    close(new "described")
    n = split("first program last", part_name, " ")
    for (i = 1; i <= n; i++) printf "" >(state "/" part_name[i])
    for (i = 1; i <= steps; i++) print step[i] >(state "/" part_of[i])
    for (i = 1; i <= n; i++) close(state "/" part_name[i])
    if (trial != "") write_trial(state "/batch")
    if (given != "") return
    for (i = 1; i <= tables; i++) print table[i] >(new "marks")
}

# --- reading

# Reads a line of the desired state, of the last start (was) or of this one (wanted).
function read_line(s, line,    at, from, role, list) {
    at = index(line, " # ")
    from = substr(line, at + 3)
    line = substr(line, 1, at - 1)
    $0 = line
    role = $4
    if ($1 == "qdisc" && $5 == "root") {
        root[s, role] = line
        if (s == "wanted") origin[role] = from
    } else if ($1 == "class") {
        class[s, role, $8] = line
        parent[s, role, $8] = $6
        kids[s, role, $6]++
        order[s, role, ++count[s, role]] = $8
        whence[s, role, $8] = from
    } else if ($1 == "qdisc") {
        leaf[s, role, $6] = line
        leaf_whence[s, role, $6] = from
    } else if ($1 == "filter") {
        list = $5 == "parent" ? role : $5 (role ~ /^@/ ? "" : " " role)
        if (role !~ /^@/) origin[role] = from
        filter[s, list, ++filters[s, list]] = line
        filter_whence[s, list, filters[s, list]] = from
    }
}

# Reads a line of tc: the filters at the hooks come first, then each device from its root qdisc on.
function read_held(s,    i, line) {
    if ($1 == "tunnel") { read_tunnel_device(s); return }
    if ($1 == "qdisc" && $4 == "root") {
        place = place == "hook" ? "wan" : place == "wan" ? "first" : "second"
        object = "root"
        root[s, place] = $0
    } else if ($1 == "qdisc") {
        object = ""
        if ($4 == "parent" && $2 != "clsact" && $2 != "ingress") {
            object = "leaf"
            held_leaf = $5
            leaf[s, place, $5] = $0
        }
    } else if ($1 == "class") {
        object = "class"
        class[s, place, $3] = $0
        parent[s, place, $3] = $4 == "root" ? "c05:" : $5
        kid[s, place, parent[s, place, $3], ++kids[s, place, parent[s, place, $3]]] = $3
        order[s, place, ++count[s, place]] = $3
    } else if ($1 == "filter") {
        object = "filter"
        for (i = 2; i < NF; i++) if ($i == "pref") pref = $(i + 1)
        find_bank()
        if (list == "" && place ~ /^ingress /) crowded[s, place] = 1
        if (list != "" && !((s, list, bank, pref) in seen)) {
            seen[s, list, bank, pref] = 1
            prefs[s, list, bank, ++pref_count[s, list, bank]] = pref
        }
        keep_filter(s)
    } else if (/^[^ \t]/) {
        object = ""
    } else if (object == "root") {
        if ($1 == "linklayer") stab[s, place] = $0
    } else if (object == "filter") {
        keep_filter(s)
    }
}

function find_bank(    i) {
    list = ""
    if (place != "hook" && place !~ /^ingress /) {
        list = place
        bank = 1 + (pref > root_bank)
        return
    }
    bank = 1 + (pref >= ingress_pref + hook_bank)
    i = pref - (bank - 1) * hook_bank
    if (i >= ingress_pref && i < egress_pref) list = place == "hook" ? "ingress" : place
    else if (place == "hook" && i >= egress_pref && i < egress_pref + egress_pref - ingress_pref) list = "egress"
}

# Keeps a filter line without its preference and its u32 table numbers, which differ between the banks.
function keep_filter(s,    line) {
    if (list == "") return
    line = $0
    sub(/ pref [0-9]+ /, " ", line)
    gsub(/ (fh|ht) 8[0-9a-f]*:?/, " ", line)
    held[s, list, bank, ++held_count[s, list, bank]] = line
    if (list == "ingress" && match(line, /Redirect to device [^)]*/))
        redirect[s, bank] = substr(line, RSTART + 19, RLENGTH - 19)
}

function forget(list) {
    pref_count["now", list, 1] = pref_count["now", list, 2] = 0
}

# --- devices

# Returns the bank that packets meet, or 0. At the egress, where no filter ends a list, a whole bank is in force.
function bank_in_force(list,    last) {
    if (list == "egress" && pref_count["now", list, 1] && pref_count["now", list, 2])
        return is_whole(1) ? 1 : is_whole(2) || pref_count["now", list, 1] < whole ? 2 : 1
    last = list ~ /^ingress/ ? egress_pref - 1 : root_bank
    if (pref_count["now", list, 1] && (!pref_count["now", list, 2] || ("now", list, 1, last) in seen)) return 1
    return pref_count["now", list, 2] ? 2 : 0
}

# Sets whole to the number of preferences that the last start made at the egress. Returns true if a bank has all.
function is_whole(bank,    i, number) {
    whole = split(prefs_of("was", "egress", bank), number, " ")
    for (i = 1; i <= whole; i++) if (!(("now", "egress", bank, number[i]) in seen)) return 0
    return whole == pref_count["now", "egress", bank]
}

# Keeps the ifb in use, unless its root must be replaced. Then the redirect switches when the other ifb is ready.
function choose_ifb(    i, now_on) {
    name[1] = ifb1; name[2] = ifb2
    there[1] = upness(ifb1); there[2] = upness(ifb2)
    # tc showed the ifbs in this order.
    place_of[1] = there[1] ? "first" : "nothing"
    place_of[2] = !there[2] ? "nothing" : there[1] ? "second" : "first"
    target = ""
    if (!(("wanted", "@ifb") in root)) return
    now_on = bank_in_force("ingress")
    now_on = now_on ? redirect["now", now_on] : ""
    for (i = 1; i <= 2; i++) if (name[i] == now_on && there[i] && !evict) {
        target_number = root_fits("@ifb", place_of[i]) ? i : 3 - i
    }
    for (i = 1; i <= 2; i++) if (!target_number && there[i] && root_fits("@ifb", place_of[i])) target_number = i
    if (!target_number) target_number = 1
    target = name[target_number]
    np["@ifb"] = place_of[target_number]
    hp["@ifb"] = "first"
    redirect_moves = now_on != target
}

function links() {
    if (target != "" && !there[target_number]) say("ip", "link add name " target " type ifb", origin["@ifb"])
    if (target != "" && there[target_number] < 2)
        say("ip", "link set dev " target " txqueuelen 1000 alias qosc-" link " up", origin["@ifb"])
    if (want_queue != "" && want_queue != queue_length())
        say("ip", "link set dev " dev " txqueuelen " want_queue, origin["@wan"])
}

# --- one direction

# Returns true if the root qdisc is ours and has all options that only its creation can set.
function root_fits(role, place,    want, shown) {
    want = root["wanted", role]
    shown = root["now", place]
    if (is_cake(want)) return shown ~ /^qdisc cake c05: root/ && isolation(shown) == isolation(want)
    if (shown !~ /^qdisc htb c05: root/) return 0
    if (option(shown, "direct_qlen") != option(want, "direct_qlen")) return 0
    if (option(shown, "r2q") != option(want, "r2q") || option(shown, "default") !~ /^(0x)?0$/) return 0
    return (want ~ / stab / ? option(want, "overhead") : "") == option(stab["now", place], "overhead")
}

function is_cake(line) { return index(line, " root handle c05: cake ") }

function same_root(role, n) {
    return root["was", role] == root["wanted", role] && root["held", hp[role]] == root["now", n]
}

function option(line, word,    words, n, i) {
    n = split(line, words, " ")
    for (i = 1; i < n; i++) if (words[i] == word) return words[i + 1]
    return ""
}

function direction(role,    i, id, n, phased, force) {
    n = np[role]
    if (!root_fits(role, n)) {
        if (root["now", n] ~ /^qdisc (htb|cake) c05: root/) say("tc", "qdisc del dev " role " root", origin[role])
        say("tc", root["wanted", role], origin[role])
        n = "nothing"
    } else if (is_cake(root["wanted", role]) && !same_root(role, n)) {
        say("tc", begin(root["wanted", role], "qdisc replace", "qdisc change"), origin[role])
    }
    # While filters are in force, classes are deleted last. But no filter may name a class that moves in the
    # tree, or that turns from a leaf class into a parent class or back: meanwhile its packets go to c05:2.
    force = bank_in_force(n)
    phased = force && disturbed_any(role, n)
    if (phased) detour(role, n, force)
    if (phased || !force) delete_classes(role, n, phased)
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        if (!(("now", n, id) in class)) {
            say("tc", class["wanted", role, id], whence["wanted", role, id])
        } else if (!same_class(role, n, id)) {
            say("tc", begin(class["wanted", role, id], "class add", "class change"), whence["wanted", role, id])
        }
    }
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        if (("wanted", role, id) in leaf) put_leaf(role, n, id)
    }
    if (phased) {
        add_bank(role, force, 0)
        drop(role, prefs_of("wanted", role, 3 - force))
        say("tc", "class del dev " role " classid c05:2", origin[role])
    } else {
        switch_bank(role, n, hp[role])
        delete_classes(role, n, 0)
    }
}

function begin(line, from, to) {
    return to substr(line, length(from) + 1)
}

# Returns true if a class can stay. The kernel ignores prio and quantum of a parent class, so a new leaf is set again.
function same_class(role, n, id) {
    if (kids["now", n, id] && !kids["wanted", role, id]) return 0
    return (("was", role, id) in class) && class["was", role, id] == class["wanted", role, id] &&
        class["held", hp[role], id] == class["now", n, id]
}

# Returns true if a class must be deleted and added again, because its parent changes or is remade.
function remade(role, n, id) {
    if (!(("wanted", role, id) in class) || !(("now", n, id) in class)) return 0
    return parent["wanted", role, id] != parent["now", n, id] || remade(role, n, parent["now", n, id])
}

# Returns true if no packet may be sent to a class while the tree changes.
function disturbed(role, n, id) {
    if (id == "c05:1" || !(("wanted", role, id) in class)) return 0
    return remade(role, n, id) || !kids["now", n, id] != !kids["wanted", role, id]
}

function disturbed_any(role, n,    i) {
    for (i = 1; i <= count["now", n]; i++) if (disturbed(role, n, order["now", n, i])) return 1
    return 0
}

function detour(role, n, force,    line) {
    drop(role, now_prefs(n, 3 - force))
    line = class["wanted", role, "c05:1"]
    sub(/parent c05: classid c05:1/, "parent c05:1 classid c05:2", line)
    if (("now", n, "c05:2") in class) line = begin(line, "class add", "class change")
    say("tc", line, whence["wanted", role, "c05:1"] ", while classes move")
    add_bank(role, 3 - force, n)
    drop(role, now_prefs(n, force))
}

# Deletes classes, children first. No filter names them any more.
function delete_classes(role, n, keep_detour,    i, id) {
    for (i = 1; i <= count["now", n]; i++) {
        id = order["now", n, i]
        if (id == "c05:2" && keep_detour) continue
        if (!(("wanted", role, id) in class) || remade(role, n, id)) delete_class(role, n, id)
    }
    for (i = 1; i <= count["now", n]; i++) {
        id = order["now", n, i]
        if (gone[n, id]) delete class["now", n, id]
    }
}

function delete_class(role, n, id,    i) {
    if (gone[n, id]) return
    gone[n, id] = 1
    for (i = 1; i <= kids["now", n, id]; i++) delete_class(role, n, kid["now", n, id, i])
    say("tc", "class del dev " role " classid " id, origin[role] ", without " name_of(role, id))
}

# Returns the name that the last start gave a class.
function name_of(role, id,    name) {
    if (!(("was", role, id) in whence)) return id
    name = whence["was", role, id]
    sub(/ \([^(]*\)$/, "", name)
    return name
}

# A leaf qdisc keeps its packets if its kind, its handle, the flows of fq_codel and the isolation of CAKE stay.
function put_leaf(role, n, id,    want, held, words, w) {
    want = leaf["wanted", role, id]
    if (gone[n, id] || !(("now", n, id) in leaf)) {
        say("tc", want, leaf_whence["wanted", role, id])
        return
    }
    held = leaf["now", n, id]
    if (leaf["was", role, id] == want && leaf["held", hp[role], id] == held) return
    split(held, words, " ")
    split(want, w, " ")
    if (words[2] == w[9] && words[3] == w[8] && (w[9] != "cake" || isolation(held) == isolation(want)) &&
        (w[9] != "fq_codel" || option(held, "flows") == option(want, "flows"))) {
        if (w[9] == "fq_codel") sub(/ flows [0-9]+/, "", want)
        say("tc", begin(want, "qdisc add", "qdisc change"), leaf_whence["wanted", role, id])
    } else {
        say("tc", "qdisc del dev " role " parent " id, leaf_whence["wanted", role, id])
        say("tc", want, leaf_whence["wanted", role, id])
    }
}

# Returns the isolation of a CAKE. Only this cannot change in place: CAKE would count present flows and hosts wrongly.
function isolation(line) {
    return match(line " ", / (flows|dual-srchost|dual-dsthost) /) ? substr(line, RSTART, RLENGTH - 1) : ""
}

# --- filters

function switch_bank(list, n, h,    force) {
    force = bank_in_force(n)
    # A killed start may have left filters there.
    if (force) drop(list, now_prefs(n, 3 - force))
    if (force && same_bank(list, n, h, force)) return
    add_bank(list, force == 1 ? 2 : 1, 0)
    if (force) drop(list, now_prefs(n, force))
}

function same_bank(list, n, h, force,    i, other) {
    if (list ~ /^ingress/ && redirect_moves) return 0
    if (filters["was", list] != filters["wanted", list]) return 0
    for (i = 1; i <= filters["wanted", list]; i++) if (filter["was", list, i] != filter["wanted", list, i]) return 0
    other = pref_count["held", h, 1] ? 1 : 2
    if (held_count["held", h, other] != held_count["now", n, force]) return 0
    for (i = 1; i <= held_count["now", n, force]; i++)
        if (held["held", h, other, i] != held["now", n, force, i]) return 0
    return 1
}

# Adds the filters of a list in order. If the tree `n` is changing, c05:2 replaces a class that is not ready.
function add_bank(list, bank, n,    i, line, words) {
    for (i = 1; i <= filters["wanted", list]; i++) {
        line = shifted(filter["wanted", list, i], list, bank)
        if (n && match(line, / flowid c05:[0-9a-f]+/)) {
            split(substr(line, RSTART, RLENGTH), words, " ")
            if (!(("now", n, words[2]) in class) || kids["now", n, words[2]] || disturbed(list, n, words[2]))
                line = substr(line, 1, RSTART) "flowid c05:2" substr(line, RSTART + RLENGTH)
        }
        say("tc", line, filter_whence["wanted", list, i])
    }
}

function shifted(line, list, bank,    at) {
    if (bank == 1 || !match(line, / pref [0-9]+/)) return line
    at = substr(line, RSTART + 6, RLENGTH - 6) + (list ~ /^@/ ? root_bank : hook_bank)
    return substr(line, 1, RSTART) "pref " at substr(line, RSTART + RLENGTH)
}

function now_prefs(n, bank,    i, all) {
    all = ""
    for (i = 1; i <= pref_count["now", n, bank]; i++) all = all prefs["now", n, bank, i] " "
    return all
}

# Returns the preferences of the filters that a start describes.
function prefs_of(s, list, bank,    i, line, last, all) {
    all = ""
    for (i = 1; i <= filters[s, list]; i++) {
        line = shifted(filter[s, list, i], list, bank)
        match(line, / pref [0-9]+/)
        line = substr(line, RSTART + 6, RLENGTH - 6)
        if (line != last) all = all line " "
        last = line
    }
    return all
}

# Deletes filters, the last first: its packets meet the other list at once, the packets of earlier filters later.
function drop(list, numbers,    n, i, role, words, place) {
    role = list ~ /^@/ ? list : list ~ /^ingress / ? substr(list, 9) : "@wan"
    place = list ~ /^@/ ? " parent c05:" : list ~ /^ingress/ ? " ingress" : " egress"
    n = split(numbers, words, " ")
    for (i = n; i > 0; i--)
        say("tc", "filter del dev " role place " pref " words[i], origin[role] ", filters of before")
}
