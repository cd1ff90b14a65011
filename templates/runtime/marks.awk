# --- the table of marks

# Reads a line of the desired table. nft lists it without its comments.
function read_table(    line) {
    line = $0
    sub(/"@wan"/, "\"" dev "\"", line)
    sub(/[ \t]*#.*/, "", line)
    if (line != "") table[++tables] = line
}

# Sets marks_state: kept, late (the table must be loaded again) or left (a loaded one is not desired any more).
function compare_marks(    n, line, file, fits) {
    marks_state = "kept"
    if (has_marks != "yes") {
        if ("marks" in before) marks_state = "left"
        return
    }
    fits = anew == "" && holds(state "/marks", table, tables) && !is_changing()
    file = state "/state"
    while ((getline line <file) > 0) if ((n || line ~ /^table inet /) && line != mark[++n]) fits = 0
    close(file)
    if (!fits || !marks || n != marks) marks_state = "late"
}
