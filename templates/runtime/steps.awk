# Finds the converge steps from two descriptions, `was` of the last start and `wanted` of this one. What tc shows now
# is compared with what it showed after the last start (held) as a whole for each place: the hooks of a device, and the
# root, the entries and each slot of a tree. docs/script.md explains places and banks.

function find_steps(    i) {
    describe()
    for (i = 1; i <= was_lines; i++) read_line("was", was_line[i])
    place = "hook"; text_at = ""
    for (i = 1; i <= held_lines; i++) { $0 = held_line[i]; read_shown("held") }
    place = "hook"; text_at = ""; pref = 0; object = ""
    for (i = 1; i <= state_lines; i++) { $0 = state_line[i]; read_shown("now") }
    for (i = 1; i <= wants; i++) read_line("wanted", wanted[i])
    converge()
}

function converge() {
    hooked = hook
    want_queue = txqueuelen != "" ? txqueuelen : before["txqueuelen"]
    choose_ifb()
    add_links()
    # `--take-over` removes the hook of others. Our root qdisc replaces theirs anyway.
    if (take_over == "yes" && foreign_hook) {
        add_step("tc", "qdisc del dev " dev " " hooked, "")
        forget("ingress"); forget("egress")
        hooked = ""
    }
    if (needs_hook == "yes" && hooked == "") add_step("tc", "qdisc add dev " dev " clsact", origin["@wan"])
    # Others may drop downloads there.
    if (ifb_hook != "" && np["@ifb"] == "@ifb") add_step("tc", "qdisc del dev @ifb " ifb_hook, "filters of others")
    if (target != "") converge_direction("@ifb")
    converge_direction("@wan")
    # A script that queued uploads at the WAN device may have left a tree there.
    if (is_our_root(root["now", "old"])) {
        add_step("tc", "qdisc del dev " dev " root", origin["@wan"])
        if (before["root"] != "" && before["root"] != "default")
            add_step("tc", "qdisc replace dev " dev " root " before["root"], origin["@wan"])
    }
    # Downloads of a tunnel must always be queued, at the WAN device or behind the tunnel.
    switch_tunnels(1)
    switch_bank("ingress")
    switch_bank("egress")
    switch_tunnels(0)
    if (needs_hook != "yes" && hooked != "" && before["hook"] == "made")
        add_step("tc", "qdisc del dev " dev " " hooked, origin["@wan"])
    if (target == "" && upness(ifb1)) add_step("ip", "link del dev " ifb1, origin["@wan"])
    # Older scripts had a second one.
    if (upness(ifb2)) add_step("ip", "link del dev " ifb2, origin["@wan"])
    if (up == dev && upness(ifbu)) add_step("ip", "link del dev " ifbu, origin["@wan"])
}

function add_step(tool, words, from,    role) {
    # An old original-awk forgets the first pattern if the replacement has another one.
    role = words ~ /@wan (ingress|egress|clsact)/ ? dev : up
    gsub(/@wan/, role, words)
    if (index(words, "@ifb")) gsub(/@ifb/, target, words)
    if (index(words, "  ")) gsub(/  +/, " ", words)
    words = words (from == "" ? "" : " # " from)
    tool_of[++steps] = tool
    step[steps] = words
    part_of[steps] = tool == "tc" ? (is_early ? "early" : "program") : begun ? "final" : "first"
    if (tool == "tc" && !is_early) begun++
    if (words ~ /^qdisc replace .* root /) made = 1
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
        # tc shows the filters in hash tables elsewhere.
        if (line !~ / u32 (ht|divisor) /) outside_whence[s, list, ++outside[s, list]] = from
    }
}

