# Four parts: what the last start described (was) and then found in the kernel (held), what the kernel holds
# (now), and what is described (wanted). An object that is described as it was, and held as it was, stays.
#
# Filters stand in one of two banks of preferences, and a change fills the other one. Either way a packet is
# always classified wholly by the old list or by a head of the new one: the lower bank is filled from its
# first filter on and emptied from its last, and the end of a list takes everything.

FNR == 1 { place = "hook"; pref = 0; object = "" }
$1 == "==" { part = $2; next }
$1 == "?" { unknown = $0; exit }
part == "was" || part == "wanted" { read_line(part, $0); next }
part == "held" || part == "now" { read_held(part) }

END {
    if (unknown != "") { print unknown; exit }
    np["@wan"] = hp["@wan"] = "wan"
    choose_ifb()
    links()
    if (evict ~ /hook/) { say("tc", "qdisc del dev " wan " " hooked, ""); forget("ingress"); forget("egress"); hooked = "" }
    if (needs_hook == "yes" && hooked == "") say("tc", "qdisc add dev " wan " clsact", origin["@wan"])
    if (target != "") direction("@ifb")
    direction("@wan")
    # tunnels {
    # What is not queued at the WAN device any more is queued behind its tunnel before, and the other way round.
    for (i = 1; i <= tunnels; i++) if (filters["wanted", "ingress " tunnel[i]]) tunnel_on(tunnel[i])
    # } tunnels
    switch_bank("ingress", "ingress", "ingress")
    switch_bank("egress", "egress", "egress")
    # tunnels {
    for (i = 1; i <= tunnels; i++) if (!filters["wanted", "ingress " tunnel[i]]) tunnel_off(tunnel[i])
    # } tunnels
    if (needs_hook != "yes" && hooked != "" && hook_made == "made") say("tc", "qdisc del dev " wan " " hooked, origin["@wan"])
    for (i = 1; i <= 2; i++) if (there[i] && name[i] != target) say("ip", "link del dev " name[i], origin["@wan"])
    # The number of lines for tc, if they make a tree.
    if (made && parts != "") print begun > (parts "/trees")
}

function say(tool, words, from) {
    gsub(/@wan/, wan, words)
    if (index(words, "@ifb")) gsub(/@ifb/, target, words)
    if (index(words, "  ")) gsub(/  +/, " ", words)
    words = words (from == "" ? "" : " # " from)
    print tool " " words
    if (parts == "") return
    print words > (parts "/" (tool == "tc" ? "program" : begun ? "last" : "first"))
    if (tool == "tc") begun++
    if (words ~ /^qdisc replace .* root /) made = 1
}

# --- reading

function read_line(s, line,    at, from, role, list) {
    at = index(line, " # ")
    from = substr(line, at + 3)
    line = substr(line, 1, at - 1)
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
        # tunnels {
        if (role !~ /^@/) origin[role] = from
        # } tunnels
        filter[s, list, ++filters[s, list]] = line
        filter_whence[s, list, filters[s, list]] = from
    }
}

# What tc shows: the hooks, then each device from its root on.
function read_held(s,    i, line) {
    # tunnels {
    if ($1 == "tunnel") {
        place = "ingress " $2
        object = ""
        if (s == "now" && $3 != "gone") {
            tunnel[++tunnels] = $2
            tunnel_hook[$2] = $4
            tunnel_made[$2] = index(tunnels_made, " " $2 ":" $3 " ")
        }
        return
    }
    # } tunnels
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
        kids[s, place, parent[s, place, $3]]++
        order[s, place, ++count[s, place]] = $3
    } else if ($1 == "filter") {
        object = "filter"
        for (i = 2; i < NF; i++) if ($i == "pref") pref = $(i + 1)
        find_bank()
        # tunnels {
        if (list == "" && place ~ /^ingress /) crowded[s, place] = 1
        # } tunnels
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

# A line of a filter without its preference and the numbers of u32 tables, which another bank has, too.
function keep_filter(s,    line) {
    if (list == "") return
    line = $0
    sub(/ pref [0-9]+ /, " ", line)
    gsub(/ (fh|ht) 8[0-9a-f]*:?/, " ", line)
    held[s, list, bank, ++held_count[s, list, bank]] = line
    if (list == "ingress" && match(line, /Redirect to device [^)]*/)) redirect[s, bank] = substr(line, RSTART + 19, RLENGTH - 19)
}

function forget(list) {
    pref_count["now", list, 1] = pref_count["now", list, 2] = 0
}

# --- devices

# The bank that packets meet: the lower one once its last filter is there.
function bank_in_force(list,    last) {
    last = list ~ /^ingress/ ? egress_pref - 1 : root_bank
    if (pref_count["now", list, 1] && (!pref_count["now", list, 2] || ("now", list, 1, last) in seen)) return 1
    return pref_count["now", list, 2] ? 2 : 0
}

