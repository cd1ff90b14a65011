# --- routers with marks of others -------------------------------------------------------------------------------------

# Ends the script if this router cannot load the table. Loads nothing.
try_marks() {
    command -v nft >/dev/null ||
        die "nft is missing, and hosts cannot be told apart here without it (Debian, OpenWrt: nftables)"
    packages="${uploads:+; for uploads it takes Linux 5.16, nft 1.0.1 and on OpenWrt kmod-nft-netdev}"
    load_marks "this kernel or this nft cannot do what is needed; nothing was changed$packages" -c || exit 1
}

# Warns of routing rules that look at our bits: a tool that copies marks of connections to packets copies ours.
warn_rules() {
    rules=$({
        ip -4 rule show
        [ ! -e /proc/net/if_inet6 ] || ip -6 rule show
    } 2>/dev/null)
    case $rules in
    *fwmark*) ;;
    *) return 0 ;;
    esac
    # The first pass finds the bits that no rule looks at, the second warns of each rule that looks at ours.
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
            shared=$(((mask & ${mark_bits:-0}) | (value & mask & ${mark_flag:-0})))
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

# Warns of the routing rule $1, and says how to solve the conflict.
warn_rule() {
    bits=$(printf '0x%08x' $shared)
    if [ "$mask" = "$all" ] && [ $((value & shared)) = 0 ]; then
        cure=$(printf 'give it a mask, such as fwmark 0x%x/0x%08x' $value $((all & ~${mark_bits:-0})))
    else
        cure=$(printf 'take bits of 0x%08x, at which no rule looks, with tuning: { mark_mask: ... }' $free)
    fi
    warn "the rule of routing \"$(printf '%s' "$1" | tr '\t' ' ')\" looks at bits of marks that are ours ($bits)," \
        "and may send connections the wrong way: $cure"
}

parts="$parts marks"