# Reads a line of tc into the text of its place: the filters at the hooks come first, then each device from its root on.
# Of what tc shows now, also finds the objects.
function read_shown(s,    i, now) {
    now = s == "now"
    if ($1 == "tunnel") {
        place = text_at = "ingress " $2
        object = ""
        if (now && $3 != "gone") { tunnel[++tunnels] = $2; tunnel_number[$2] = $3; tunnel_hook[$2] = $4 }
    }
    else if ($1 == "qdisc" && $4 == "root") {
        place = next_place(s)
        text_at = place " root"
        object = "root"
        if (now) root[s, place] = $0
    } else if ($1 == "qdisc" && ($2 == "clsact" || $2 == "ingress")) {
        # At the ifb, others may drop downloads.
        text_at = place == "@ifb" ? "@ifb hook" : "hook"
        object = ""
        if (now && place == "@ifb") ifb_hook = $2
    } else if ($1 == "qdisc" || $1 == "class") {
        object = $1
        text_at = place " " slot_of($1 == "class" ? $3 : $5)
    } else if ($1 == "filter") {
        object = "filter"
        for (i = 2; i < NF; i++) if ($i == "pref") pref = $(i + 1)
        if (place == "hook" || place ~ /^ingress /) { text_at = place; find_bank(s) }
        else find_chain(s)
    } else if (/^[^ \t]/) text_at = object = ""
    if (text_at == "") return
    # The kernel may list the classes in another order after more of them came.
    if (object == "class") { is_said[s, text_at, masked($0)] = 1; classes_at[s, text_at]++ }
    else said[s, text_at, ++lines_at[s, text_at]] = masked($0)
    if (!now) return
    if (object == "root" && $1 == "linklayer") stab[s, place] = $0
    else if (object == "filter") note_filter(s)
    else if (object == "class" || object == "qdisc") note_object(s)
}

# Notes a queue or a class that tc shows now, with the ids of slot a.
function note_object(s,    line, w, above) {
    line = $0
    # A handle of the other slot would be in the way of a swap.
    if (object == "qdisc" && ($3 ~ /^[13579bdf]...:$/) != ($5 ~ /^c05:[13579bdf]...$/)) is_stray[s, place] = 1
    if (text_at ~ / b$/) line = other_slot(line)
    split(line, w, " ")
    if (object == "qdisc") { leaf[s, text_at, w[5]] = line; return }
    above = w[4] == "root" ? "c05:" : w[5]
    class[s, text_at, w[3]] = line
    shown_class[s, text_at, count[s, text_at] + 1] = masked($0)
    parent[s, text_at, w[3]] = above
    kid[s, text_at, above, ++kids[s, text_at, above]] = w[3]
    order[s, text_at, ++count[s, text_at]] = w[3]
}

# Returns true if a place is not as the record says.
function is_other(place,    i) {
    if (classes_at["now", place] + 0 != classes_at["held", place] + 0) return 1
    for (i = 1; i <= count["now", place]; i++)
        if (!(("held", place, shown_class["now", place, i]) in is_said)) return 1
    for (i = 1; i <= lines_at["now", place] && said["now", place, i] == said["held", place, i]; i++);
    return lines_at["now", place] + 0 != lines_at["held", place] + 0 || i <= lines_at["now", place]
}

# Returns the place of the next root qdisc. If an ifb takes the uploads, the last root is that of the WAN device.
function next_place(s) {
    if (place == "hook" && !(s == "now" && up != dev && !upness(up))) return "@wan"
    if (s == "now" && up != dev && (!upness(ifb1) || place == "@ifb")) return "old"
    return place == "hook" || place == "@wan" ? "@ifb" : "old"
}

# In slot b, the first digit of an id is odd.
function slot_of(id) { return id ~ /^c05:[13579bdf]...$/ ? "b" : "a" }

# Returns a line with the ids of the other slot.
function other_slot(line,    text, digit) {
    while (match(line, /(c05:|leaf |handle |^qdisc [a-z_]+ )[2-9a-f][0-9a-f][0-9a-f][0-9a-f]/)) {
        digit = index("23456789abcdef", substr(line, RSTART + RLENGTH - 4, 1))
        text = text substr(line, 1, RSTART + RLENGTH - 5) substr("32547698badcfe", digit, 1)
        line = substr(line, RSTART + RLENGTH - 3)
    }
    return text line
}