# Downloads go through the ifb that they go through now, unless its root must be made anew: then through the
# other one, and the redirect is switched when everything there is ready.
function choose_ifb(    i, now_on) {
    name[1] = ifb1; name[2] = ifb2
    there[1] = up1; there[2] = up2
    # They were shown in this order.
    place_of[1] = up1 ? "first" : "nothing"
    place_of[2] = !up2 ? "nothing" : up1 ? "second" : "first"
    target = ""
    if (!(("wanted", "@ifb") in root)) return
    now_on = bank_in_force("ingress")
    now_on = now_on ? redirect["now", now_on] : ""
    for (i = 1; i <= 2; i++) if (name[i] == now_on && there[i] && evict !~ /hook/) {
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
    if (target != "" && there[target_number] < 2) say("ip", "link set dev " target " txqueuelen 1000 alias qosc-" link " up", origin["@ifb"])
    if (txqueuelen != "" && txqueuelen != queue) say("ip", "link set dev " wan " txqueuelen " txqueuelen, origin["@wan"])
}

# tunnels {
# --- tunnels

function tunnel_on(name,    list) {
    list = "ingress " name
    if (tunnel_hook[name] == "none") say("tc", "qdisc add dev " name " clsact", origin[name])
    switch_bank(list, list, list)
}

function tunnel_off(name,    list) {
    list = "ingress " name
    if (origin[name] == "") origin[name] = name
    drop(list, now_prefs(list, 1))
    drop(list, now_prefs(list, 2))
    if (tunnel_made[name] && tunnel_hook[name] != "none" && !(("now", list) in crowded))
        say("tc", "qdisc del dev " name " " tunnel_hook[name], origin[name])
}
# } tunnels

# --- one direction

# Whether the root is ours with all that only its creation can set.
function root_fits(role, place,    want, shown) {
    want = root["wanted", role]
    shown = root["now", place]
    # CAKE changes all but whom it keeps apart, which its counters do not survive.
    if (is_cake(want)) return shown ~ /^qdisc cake c05: root/ && isolation(shown) == isolation(want)
    if (shown !~ /^qdisc htb c05: root/) return 0
    if (option(shown, "direct_qlen") != option(want, "direct_qlen") || option(shown, "r2q") != option(want, "r2q")) return 0
    if (option(shown, "default") !~ /^(0x)?0$/) return 0
    return (want ~ / stab / ? option(want, "overhead") : "") == (stab["now", place] == "" ? "" : option(stab["now", place], "overhead"))
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
    # With filters in force, classes go last. But where a class changes its place in the tree, or a leaf gets
    # classes or loses them, nothing may point at it meanwhile: that takes a way of its own so long.
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
        drop(role, wanted_prefs(role, 3 - force))
        say("tc", "class del dev " role " classid c05:2", origin[role])
    } else {
        switch_bank(role, n, hp[role])
        delete_classes(role, n, 0)
    }
}

# The line with another beginning.
function begin(line, from, to) {
    return to substr(line, length(from) + 1)
}

# The kernel takes no priority and no quantum of a class with classes in it: one that loses them is told again.
function same_class(role, n, id) {
    if (kids["now", n, id] && !kids["wanted", role, id]) return 0
    return (("was", role, id) in class) && class["was", role, id] == class["wanted", role, id] &&
        class["held", hp[role], id] == class["now", n, id]
}

# A class that must be deleted and made again: it stands elsewhere in the tree, or in one that does.
function remade(role, n, id) {
    if (!(("wanted", role, id) in class) || !(("now", n, id) in class)) return 0
    return parent["wanted", role, id] != parent["now", n, id] || remade(role, n, parent["now", n, id])
}

# A class that no packet may be sent to while the tree changes.
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

# Children first. Whatever named them is gone by now.
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

function delete_class(role, n, id,    i, kid) {
    if (gone[n, id]) return
    gone[n, id] = 1
    for (i = 1; i <= count["now", n]; i++) {
        kid = order["now", n, i]
        if (parent["now", n, kid] == id) delete_class(role, n, kid)
    }
    say("tc", "class del dev " role " classid " id, origin[role] ", without " name_of(role, id))
}

# What an earlier start called a class.
function name_of(role, id,    name) {
    if (!(("was", role, id) in whence)) return id
    name = whence["was", role, id]
    sub(/ \([^(]*\)$/, "", name)
    return name
}

# A queue keeps its packets while it keeps its kind, its number of flows, and whom it counts.
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
    if (words[2] == w[9] && words[3] == w[8] && (w[9] != "fq_codel" || option(held, "flows") == option(want, "flows")) && (w[9] != "cake" || isolation(held) == isolation(want))) {
        if (w[9] == "fq_codel") sub(/ flows [0-9]+/, "", want)
        say("tc", begin(want, "qdisc add", "qdisc change"), leaf_whence["wanted", role, id])
    } else {
        say("tc", "qdisc del dev " role " parent " id, leaf_whence["wanted", role, id])
        say("tc", want, leaf_whence["wanted", role, id])
    }
}

# Who gets the same in a CAKE. Changed in place, it would count those wrongly that are there already.
function isolation(line) {
    return match(line " ", / (flows|dual-srchost|dual-dsthost) /) ? substr(line, RSTART, RLENGTH - 1) : ""
}

# --- filters

function switch_bank(list, n, h,    force) {
    force = bank_in_force(n)
    # What a start that was killed has left.
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
    for (i = 1; i <= held_count["now", n, force]; i++) if (held["held", h, other, i] != held["now", n, force, i]) return 0
    return 1
}

# In the order in which they are asked. Where the tree `n` is on the move, what goes to a class that is not in
# its place takes the detour.
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

function wanted_prefs(list, bank,    i, line, last, all) {
    all = ""
    for (i = 1; i <= filters["wanted", list]; i++) {
        line = shifted(filter["wanted", list, i], list, bank)
        match(line, / pref [0-9]+/)
        line = substr(line, RSTART + 6, RLENGTH - 6)
        if (line != last) all = all line " "
        last = line
    }
    return all
}

# The last first: what it took goes where it will go from now on, and what those before it take stays so long.
function drop(list, numbers,    n, i, role, words) {
    role = list ~ /^@/ ? list : list ~ /^ingress / ? substr(list, 9) : "@wan"
    n = split(numbers, words, " ")
    for (i = n; i > 0; i--) {
        say("tc", "filter del dev " role (list ~ /^@/ ? " parent c05:" : list ~ /^ingress/ ? " ingress" : " egress") " pref " words[i], origin[role] ", filters of before")
    }
}
