# --- offloads

# Reads a line of `ip -o -d link show`. In older versions, the number ends the line.
function read_link(    name, i) {
    name = $2
    sub(/:$/, "", name)
    if (!(name in is_sender)) sub(/@.*/, "", name)
    for (i = 3; i < NF; i++) if ($i == "gso_max_segs" && $(i + 1) != 1) sends[name] = $(i + 1)
}

# Reads a line of `ethtool -k`. It has long names where `ethtool -K` takes short ones.
function read_feature(    i, words) {
    if (!("gro" in long)) {
        split("gro generic-receive-offload: lro large-receive-offload: rx-gro-hw rx-gro-hw: " \
            "rx-gro-list rx-gro-list: rx-udp-gro-forwarding rx-udp-gro-forwarding:", words, " ")
        for (i = 1; i in words; i += 2) { short[words[i + 1]] = words[i]; long[words[i]] = 1 }
    }
    if (/^Features for /) { device = substr($3, 1, length($3) - 1); on[device] = "" }
    else if (NF == 2 && $2 == "on" && ($1 in short)) on[device] = on[device] device " " short[$1] "\n"
}

# Finds the offloads that are on, except stuck ones: late of known devices, fresh of newer ones.
function find_late(    i, k, n, words, line, all_old) {
    # If the YAML names the devices, none is new.
    all_old = given_receivers != "" || only != "facts" || was_devices == ""
    for (i = 1; i <= receivers; i++) {
        n = split(on[receiver[i]], words, "\n")
        for (k = 1; k < n; k++) {
            if (("stuck " words[k]) in noted) continue
            if (all_old || index(was_devices, " " receiver[i] " ")) late[++lates] = words[k]
            else fresh[++freshes] = words[k]
        }
    }
    for (i = 1; i <= senders; i++) {
        if (!(sender[i] in sends)) continue
        line = sender[i] " gso_max_segs=" sends[sender[i]]
        if (!(("stuck " line) in noted)) late[++lates] = line
    }
}