# Finds the list and the bank of a filter in a tree. Bank 0 has the entries of the slot and of its chains.
function find_chain(s,    i, chain, slot) {
    list = ""
    chain = 0
    for (i = 2; i < NF; i++) if ($i == "chain") chain = $(i + 1)
    slot = chain > 4 || (!chain && (pref == 1 || pref > 4)) ? "b" : "a"
    bank = chain % 4
    text_at = place (bank ? " " : " entry ") slot
    if (s != "now") return
    list = place " " slot
    if (chain) note_table(s, chain, slot)
    # Our entries take all protocols. Others may have filters at the root, too.
    if (chain ? chain !~ /^[1256]$/ : $3 != "all") is_stray[s, place] = 1
    else if (chain) return
    else if (pref <= 2 && /flowid c05:[ab]000( |$)/) is_entered[s, place, slot] = 1
    else if (pref <= 2 && !/flowid/) return
    else if (pref == 3 || pref == 4 || pref == 7 || pref == 8) pref_count[s, list, 1 + pref % 2] = 1
    else is_stray[s, place] = 1
}

# Notes a hash table, or a filter in one. The first digit of a table is the number of its chain, but each list of the
# device shows it.
function note_table(s, chain, slot,    i, id, at, of) {
    for (i = 2; i < NF; i++) if ($i == "fh") id = $(i + 1)
    if (id !~ /^[1256]..:/) return
    of = substr(id, 1, 1)
    at = place (of > 4 ? " b" : " a")
    if (!((s, place, id) in shown_in) && !/ ht divisor /) nodes[s, at, of % 4, ++node_count[s, at, of % 4]] = id
    if (!((s, place, id) in shown_in) || of == chain) shown_in[s, place, id] = slot chain
}

# Finds the list and the bank of a filter at a hook.
function find_bank(s,    i) {
    list = ""
    bank = 1 + (pref >= ingress_pref + hook_bank)
    i = pref - (bank - 1) * hook_bank
    if (i >= ingress_pref && i < egress_pref) list = place == "hook" ? "ingress" : place
    else if (i >= egress_pref && i < hook_pref_end) list = "egress" (place == "hook" ? "" : substr(place, 8))
    if (s != "now") list = ""
    else if (list == "") crowded[s, place] = 1
    else if (!((s, list, bank, pref) in seen)) {
        seen[s, list, bank, pref] = 1
        prefs[s, list, bank, ++pref_count[s, list, bank]] = pref
    }
}

# Notes a filter that tc shows now, or a detail of it.
function note_filter(s) {
    if (list == "") return
    in_bank[s, list, bank] += /^filter .* (key|handle) / ? 1 : 0
    if (list == "ingress" && match($0, /Redirect to device [^)]*/))
        redirect[bank] = substr($0, RSTART + 19, RLENGTH - 19)
}

function forget(list) {
    pref_count["now", list, 1] = pref_count["now", list, 2] = 0
}

# --- devices

# Returns the bank that packets meet, or 0. At the egress, where no filter ends a list, a whole bank is in force.
function bank_in_force(list,    last) {
    if (list ~ / [ab]$/) return pref_count["now", list, 2] ? 2 : pref_count["now", list, 1] ? 1 : 0
    if (list == "egress" && pref_count["now", list, 1] && pref_count["now", list, 2])
        return is_whole(1) ? 1 : is_whole(2) || pref_count["now", list, 1] < whole ? 2 : 1
    last = (list ~ /^egress/ ? hook_pref_end : egress_pref) - 1
    if (pref_count["now", list, 1] && (!pref_count["now", list, 2] || ("now", list, 1, last) in seen))
        return 1
    return pref_count["now", list, 2] ? 2 : 0
}

# Sets whole to the number of preferences that the last start made at the egress. Returns true if a bank has all.
function is_whole(bank,    i, number) {
    whole = split(prefs_of("was", "egress", bank), number, " ")
    for (i = 1; i <= whole; i++) if (!(("now", "egress", bank, number[i]) in seen)) return 0
    return whole == pref_count["now", "egress", bank]
}

