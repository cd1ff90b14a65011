# --- the table of marks

# Reads a line of the desired table. nft lists it without its comments.
function read_table(    line) {
    line = $0
    sub(/"@wan"/, "\"" dev "\"", line)
    sub(/"@up"/, "\"" up "\"", line)
    sub(/[ \t]*#.*/, "", line)
    if (line != "") table[++tables] = line
}

# Sets marks_state: kept, late (the table must be loaded again) or left (a loaded one is not desired any more).
function compare_marks() {
    marks_state = "kept"
    if (has_marks != "yes") {
        if ("marks" in before) marks_state = "left"
        return
    }
    if (anew != "" || !marks || !are_same(was_mark, was_marks, table, tables) ||
        !are_same(held_mark, held_marks, mark, marks)) marks_state = "late"
}
