# Prints the steps of a start for `qosc plan`, and what they follow from. It runs as one program with the engine of the
# scripts (templates/runtime/), and its END comes first.

END {
    read_record()
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
    if (is_recorded) find_differences()
    for (i = 1; i <= diffs; i++) if (difference[i] !~ /^txqueuelen/) print "drift " difference[i]
    exit
}

# Prints a text of an object in one of its states, unless there is none.
function print_text(key, text) { if (text != "") print "text " key " " text }

function print_tree(role,    place, slot, i, id) {
    place = first_word(np[role])
    slot = substr(np[role], length(place) + 2)
    print_text(role " outcome now", outcome[role])
    print_text(role " slot now", slot)
    print_text(role " root was", root["was", role])
    print_text(role " root now", root["now", place])
    print_text(role " root wanted", root["wanted", role])
    print_text(role " table now", stab["now", place])
    print_text(role " entry now", live_slot("now", place))
    print_text(role " stray now", is_stray["now", place])
    if (is_other(place " root") || is_other(place " entry " slot)) print "other " role " root"
    if (is_other(np[role])) print "other " role " tree"
    for (i = 1; i <= count["wanted", role]; i++) print_class(role, order["wanted", role, i])
    for (i = 1; i <= count["now", np[role]]; i++) {
        id = order["now", np[role], i]
        if (!(("wanted", role, id) in class)) print_class(role, id)
    }
    print_list(role, np[role], is_other(np[role]))
}

function first_word(text) { return substr(text, 1, index(text " ", " ") - 1) }

function print_class(role, id) {
    print_text(role " " id " was", class["was", role, id])
    print_text(role " " id " now", class["now", np[role], id])
    print_text(role " " id " wanted", class["wanted", role, id])
    print_text(role " queue:" id " was", leaf["was", role, id])
    print_text(role " queue:" id " now", leaf["now", np[role], id])
    print_text(role " queue:" id " wanted", leaf["wanted", role, id])
}

function print_hook(list) { print_list(list, list, is_other(hook_of(list))) }

# Prints the number of filters that packets meet, and if they are those that the last start left.
function print_list(list, now_list, other,    force) {
    force = bank_in_force(now_list)
    if (force) print "list " in_bank["now", now_list, force] + 0 " " (other ? "other" : "same") " " list
}