# Finds the ifb of downloads. Only a new one can have other queues, and no packet may be sent to one that is gone.
function choose_ifb(    want) {
    target = ""
    np["@wan"] = "@wan"
    if (!(("wanted", "@ifb") in root)) return
    target = ifb1
    np["@ifb"] = "@ifb"
    want = cake_of(root["wanted", "@ifb"])
    # More queues use more cores, and share less fairly.
    queues = want == "cake_mq" ? " numtxqueues 4" : ""
    renewed = upness(target) && !root_fits("@ifb", "@ifb") &&
        (want == "cake_mq" || root["now", "@ifb"] ~ /^qdisc (cake_)?mq /)
    if (renewed) {
        is_early = 1
        drop("ingress", now_prefs("ingress", 1) now_prefs("ingress", 2))
        is_early = 0
        forget("ingress")
        add_step("ip", "link del dev " target, origin["@ifb"])
        np["@ifb"] = "nothing"
    }
    redirect_moves = redirect[bank_in_force("ingress")] != target
}

function add_links() {
    if (target != "") raise_ifb(target, origin["@ifb"])
    if (up != dev) raise_ifb(up, origin["@wan"])
    if (want_queue != "" && want_queue != queue_length())
        add_step("ip", "link set dev " dev " txqueuelen " want_queue, origin["@wan"])
}

# Makes an ifb and brings it up, unless it is.
function raise_ifb(device, from,    new) {
    new = device == target && renewed || !upness(device)
    if (new) add_step("ip", "link add name " device queues " type ifb", from)
    if (new || upness(device) < 2)
        add_step("ip", "link set dev " device " txqueuelen 1000 alias qosc-" link " up", from)
}

# --- one direction: nothing, numbers or classes and matches in place, a swap to the other slot, or a new root

# Returns true if the root qdisc is ours, has all options that only its creation can set, and leads to a slot.
function root_fits(role, place,    want, shown) {
    want = root["wanted", role]
    shown = root["now", place]
    if (is_stray["now", place] || (is_cake(want) && anew != "")) return 0
    if (is_cake(want))
        return index(shown, "qdisc " cake_of(want) " c05: root") == 1 && isolation(shown) == isolation(want)
    if (shown !~ /^qdisc htb c05: root/ || !live_slot("now", place)) return 0
    if (option(shown, "direct_qlen") != option(want, "direct_qlen")) return 0
    if (option(shown, "r2q") != option(want, "r2q") || option(shown, "default") !~ /^(0x)?0$/) return 0
    return (want ~ / stab / ? option(want, "overhead") : "") == option(stab["now", place], "overhead")
}

# Returns the slot that packets enter, or nothing. The entry of slot b comes before that of slot a.
function live_slot(s, place) {
    return ((s, place, "b") in is_entered) ? "b" : ((s, place, "a") in is_entered) ? "a" : ""
}

function is_our_root(line) { return line ~ /^qdisc (htb|cake|cake_mq) c05: root/ }

function is_cake(line) { return cake_of(line) != "" }

# Returns the kind of a described CAKE at the root, or nothing.
function cake_of(line) { return match(line, / handle c05: cake(_mq)? /) ? substr(line, RSTART + 13, RLENGTH - 14) : "" }

function option(line, word,    words, n, i) {
    n = split(line, words, " ")
    for (i = 1; i < n; i++) if (words[i] == word) return words[i + 1]
    return ""
}

