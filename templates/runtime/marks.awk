# --- the table of marks

# Reads a line of the desired table. nft lists it without its comments.
function read_table(    line) {
    line = $0
    sub(/"@wan"/, "\"" dev "\"", line)
    sub(/[ \t]*#.*/, "", line)
    if (line != "") table[++tables] = line
}

# Sets marks_state: kept, late (the table must be loaded: the desired or the observed table is not as the last start
# left it) or left (one is loaded that is not desired any more).
function compare_marks(    i, n, line, file, fits, held_mark) {
    marks_state = "kept"
    if (has_marks != "yes") {
        if ("marks" in before) marks_state = "left"
        return
    }
    file = state "/marks"
    for (i = 1; i <= tables; i++) if ((getline line <file) <= 0 || line != table[i]) break
    fits = i > tables && (getline line <file) <= 0
    close(file)
    file = state "/state"
    while ((getline line <file) > 0) if (n || line ~ /^table inet /) held_mark[++n] = line
    close(file)
    if (n != marks || is_there(state "/changing")) fits = 0
    for (i = 1; i <= n; i++) if (held_mark[i] != mark[i]) fits = 0
    if (!fits) marks_state = "late"
}
