# --- the state before us: see `before.sh`

function read_before(    n, i, name, names) {
    befores = read_lines(state "/before", before_line)
    before_cut = before_line[befores + 1]
    for (i = 1; i <= befores; i++) {
        noted[before_line[i]] = 1
        name = before_line[i]
        sub(/ .*/, "", name)
        if (!(name in before)) before[name] = substr(before_line[i], length(name) + 2)
    }
    # A new device, perhaps with the old name, has its own. A plan knows only that the record is of its device.
    if (boot != "" && (before["device"] != dev " " ifindex || before["boot"] != boot))
        before["root"] = before["hook"] = before["txqueuelen"] = ""
    n = split(ENVIRON["QOSC_RECORDS"], names, "\n")
    for (i = 1; i <= n; i++) if (names[i] != "" && names[i] != state "/before") read_theirs(names[i])
}

# Reads the record of another link, which may have started on our device since this router booted. In another network
# namespace, other devices have our names and numbers.
function read_theirs(path,    line, own, elsewhere, is_here, is_now, name, n, i) {
    n = read_lines(path, own)
    for (i = 1; i <= n; i++) {
        line = own[i]
        if (line == "device " dev " " ifindex) is_here = 1
        if (line == "boot " boot) is_now = 1
        if (netns != "" && line ~ /^netns / && line != "netns " netns) elsewhere = 1
    }
    if (elsewhere) return
    for (i = 1; i <= n; i++) { theirs[++their_lines] = own[i]; is_theirs[own[i]] = 1 }
    n = split(path, name, "/")
    if (is_here && is_now && rival == "") rival = name[n - 1]
}

# Reads the lines of a file, and returns their number. A last line without its end is cut, and says nothing.
function read_lines(path, lines,    text, n) {
    RS = "\001" # which occurs in no text: the file is one record
    getline text <path
    RS = "\n"
    close(path)
    n = split(text, lines, "\n")
    return n ? n - 1 : 0
}

# Returns the line of `before` of another link that begins with some words. Without one, the present value is original.
function their_line(words) { return line_with(theirs, their_lines, words) }

function note(line) {
    if (line in remembered_line) return
    remembered_line[line] = 1
    remember_line[++remembers] = line
}

function has_note(words) { return line_with(remember_line, remembers, words) != "" }

# Finds what `before` must say before the first change, but never our own work. A new device needs new facts.
function find_remembered(    i, k, line, path) {
    for (i = 1; i <= befores && before["boot"] == boot; i++)
        if ((before["device"] == dev " " ifindex ||
            before_line[i] ~ /^(boot|marks|uploads|sysctl|offload|stuck|tunnel) /) &&
            (before_line[i] !~ /^yaml / || before["yaml"] == default_dev))
            note(before_line[i])
    note("boot " boot)
    note("device " dev " " ifindex)
    note("yaml " default_dev)
    if (netns != "") note("netns " netns)
    if (!has_note("root ")) note("root " root_before)
    if (!has_note("hook ")) note("hook " (hook == "" || our_prefs != "" ? "made" : "shared"))
    remember_tunnels()
    if (has_marks == "yes") note("marks made")
    if (up != dev) note("uploads made")
    if (txqueuelen != "" && !has_note("txqueuelen ")) note("txqueuelen " queue_length())
    for (i = 1; i <= sysctls; i++) {
        if (has_note("sysctl " sysctl[i] " ")) continue
        path = "/proc/sys/" sysctl[i]
        line = their_line("sysctl " sysctl[i] " ")
        if (line == "" && is_there(path)) line = "sysctl " sysctl[i] " " first_line(path)
        if (line != "") note(line)
    }
    for (i = 1; i <= lates; i++) note("offload " late[i])
    # What another link turned off was on before us, too.
    for (k = 1; k <= their_lines; k++) {
        if (theirs[k] !~ /^offload /) continue
        split(theirs[k], words_of, " ")
        if (words_of[3] ~ /^gso_max_segs=/ ? (words_of[2] in is_sender) : (words_of[2] in is_receiver)) note(theirs[k])
    }
    for (i = 1; i <= remembers; i++) remembered = remembered remember_line[i] "\n"
}

# Finds what can be put back: unneeded settings (left), and all (before). What remains is `before` without left.
function find_left(    i, n, w, line, gone) {
    for (i = 1; i <= remembers; i++) {
        line = remember_line[i]
        n = split(line, w, " ")
        gone = 0
        if (w[1] == "sysctl") {
            sub(/^sysctl /, "", line)
            if (their_line("sysctl " w[2] " ") == "") {
                if (noted["sysctl " line]) sysctls_before = add_line(sysctls_before, line)
                gone = !(w[2] in is_setting)
                if (gone) sysctls_left = add_line(sysctls_left, line)
            }
        } else if (w[1] == "offload") {
            line = w[2] " " w[3]
            if (is_there(sys "/class/net/" w[2] "/ifindex") && !(("offload " line) in is_theirs)) {
                if (noted["offload " line] && !noted["stuck " line])
                    aggregates_before = add_line(aggregates_before, line)
                gone = !(w[3] ~ /=/ ? (w[2] in is_sender) : (w[2] in is_receiver))
                if (gone) aggregates_left = add_line(aggregates_left, line)
            }
        }
        else if (w[1] == "txqueuelen") gone = txqueuelen == ""
        else if (w[1] == "marks") gone = has_marks != "yes"
        else if (w[1] == "uploads") gone = up == dev
        else if (w[1] == "tunnel") gone = !index(" " through, " " w[2] ":")
        if (!gone) remaining = remaining remember_line[i] "\n"
    }
}