function converge_direction(role,    place, cake, slot, other, why) {
    place = np[role]
    cake = is_cake(root["wanted", role])
    if (!root_fits(role, place)) {
        outcome[role] = "rebuild"
        # The only class of an older script whose id is always the same.
        if (live_slot("now", place) == "" && (("now", place " a", "c05:1") in class)) older = 1
        if (is_our_root(root["now", place]))
            add_step("tc", "qdisc del dev " role " root", origin[role])
        add_step("tc", root["wanted", role], origin[role])
        build(role, "a")
        return
    }
    slot = cake ? "a" : live_slot("now", place)
    other = slot == "a" ? "b" : "a"
    np[role] = place " " slot
    if (cake) {
        if (root["was", role] != root["wanted", role] || is_other(place " root"))
            add_step("tc", as_change(root["wanted", role]), origin[role])
    } else {
        # A killed start may have left a part of a tree there.
        demolish(role, place, other)
        why = misfit(role, np[role])
    }
    if (why == "") {
        adapt(role, np[role])
        return
    }
    outcome[role] = why
    build(role, other)
    demolish(role, place, slot)
}

# Returns a line for each direction that gets a new tree in the other slot, with the reason.
function new_trees(    down, up) {
    if (older) return "# takes over from an older script: every tree of it is made anew"
    down = new_tree("@ifb", "downloads"); up = new_tree("@wan", "uploads")
    return down (down == "" || up == "" ? "" : "\n") up
}

function new_tree(role, name) {
    return !(role in outcome) || outcome[role] == "rebuild" ? "" : "# " name " get a new tree: " outcome[role]
}

# Returns the reason why a tree cannot take the wanted form in place, or nothing.
function misfit(role, n,    i, id, held, want, words, w, slot) {
    if (anew != "") return "this is a restart"
    if (!lines_at["held", n]) return "there is no record of what start made"
    slot = substr(n, length(n))
    if (is_other(role " entry " slot)) return "others changed the entry of its filters"
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        if (!(("now", n, id) in class)) continue
        if (parent["now", n, id] != parent["wanted", role, id])
            return name_at("wanted", role, id) " gets another parent"
        if (kids["now", n, id] && !kids["wanted", role, id])
            return name_at("wanted", role, id) " loses its last class, and gets a queue"
        if (!kids["now", n, id] && kids["wanted", role, id])
            return name_at("wanted", role, id) " gets its first class"
        if (!(("wanted", role, id) in leaf) || !(("now", n, id) in leaf)) continue
        held = leaf["now", n, id]
        want = leaf["wanted", role, id]
        split(held, words, " ")
        split(want, w, " ")
        if (words[2] != w[9]) return "the queue of " name_at("wanted", role, id) " changes from " words[2] " to " w[9]
        if (words[3] != w[8]) return "the queue of " name_at("wanted", role, id) " has another handle"
        if (w[9] == "cake" && isolation(held) != isolation(want))
            return "the queue of " name_at("wanted", role, id) " separates" isolation(want)
        if (w[9] == "fq_codel" && option(held, "flows") != option(want, "flows"))
            return "the queue of " name_at("wanted", role, id) " has " option(want, "flows") " flows"
    }
    return ""
}

# Changes a tree in place. New classes come first, then the list of filters, and classes without filters go last.
function adapt(role, n,    i, id, slot, all) {
    slot = substr(n, length(n))
    all = is_other(n)
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        if (!(("now", n, id) in class)) {
            add_step_in(slot, class["wanted", role, id], whence["wanted", role, id])
        } else if (all || class["was", role, id] != class["wanted", role, id]) {
            add_step_in(slot, as_change(class["wanted", role, id]), whence["wanted", role, id])
        }
    }
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        if (("wanted", role, id) in leaf) put_leaf(role, n, id, slot, all)
    }
    switch_chain(role, n, slot, all)
    for (i = 1; i <= count["now", n]; i++) {
        id = order["now", n, i]
        if (!(("wanted", role, id) in class)) delete_class(role, n, id, slot)
    }
}

# Builds the tree of a slot, and sends all packets there. The entry of slot b comes before that of slot a.
function build(role, slot,    i, id) {
    for (i = 1; i <= count["wanted", role]; i++) {
        id = order["wanted", role, i]
        add_step_in(slot, class["wanted", role, id], whence["wanted", role, id])
        if (("wanted", role, id) in leaf) add_step_in(slot, leaf["wanted", role, id], leaf_whence["wanted", role, id])
    }
    if (filters["wanted", role]) add_chain(role, slot, 1)
    if (!is_cake(root["wanted", role]))
        add_step_in(slot, "filter add dev " role " parent c05: pref " (slot == "a" ? 2 : 1) \
            " protocol all u32 match u32 0 0 at 0 flowid c05:a000", origin[role] ", entry")
}

