# --- marks --------------------------------------------------------------------------------------------------------

# The table of nft that writes our bits into marks, where there is one. It is one thing: loaded, replaced and removed
# as a whole, by one transaction of the kernel.

# marks {
# The table for this router's device.
marks() { printf '%s' "${marks_table#?}" | sed "s/\"@wan\"/\"$dev\"/"; }
# } marks
# without marks {
marks() { :; }
# } without marks

# The table that is described, without its comments.
wanted_marks() { marks | sed -e 's/[[:space:]]*#.*//' -e '/^$/d'; }

# What the kernel holds of it. Where no table is described and none was loaded, nobody asks.
marks_now() {
    [ "$has_marks" = yes ] || before marks >/dev/null || return 0
    nft list table inet "qosc_$link" 2>/dev/null || :
}

# The part of a record of the kernel's state that is the table.
held_marks() { sed -n '/^table inet /,$p'; }

# Whether the table must be loaded: it is not described as it was, or not held as the last start left it.
marks_late() {
    [ "$has_marks" = yes ] || return 1
    [ -r "$state/state" ] && [ -r "$state/marks" ] || return 0
    [ "$(wanted_marks)" = "$(cat "$state/marks")" ] || return 0
    [ "$(held_marks <"$state/state")" = "$(printf '%s\n' "$now" | held_marks)" ] || return 0
    return 1
}

# Whether there is a table that is described no longer.
marks_left() {
    [ "$has_marks" = no ] || return 1
    before marks >/dev/null && return 0
    # What there is of ours without a record may have come with a table.
    [ ! -e "$state/before" ] && [ -n "$ours" ] && command -v nft >/dev/null &&
        nft list table inet "qosc_$link" >/dev/null 2>&1
}

# All that nft is told.
marks_program() {
    printf 'add table inet qosc_%s\ndelete table inet qosc_%s\n' "$link" "$link"
    marks
}

load_marks() {
    words=$(marks_program | nft -f - 2>&1) && return 0
    fail "the kernel refused the table of marks"
    printf '%s\n' "$words" | sed -e 's/^/  /' -e 10q >&2
    return 1
}

unload_marks() { ! command -v nft >/dev/null || nft delete table inet "qosc_$link" >/dev/null 2>&1; }

# Whether this router can do it, tried without doing it.
try_marks() {
    command -v nft >/dev/null || die "nft is missing, and hosts cannot be told apart here without it (Debian, OpenWrt: nftables)"
    words=$(marks_program | nft -c -f - 2>&1) && return 0
    fail "this kernel or this nft cannot do what is needed; nothing was changed"
    printf '%s\n' "$words" | sed -e 's/^/  /' -e 10q >&2
    exit 1
}

# marks {
# Warns of rules of routing that look at our bits: a tool that gives packets the mark of their connection hands our bits
# to them. A mark without a mask is compared as a whole. Our flag is in no packet that is routed; only a rule that
# wants it shows that others set it.
warn_rules() {
    rules=$({
        ip -4 rule show
        [ ! -e /proc/net/if_inet6 ] || ip -6 rule show
    } 2>/dev/null)
    case $rules in
    *fwmark*) ;;
    *) return 0 ;;
    esac
    # Once for the bits at which no rule looks, and once to name those at which one does.
    all=$((0xffffffff)) free=$((0xffffffff))
    for pass in look name; do
        while read -r line; do
            case $line in
            *' fwmark 0x'* | *' fwmark '[0-9]*) ;;
            *) continue ;;
            esac
            words=${line#* fwmark }
            words=${words%%[[:space:]]*}
            case $words in
            *[!0-9a-fA-Fx/]*) continue ;;
            esac
            value=$((${words%%/*})) mask=$all
            case $words in
            */*) mask=$((${words#*/})) ;;
            esac
            shared=$(((mask & mark_bits) | (value & mask & mark_flag)))
            case $pass:$mask in
            look:"$all") free=$((free & ~value)) ;;
            look:*) free=$((free & ~mask)) ;;
            name:*) [ $shared = 0 ] || warn_rule "$line" ;;
            esac
        done <<RULES
$rules
RULES
    done
}

# Names a rule of routing, and what to do about it.
warn_rule() {
    bits=$(printf '0x%08x' $shared)
    if [ "$mask" = "$all" ] && [ $((value & shared)) = 0 ]; then
        cure=$(printf 'give it a mask, such as fwmark 0x%x/0x%08x' $value $((all & ~mark_bits)))
    else
        cure=$(printf 'take bits of 0x%08x, at which no rule looks, with tuning: { mark_mask: ... }' $free)
    fi
    warn "the rule of routing \"$(printf '%s' "$1" | tr '\t' ' ')\" looks at bits of marks that are ours ($bits), and may send connections the wrong way: $cure"
}

# } marks
# What goes round the marks, or round the shaper as well. A connection in a flowtable skips the hooks of its family:
# its uploads are nobody's, and what its downloads go by is as old as the flow. A chain at the ingress of the WAN device
# is asked after tc, and not at all about what tc redirects.
shortcuts() {
    [ ! -d /sys/module/xt_FLOWOFFLOAD ] || [ "$has_marks" = no ] ||
        warn "iptables may offload connections here (FLOWOFFLOAD): their uploads go to the default class, since no rule sees them"
    # Asking would load nf_tables, which is not needed for this alone; built into a kernel nf_flow_table shows nowhere.
    [ -d /sys/module/nf_flow_table ] || [ "$has_marks" = yes ] || return 0
    command -v nft >/dev/null || return 0
    nft 'list flowtables; list chains' 2>/dev/null | awk -v dev="$dev" -v marks="$has_marks" '
@include flowtables.awk
' "$state/steps" - | while IFS= read -r line; do warn "$line"; done
}
