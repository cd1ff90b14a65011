# Prints the steps of a start for `qosc plan`, and what they follow from. It runs as one program with the engine of the
# scripts (templates/runtime/), and its END comes first.

END {
    ifb = find_ifb()
    find_state()
    read_before()
    find_facts()
    find_steps()
    for (i = 1; i <= foreigns; i++) print "foreign " foreign[i]
    if (ours ~ /root/) print "our root"
    if (target != "") print "target " target
    if (redirect_moves) print "moves"
    print_tree("@wan")
    print_tree("@ifb")
    print_hook("ingress")
    print_hook("egress")
    for (i = 1; i <= tunnels; i++) print_hook("ingress " tunnel[i])
    for (i = 1; i <= steps; i++) print "step " tool_of[i] " " step[i]
    exit
}

# Prints a text of an object in one of its states, unless there is none.
function print_text(key, text) { if (text != "") print "text " key " " text }

function print_tree(role,    place, held_place, on, i, id) {
    place = first_word(np[role])
    held_place = first_word(hp[role])
    on = place_in_use(role, place)
    print_text(role " outcome now", outcome[role])
    print_text(role " slot now", substr(np[role], length(place) + 2))
    print_text(role " root was", root["was", role])
    print_text(role " root held", root["held", held_place])
    print_text(role " root now", root["now", place])
    print_text(role " root used", root["now", on])
    print_text(role " root wanted", root["wanted", role])
    print_text(role " table held", stab["held", held_place])
    print_text(role " table used", stab["now", on])
    print_text(role " entry held", live_slot("held", held_place))
    print_text(role " entry used", live_slot("now", on))
    print_text(role " stray used", is_stray["now", on])
    for (i = 1; i <= count["wanted", role]; i++) print_class(role, order["wanted", role, i])
    for (i = 1; i <= count["now", np[role]]; i++) {
        id = order["now", np[role], i]
        if (!(("wanted", role, id) in class)) print_class(role, id)
    }
    print_list(role, hp[role], pref_count["held", hp[role], 2] ? 2 : 1, np[role])
}

function first_word(text) { return substr(text, 1, index(text " ", " ") - 1) }

# Returns the place of the device that packets pass until the last step.
function place_in_use(role, place,    on, i) {
    on = role == "@ifb" ? redirect["now", bank_in_force("ingress")] : ""
    for (i = 1; i <= 2; i++) if (there[i] && name[i] == on) return place_of[i]
    return place
}

function print_class(role, id) {
    print_text(role " " id " was", class["was", role, id])
    print_text(role " " id " held", class["held", hp[role], id])
    print_text(role " " id " now", class["now", np[role], id])
    print_text(role " " id " wanted", class["wanted", role, id])
    print_text(role " queue:" id " was", leaf["was", role, id])
    print_text(role " queue:" id " held", leaf["held", hp[role], id])
    print_text(role " queue:" id " now", leaf["now", np[role], id])
    print_text(role " queue:" id " wanted", leaf["wanted", role, id])
}

function print_hook(list) { print_list(list, list, pref_count["held", list, 1] ? 1 : 2, list) }

# Prints the number of filters that packets meet, and if they are those that the last start left.
function print_list(list, held_list, held_bank, now_list,    force, i, number) {
    force = bank_in_force(now_list)
    if (!force) return
    number = 0
    for (i = 1; i <= held_count["now", now_list, force]; i++)
        if (held["now", now_list, force, i] ~ /^filter .* (key|handle) /) number++
    print "list " number " " (same_shown(held_list, held_bank, now_list, force) ? "same" : "other") " " list
}

# The call `follow` is not part of this program.
function begin_follow() {}
function follow_line() {}
function end_follow() {}