# Deletes the tree of a slot. Its entry goes first.
function demolish(role, place, slot,    n, i) {
    n = place " " slot
    if (("now", place, slot) in is_entered)
        add_step("tc", "filter del dev " role " parent c05: pref " (slot == "a" ? 2 : 1),
            origin[role] ", entry of before")
    delete_chain(role, n, slot, 1)
    delete_chain(role, n, slot, 2)
    for (i = 1; i <= count["now", n]; i++) delete_class(role, n, order["now", n, i], slot)
}

# Says a line of slot a for a slot.
function add_step_in(slot, words, from) { add_step("tc", slot == "a" ? words : other_slot(words), from) }

# Returns a line that changes an object in place. The flows of fq_codel are those of its creation.
function as_change(line) {
    sub(/ (add|replace) /, " change ", line)
    if (line ~ / fq_codel /) sub(/ flows [0-9]+/, "", line)
    return line
}

function delete_class(role, n, id, slot,    i) {
    if (gone[n, id]) return
    gone[n, id] = 1
    for (i = 1; i <= kids["now", n, id]; i++) delete_class(role, n, kid["now", n, id, i], slot)
    add_step_in(slot, "class del dev " role " classid " id, origin[role] ", without " name_of(role, id))
}

# Returns the name that the last start gave a class.
function name_of(role, id) { return ("was", role, id) in whence ? name_at("was", role, id) : id }

