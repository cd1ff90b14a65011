# --- tunnels whose downloads are queued behind their device

section == "tunnels" && $1 != "==" { read_tunnel(); next }
$1 == "==" && $2 ~ /^(table|objects|tc)$/ { choose_tunnels() }
section == "objects" && $1 == "@with" { with_tunnel() }
section == "table" && match($0, /@with [^ ]+ /) { if (!with_port()) next }

END { if (only == "tunnels") { print_lines(tunnel_line, tunnel_lines); exit } }

# Reads `tunnel DEV IFINDEX PORT` and the output of tc for its hooks, or `tunnel DEV gone`.
function read_tunnel(    line) {
    if ($1 == "tunnel") {
        end_tunnel_filter()
        at_tunnel = $2
        tunnel_number[$2] = $3
        tunnel_port[$2] = $4
        found_hook[$2] = "none"
        tunnel_line[++tunnel_lines] = $0
        head_of[$2] = tunnel_lines
        is_gone[$2] = $3 == "gone"
        if ($3 != "gone") tunnel_head(at_tunnel)
        return
    }
    line = normal($0)
    if (line == "") return
    if ($1 == "qdisc") {
        if ($2 == "clsact" || $2 == "ingress") found_hook[at_tunnel] = $2
        tunnel_head(at_tunnel)
        return
    }
    tunnel_line[++tunnel_lines] = line
    own_tunnel_filter()
}

function tunnel_head(device) {
    tunnel_line[head_of[device]] = \
        "tunnel " device " " tunnel_number[device] " " found_hook[device] " " tunnel_port[device]
}

# A filter at a tunnel device is ours if it has one of our preferences and redirects to one of our ifbs.
function own_tunnel_filter(    i, number, at) {
    if ($1 == "filter" && / pref /) {
        for (i = 2; i < NF; i++) if ($i == "pref") number = $(i + 1)
        if (number != tunnel_pref || redirects_to == "") {
            end_tunnel_filter()
            tunnel_pref = number
            redirects_to = "?"
            alien = 0
        }
        at = tunnel_pref >= ingress_pref + hook_bank ? tunnel_pref - hook_bank : tunnel_pref
        if (at < ingress_pref || at >= hook_pref_end) { alien = 1; has_others[at_tunnel] = 1 }
    }
    if (match($0, /Redirect to device [^)]*/)) {
        redirects_to = substr($0, RSTART + 19, RLENGTH - 19)
        if (redirects_to != ifb1 && redirects_to != ifb2 && redirects_to != ifbu && redirects_to != "*")
            alien = has_others[at_tunnel] = 1
    }
}

function end_tunnel_filter() {
    if (redirects_to != "" && !alien && !(at_tunnel in is_own)) {
        is_own[at_tunnel] = 1
        own_tunnels = own_tunnels " " at_tunnel
    }
    redirects_to = ""
}

# Sets through (`DEV:PORT:MORE` of each tunnel that works on this router), and wrapped (`DEV WHAT` for each other one).
# A tunnel with `/open` does not encrypt: it needs no port, and gets port 0. `/plain` is another device of the line.
# `rate` only changes numbers, so it adds no tunnel.
function choose_tunnels(    n, i, all, word, line, why, is_open, is_plain) {
    if (tunnels_wanted == "" || chosen_tunnels++) return
    end_tunnel_filter()
    # The record is read later.
    while ((getline line <(state "/state")) > 0)
        if (match(line, /^filter add dev [^@ ]+ ingress /)) was_through[substr(line, 16, RLENGTH - 24)] = 1
    close(state "/state")
    n = split(tunnels_wanted, all, " ")
    for (i = 1; i <= n; i++) {
        split(all[i], word, ":")
        is_plain = sub(/\/plain/, "", word[2])
        is_open = sub(/\/open/, "", word[2]) || is_plain
        why = !is_plain ? no_tunnels : header <= 14 ? "" : dev " carries PPPoE frames"
        if (!(word[1] in tunnel_number) || is_gone[word[1]]) why = "it is not there"
        else if (why == "" && (word[1] in has_others)) why = "others have filters at its ingress or egress"
        else if (why == "" && !is_open && tunnel_port[word[1]] + 0 == 0) why = "it listens at no port of WireGuard"
        if (why != "")
            wrapped = add_line(wrapped, word[1] " downloads are " \
                (is_plain ? "not queued: " : "queued as they come in, as one flow: ") why)
        else if (only_as_before == "" || (word[1] in was_through))
            through = through word[1] ":" (is_open ? 0 : tunnel_port[word[1]]) ":" word[2] " "
    }
}

