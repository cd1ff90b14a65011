# --- batches for tc and ip ------------------------------------------------------------------------------------------

# Prints the tc lines that remove our objects: filters first, so that no packet is sent to a deleted ifb. $1 are
# the words of the root qdisc that comes instead.
removal() {
    for entry in $our_prefs; do
        echo "filter del dev $dev ${entry%%:*} pref ${entry#*:}"
    done
    trees=''
    case $ours in *root*) trees=$up ;; esac
    # A script that queued uploads at the WAN device may have left a tree there.
    [ "$up" = "$dev" ] || case $(tc qdisc show dev "$dev" root) in *' c05: root '*) trees="$trees $dev" ;; esac
    for device in $trees; do
        echo "qdisc del dev $device root"
        # The new root may be refused, but ours must go.
        [ "$1" = default ] || echo "qdisc replace dev $device root $1"
    done
}

# Runs the batch $2 with the tool $1, with its output to the file $4. On a refusal prints $3 and the line, which names
# the YAML.
run_batch() {
    words=$("$1" -d -batch "$2" 2>&1 >"$4") && return 0
    fail "$3"
    refused=''
    case $words in
    *"$2":*)
        number=${words##*"$2":}
        refused=$(sed -n "${number%%[!0-9]*}p" "$2")
        ;;
    *)
        # A tool that does not know a word does not name the line: it is the first that fails in the same way.
        while IFS= read -r line; do
            if ! own=$(printf '%s\n' "$line" | "$1" -batch - 2>&1) && [ "$own" = "$words" ]; then
                refused=$line
                break
            fi
        done <"$2"
        ;;
    esac
    [ -z "$refused" ] || printf '  %s %s\n' "$1" "$refused" >&2
    # Drops the usage text of a tool: the lines before it say enough.
    printf '%s\n' "$words" | sed -e '/^Command failed /d' -e '/^We have an error/d' -e '/^Usage/,$d' -e 's/^/  /' >&2
    return 1
}

# Waits up to two seconds for the backlog of each ifb that is about to be deleted. Nothing arrives there any more.
drain() {
    for device in "$ifb1" "$ifb2"; do
        grep -q "^link del dev $device\( \|\$\)" "$state/last" || continue
        tries=2
        while [ $tries -gt 0 ]; do
            case $(tc -s qdisc show dev "$device" root 2>/dev/null) in
            *'backlog 0b 0p'* | '') break ;;
            esac
            sleep 1
            tries=$((tries - 1))
        done
    done
}

# Runs part $1 of the steps (see take_steps). On a refusal prints $2.
run_part() {
    file=$state/$1 tool=ip
    [ "$1" != program ] || tool=tc
    [ "$1" = last ] || true >"$state/shown"
    [ -s "$file" ] || return 0
    [ "$1" != last ] || drain
    # The same process shows the result.
    [ $tool = ip ] || show_lines >>"$file"
    shift
    run_batch $tool "$file" "$*" "$state/shown" || {
        [ $tool = ip ] || name_packages
        return 1
    }
    [ $tool = ip ] || echo '== shown' >>"$state/shown"
}