function name_at(s, role, id,    name) {
    name = whence[s, role, id]
    sub(/ \([^(]*\)$/, "", name)
    return name
}

# Sets the queue of a leaf class, which keeps its packets.
function put_leaf(role, n, id, slot, all,    want) {
    want = leaf["wanted", role, id]
    if (!(("now", n, id) in leaf)) add_step_in(slot, want, leaf_whence["wanted", role, id])
    else if (all || leaf["was", role, id] != want) add_step_in(slot, as_change(want), leaf_whence["wanted", role, id])
}

# Returns the isolation of a CAKE. Only this cannot change in place: CAKE would count present flows and hosts wrongly.
function isolation(line) {
    return match(line " ", / (flows|dual-srchost|dual-dsthost) /) ? substr(line, RSTART, RLENGTH - 1) : ""
}

# --- the filters of a tree: they are in a chain, to which an entry leads. A change fills the unused chain.

# The entry of chain 2 comes before that of chain 1. Slot b has other numbers: u32 shows equal preferences as one.
function entry_of(slot, bank) { return (slot == "a" ? 5 : 9) - bank }
function chain_of(slot, bank) { return bank + (slot == "a" ? 0 : 4) }

# The filters hang at the top class of the slot, or at a CAKE.
function list_at(role) {
    return "dev " role " parent " (is_cake(root["wanted", role]) ? "c05:" : "c05:a000")
}

function switch_chain(role, n, slot, all,    force) {
    force = bank_in_force(n)
    # A killed start may have left filters there, perhaps without an entry.
    if (force != 1) delete_chain(role, n, slot, 1)
    if (force != 2) delete_chain(role, n, slot, 2)
    if (force && !all && same_list(role)) return
    if (filters["wanted", role]) add_chain(role, slot, force == 1 ? 2 : 1)
    if (force) delete_chain(role, n, slot, force)
}

function add_chain(role, slot, bank,    i, line, place) {
    place = (role in outcome) && outcome[role] == "rebuild" ? "" : np[role]
    sub(/ [ab]$/, "", place)
    for (i = 1; i <= filters["wanted", role]; i++) {
        line = filter["wanted", role, i]
        sub(/dev [^ ]+ parent c05: /, list_at(role) " chain " chain_of(slot, bank) " ", line)
        if (match(line, / u32 (divisor|ht|match u32 0 0 at 0 hashkey) /)) line = in_chain(line, chain_of(slot, bank))
        # An earlier list of this chain may have left the table.
        if (match(line, / handle [1256]..: u32 divisor /) && ("now", place, substr(line, RSTART + 8, 4)) in shown_in)
            continue
        add_step_in(slot, line, filter_whence["wanted", role, i])
    }
    add_step_in(slot, "filter add " list_at(role) " pref " entry_of(slot, bank) \
        " protocol all u32 match u32 0 0 at 0 action goto chain " chain_of(slot, bank), origin[role] ", filters")
}

# Gives the hash tables of a line the number of their chain as the first digit.
function in_chain(line, chain) {
    gsub(/ ht 1/, " ht " chain, line)
    gsub(/ link 1/, " link " chain, line)
    sub(/ handle 1/, " handle " chain, line)
    return line
}

# A table outlives its chain and would hold its classes. It cannot be deleted at once either: the kernel frees the link
# to it later. So it is emptied, and stays for the next list of the chain.
function delete_chain(role, n, slot, bank,    from, i, id, at) {
    from = origin[role] ", filters of before"
    if (pref_count["now", n, bank]) add_step_in(slot, "filter del " list_at(role) " pref " entry_of(slot, bank), from)
    for (i = 1; i <= node_count["now", n, bank]; i++) {
        id = nodes["now", n, bank, i]
        at = shown_in["now", substr(n, 1, length(n) - 2), id]
        add_step_in(substr(at, 1, 1), "filter del " list_at(role) " chain " substr(at, 2) \
            " pref 28672 protocol all handle " id " u32", from)
    }
    if (("now", n, bank) in in_bank)
        add_step_in(slot, "filter del " list_at(role) " chain " chain_of(slot, bank), from)
}

# --- the filters at the hooks, in two banks of preferences

function switch_bank(list,    force) {
    force = bank_in_force(list)
    # A killed start may have left filters there.
    if (force) drop(list, now_prefs(list, 3 - force))
    if (force && same_bank(list)) return
    add_bank(list, force == 1 ? 2 : 1)
    if (force) drop(list, now_prefs(list, force))
}

# Returns the place of a list of filters at a hook.
function hook_of(list) { return list ~ / / ? "ingress" substr(list, index(list, " ")) : "hook" }

function same_bank(list) {
    if (anew != "" || (list ~ /^ingress/ && redirect_moves)) return 0
    return same_list(list) && !is_other(hook_of(list))
}

function same_list(list,    i) {
    if (filters["was", list] != filters["wanted", list]) return 0
    for (i = 1; i <= filters["wanted", list]; i++) if (filter["was", list, i] != filter["wanted", list, i]) return 0
    return 1
}

# Adds the filters of a list in order.
function add_bank(list, bank,    i) {
    for (i = 1; i <= filters["wanted", list]; i++)
        add_step("tc", shifted(filter["wanted", list, i], bank), filter_whence["wanted", list, i])
}

function shifted(line, bank,    at) {
    if (bank == 1 || !match(line, / pref [0-9]+/)) return line
    at = substr(line, RSTART + 6, RLENGTH - 6) + hook_bank
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
        line = shifted(filter[s, list, i], bank)
        match(line, / pref [0-9]+/)
        line = substr(line, RSTART + 6, RLENGTH - 6)
        if (line != last) all = all line " "
        last = line
    }
    return all
}

# Deletes filters, the last first: its packets meet the other list at once, the packets of earlier filters later.
function drop(list, numbers,    n, i, role, words) {
    role = index(list, " ") ? substr(list, index(list, " ") + 1) : "@wan"
    n = split(numbers, words, " ")
    for (i = n; i > 0; i--)
        add_step("tc", "filter del dev " role (list ~ /^ingress/ ? " ingress" : " egress") " pref " words[i],
            origin[role] ", filters of before")
}