function is_through(device) { return index(" " through, " " device ":") }

# Completes the line `@with DEV LINE` of a device that is there, and puts a / for its name. n VLAN tags make a packet
# 14 + 4 (n - 1) bytes longer.
function with_tunnel(    i, n, all, word, tags, pops, device) {
    device = $2
    if (!is_through(device)) return
    n = split(through, all, " ")
    for (i = 1; i <= n; i++) {
        split(all[i], word, ":")
        if (word[1] == device) break
    }
    for (i = 1 + int((word[3] + header - 14) / 4); i > 0; i--) tags = tags "action vlan push id 1 pipe "
    pops = tags
    gsub(/push id 1/, "pop", pops)
    sub(/^[ \t]*@with[ \t]+[^ \t]+/, "@with /")
    sub(/@port/, word[2])
    sub(/@tags /, tags)
    sub(/@pops /, pops)
}

# Completes a line of the table that `match` has found to begin with `@with DEV`. Returns false if that is not there.
function with_port(    device, at) {
    device = substr($0, RSTART + 6, RLENGTH - 7)
    at = is_through(device)
    if (!at) return 0
    $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
    # The port ends at a colon.
    sub(/@port/, substr(" " through, at + length(device) + 2) + 0)
    return 1
}

# Records if the hook of each tunnel device was there before us. A device that was made anew gets a new record.
function remember_tunnels(    n, i, k, all, word, device, number) {
    n = split(through, all, " ")
    for (i = 1; i <= n; i++) {
        split(all[i], word, ":")
        device = word[1]
        number = tunnel_number[device]
        if (has_note("tunnel " device " " number " ")) continue
        for (k = 1; k <= remembers; k++) if (index(remember_line[k], "tunnel " device " ") == 1) drop_note(k--)
        note("tunnel " device " " number (found_hook[device] == "none" || (device in is_own) ? " made" : " shared"))
    }
}

function drop_note(k) {
    delete remembered_line[remember_line[k]]
    for (; k < remembers; k++) remember_line[k] = remember_line[k + 1]
    remembers--
}

# --- their steps

# Adds the steps of the devices that get filters (on), or of those that keep none.
function switch_tunnels(on,    i) {
    for (i = 1; i <= tunnels; i++) {
        if (!filters["wanted", "ingress " tunnel[i]]) { if (!on) tunnel_off(tunnel[i]) }
        else if (on) tunnel_on(tunnel[i])
    }
}

function tunnel_on(name) {
    if (tunnel_hook[name] == "none") add_step("tc", "qdisc add dev " name " clsact", origin[name])
    switch_bank("ingress " name)
    switch_bank("egress " name)
}

function tunnel_off(name,    list, i) {
    list = "ingress " name
    if (origin[name] == "") origin[name] = name
    for (i = 1; i <= 2; i++) drop(list, now_prefs(list, i))
    for (i = 1; i <= 2; i++) drop("egress " name, now_prefs("egress " name, i))
    # If a start made the hook, it goes, too.
    if ((("tunnel " name " " tunnel_number[name] " made") in noted) &&
        tunnel_hook[name] != "none" && !(("now", list) in crowded))
        add_step("tc", "qdisc del dev " name " " tunnel_hook[name], origin[name])
}
