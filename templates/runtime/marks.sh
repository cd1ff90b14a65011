# --- marks --------------------------------------------------------------------------------------------------------

# The nft table that writes our bits into marks. One transaction loads, replaces or removes it as a whole.

# Prints the table. In a rollback, it is that of the record, which has the name of the device already.
marks() {
    [ -n "$marks_table" ] || return 0
    lines=''
    ! has tunnels || find_ports
    printf '%s' "${marks_table#?}" | sed "s/\"@wan\"/\"$dev\"/;s/\"@up\"/\"${1:-$up}\"/$lines"
}

# Prints the observed table. If none is desired and none was loaded, it does not ask the kernel. Fails if only root can
# know whether there is one.
marks_now() {
    [ "$has_marks" = yes ] || before marks || return 0
    for family in inet ${uploads:+netdev}; do
        nft list table "$family" "qosc_$link" 2>/dev/null || [ -O /proc/1 ] || return
    done
}

# Sets marks: kept, late (the table must be loaded) or left (it is not desired any more).
find_marks() {
    marks=$marks_state
    # Objects of ours without a record may have come with a table.
    [ "$has_marks$marks" = nokept ] && [ ! -s "$state/before" ] && [ -n "$ours" ] || return 0
    ! command -v nft >/dev/null || ! nft list table inet "qosc_$link" >/dev/null 2>&1 || marks=left
}

# Prints what loads the tables. $1 stands for the ifb of the uploads, which may not be there yet.
marks_program() {
    no_marks
    marks "${1-}"
}

# Prints what removes our tables, which may be gone already.
no_marks() {
    families=inet
    if [ -n "$uploads" ] || [ -d "/sys/class/net/$ifbu" ] || before uploads; then families='inet netdev'; fi
    for family in $families; do printf '%s table %s\n' add "$family qosc_$link" delete "$family qosc_$link"; done
}

# Loads the table, or with the option -c as $2 only checks it. On a refusal prints $1.
load_marks() {
    # shellcheck disable=SC2086 # without $2, there is no word
    words=$(marks_program "${2:+lo}" | nft ${2-} -f - 2>&1) && return 0
    fail "$1"
    printf '%s\n' "$words" | sed -e 's/^/  /' -e 10q >&2
    return 1
}

unload_marks() { no_marks | nft -f - >/dev/null 2>&1; }

# Warns of flowtables, and of chains at the ingress hook: what they take bypasses the marks or the shaper.
shortcuts() {
    [ ! -d /sys/module/xt_FLOWOFFLOAD ] || [ "$has_marks" = no ] ||
        warn "iptables may offload connections here (FLOWOFFLOAD):" \
            "their uploads go to the default class, since no rule sees them"
    # nft would load nf_tables for this alone. An nf_flow_table that is built into the kernel shows nowhere.
    [ -d /sys/module/nf_flow_table ] || [ "$has_marks" = yes ] || return 0
    command -v nft >/dev/null || return 0
    {
        printf '%s' "$program"
        nft 'list flowtables; list chains' 2>/dev/null
    } | awk -v dev="$dev" -v marks="$has_marks" '
@include flowtables.awk
' | while IFS= read -r line; do warn "$line"; done
}
