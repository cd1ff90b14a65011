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

# Runs the batch $2 with the tool $1. For tc, the same process shows the result, in the file `shown`. On a refusal
# prints $3 and the line, which names the YAML.
run_batch() {
    [ -n "$2" ] || return 0
    # Until the end of this call, the file tells others that a change is not complete.
    { printf '%s' "$2" && { [ "$1" = ip ] || show_lines; }; } 2>/dev/null >"$state/program" || {
        fail "$3: there is too little space in $run"
        return 1
    }
    words=$("$1" -d -batch "$state/program" 2>&1 >"$state/shown") &&
        { [ "$1" = ip ] || echo '== shown' >>"$state/shown" || :; } && return 0
    fail "$3"
    refused=''
    case $words in
    *"$state/program":*)
        number=${words##*"$state/program":}
        refused=$(printf '%s' "$2" | sed -n "${number%%[!0-9]*}p")
        ;;
    *)
        # A tool that does not know a word does not name the line: it is the first that fails in the same way.
        refused=$(printf '%s' "$2" | while IFS= read -r line; do
            if ! own=$(printf '%s\n' "$line" | "$1" -batch - 2>&1) && [ "$own" = "$words" ]; then
                echo "$line"
                break
            fi
        done)
        ;;
    esac
    [ -z "$refused" ] || printf '  %s %s\n' "$1" "$refused" >&2
    # Drops the usage text of a tool: the lines before it say enough.
    printf '%s\n' "$words" | sed -e '/^Command failed /d' -e '/^We have an error/d' -e '/^Usage/,$d' -e 's/^/  /' >&2
    [ "$1" = ip ] || name_packages
    return 1
}

# Waits up to two seconds for the backlog of the ifb, if that is about to be deleted. Nothing arrives there any more.
drain() {
    case $newline$final in *"${newline}link del dev $ifb1 "*) ;; *) return 0 ;; esac
    for _ in 1 2; do
        case $(tc -s qdisc show dev "$ifb1" root 2>/dev/null) in *'backlog 0b 0p'* | '') break ;; esac
        sleep 1
    done
}
