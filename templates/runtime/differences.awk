function differs(word, line) { sub(/^ */, "", line); return "  " word " " line }
NR == FNR { old[++n] = $0; in_old[$0]++; next }
{ new[++m] = $0; in_new[$0]++ }
END {
    i = j = 1
    while (i <= n || j <= m) {
        if (i <= n && j <= m && old[i] == new[j]) {
            for (k = 1; k <= more; k++) print added[k]
            more = 0
            in_old[old[i++]]--
            in_new[new[j++]]--
        } else if (j > m || (i <= n && (!in_new[old[i]] || (in_old[new[j]] && in_new[old[i]] > in_old[new[j]])))) {
            print differs("was:", old[i])
            in_old[old[i++]]--
        } else {
            added[++more] = differs("is: ", new[j])
            in_new[new[j++]]--
        }
    }
    for (k = 1; k <= more; k++) print added[k]
}
