# --- the call `rate`: other line rates
#
# The formulas are those of qosc, and values that the YAML gives stay. If qosc would reject the YAML at these
# rates, the numbers are made to fit: no rate is below 8000 bit/s (100 for a host class without a guarantee),
# no ceiling is above that of the parent, and no guarantee above its own ceiling. If the guarantees in a
# parent exceed its own, each keeps 8000 bit/s, and the rest shrinks in proportion. A guarantee of 0%, and
# each guarantee below such a class, is 100 bit/s at all line rates and counts as nothing.
#
# awk computes whole numbers with 53 bits, and some print only 31: products are split, and digits() prints numbers.

function digits(x) { return sprintf("%.0f", x) }
function div(a, b) { return (a - a % b) / b }
function max(a, b) { return a > b ? a : b }
function min(a, b) { return a < b ? a : b }
function within(x, low, high) { return min(max(x, low), high) }

# Returns a x n / d, rounded down, for n and d up to 65,000,000.
function portion(a, n, d,    whole) {
    whole = div(a, d)
    return whole * n + div((a - whole * d) * n, d)
}

# Returns the same by long division, for n below 2^41 and a up to d.
function wide(a, n, d,    bit, whole, rest) {
    whole = rest = 0
    for (bit = 1099511627776; bit >= 1; bit /= 2) {
        whole *= 2
        rest *= 2
        if (div(n, bit) % 2) rest += a
        while (rest >= d) { rest -= d; whole++ }
    }
    return whole
}

function bytes_in(rate, us,    r, u, rate_rest, us_rest) {
    r = div(rate, 8000000); rate_rest = rate - r * 8000000
    u = div(us, 8000000); us_rest = us - u * 8000000
    return r * us + rate_rest * u + div(rate_rest * us_rest, 8000000)
}

function time_for(bytes, rate) { return div(bytes * 8000000 + rate - 1, rate) }

# Returns N for `=N`, N millionths of `of` for `%N`, and `otherwise` for a value that the YAML does not give (`-`).
function as_asked(word, of, otherwise) {
    if (word ~ /^=/) return substr(word, 2) + 0
    if (word ~ /^%/) return portion(of, substr(word, 2) + 0, 1000000)
    return otherwise
}

# Scales the desired state to the line rates in force.
function scale(    i) {
    for (i = 1; i <= wants; i++) if (wanted[i] ~ /^filter /) read_indexes(wanted[i])
    if ("up" in full) scale_direction("up", rate_up + 0)
    if ("down" in full) scale_direction("down", rate_down + 0)
    for (i = 1; i <= wants; i++) wanted[i] = scaled_line(wanted[i])
}

# Reads `share DIRECTION` and one of these. As a guarantee, `-N` is the weight of a host class without one.
#   line NUMERATOR DENOMINATOR FULL FRAME QUANTUM BURST ASIDE...: from line rate to shaped rate, bytes of a
#   full packet on the line and for a qdisc, smallest quantum, smallest burst of a police, rates set aside
#   class ID PARENT GUARANTEE CEILING [QUEUE OPTIONS...]
#   police INDEX RATE BURST
function read_share(    i) {
    if ($3 == "line") {
        numerator[$2] = $4 + 0; denominator[$2] = $5 + 0
        full[$2] = $6 + 0; frame[$2] = $7 + 0; turn[$2] = $8 + 0; least[$2] = $9 + 0
        for (i = 10; i <= NF; i++) aside[$2, ++asides[$2]] = $i
    } else if ($3 == "class") {
        share_class[$2, ++share_classes[$2]] = $4
        kid[$2, $5, ++kids[$2, $5]] = $4
        wish[$2, $4] = $6
        bound[$2, $4] = $7
        queue[$2, $4] = $8
        for (i = 9; i <= 13; i++) queue_option[$2, $4, i - 8] = $i
    } else {
        police_rate[$2, $4] = $5
        police_burst[$2, $4] = $6
        police[$2, ++polices[$2]] = $4
    }
}

function read_indexes(line,    i, n, word) {
    n = split(line, word, " ")
    for (i = 2; i < n; i++) if (word[i] == "index") taken[word[i + 1]] = 1
}

function scale_direction(way, rate,    i, shaped) {
    shaped = max(portion(rate, numerator[way], denominator[way]), 8000)
    tree[way] = shaped
    for (i = 1; i <= asides[way]; i++) tree[way] -= as_asked(aside[way, i], shaped)
    tree[way] = max(tree[way], 8000)
    guarantee[way, "c05:1"] = ceiling[way, "c05:1"] = tree[way]
    share_out(way, "c05:1")
    for (i = 1; i <= share_classes[way]; i++) share_out(way, share_class[way, i])
    for (i = 1; i <= polices[way]; i++) cap(way, police[way, i], shaped)
}

function share_out(way, parent,    i, id, n, whole, sum, others, asking, room, extra, over, bare) {
    n = kids[way, parent] + 0
    whole = guarantee[way, parent]
    sum = others = asking = 0
    for (i = 1; i <= n; i++) {
        id = kid[way, parent, i]
        ceiling[way, id] = within(as_asked(bound[way, id], ceiling[way, parent], ceiling[way, parent]), 8000, ceiling[way, parent])
        guarantee[way, id] = 100
        if (borrows(way, parent, id)) continue
        if (wish[way, id] ~ /^-/) { weight[id] = max(substr(wish[way, id], 2) + 0, 1); others += weight[id]; continue }
        guarantee[way, id] = within(as_asked(wish[way, id], whole), 8000, ceiling[way, id])
        sum += guarantee[way, id]
        asking++
    }
    # A host class without a guarantee needs little: it borrows.
    bare = n && wish[way, kid[way, parent, n]] ~ /^-[0-9]/ ? 100 : 8000
    room = whole - others * bare
    if (sum > room) {
        # Each keeps 8000. The rest of the room is divided in proportion to the rest of each guarantee.
        extra = max(room - asking * 8000, 0)
        over = sum - asking * 8000
        sum = 0
        for (i = 1; i <= n; i++) {
            id = kid[way, parent, i]
            if (wish[way, id] ~ /^-/ || borrows(way, parent, id)) continue
            if (over > 0) guarantee[way, id] = 8000 + wide(guarantee[way, id] - 8000, extra, over)
            sum += guarantee[way, id]
        }
    }
    for (i = 1; i <= n; i++) {
        id = kid[way, parent, i]
        if (wish[way, id] ~ /^-/ && !borrows(way, parent, id)) guarantee[way, id] = min(max(portion(max(whole - sum, 0), weight[id], others), bare), ceiling[way, id])
    }
}

# Returns true for a class with a guarantee of 0% and for the classes below it.
function borrows(way, parent, id) { return wish[way, id] == "%0" || guarantee[way, parent] < 8000 }

# --- the described lines

# Returns a line with its new numbers. The name behind ` # ` may contain anything, so it is set aside.
function scaled_line(line,    at, rest, word) {
    at = index(line, " # ")
    rest = at ? substr(line, at) : ""
    if (at) line = substr(line, 1, at - 1)
    split(line, word, " ")
    if (word[1] == "class") line = scaled_class(line " ", word[4] == "@ifb" ? "down" : "up", word[8])
    else if (word[1] == "qdisc" && word[5] == "root" && word[8] == "cake") line = scaled_cake(line " ", word[4] == "@ifb" ? "down" : "up")
    else if (word[1] == "qdisc" && word[5] == "parent") line = scaled_leaf(line " ", word[4] == "@ifb" ? "down" : "up", word[6], word[9])
    else if (word[1] == "filter") line = scaled_filter(line " ")
    sub(/ $/, "", line)
    return line rest
}

function put(line, name, value,    at, rest) {
    at = index(line, " " name " ")
    if (!at) return line
    rest = substr(line, at + length(name) + 2)
    return substr(line, 1, at + length(name) + 1) value substr(rest, index(rest, " "))
}

# Returns a burst in bytes. tc can express at most 274 s.
function bucket(way, rate) { return digits(min(min(max(bytes_in(rate, 1000), full[way]), bytes_in(rate, 200000000)), 4294967295)) }

function scaled_class(line, way, id,    g, c) {
    if (!((way, id) in guarantee)) return line
    g = guarantee[way, id]; c = ceiling[way, id]
    line = put(line, "rate", digits(g) "bit")
    line = put(line, "ceil", digits(c) "bit")
    line = put(line, "burst", bucket(way, g))
    line = put(line, "cburst", bucket(way, c))
    return put(line, "quantum", digits(min(max(bytes_in(g, 1000), turn[way]), 2147483647)))
}

# Returns the line of a CAKE that schedules the whole direction.
function scaled_cake(line, way,    rtt) {
    match(line, / rtt [0-9]+us /)
    rtt = substr(line, RSTART + 5, RLENGTH - 8) + 0
    line = put(line, "bandwidth", digits(tree[way]) "bit")
    return put(line, "memlimit", digits(within(bytes_in(tree[way], 4 * rtt), 4194304, 33554432)))
}

function packets(way, rate, us) { return div(bytes_in(rate, us), full[way]) }
function most_packets(way, rate, interval) { return within(packets(way, rate, 2 * interval), 1000, 20000) }
function memory(limit) { return within(limit * 2304, 1048576, 33554432) }

function scaled_leaf(line, way, id, kind,    c, target, interval, limit, bytes) {
    if (!((way, id) in queue)) return line
    c = ceiling[way, id]
    if (queue[way, id] == "fq_codel") {
        target = as_asked(queue_option[way, id, 1], 0, max(5000, time_for(div(full[way] * 3 + 1, 2), c)))
        interval = as_asked(queue_option[way, id, 2], 0, target <= 5000 ? 100000 : max(100000 + target - 5000, 2 * target))
        limit = as_asked(queue_option[way, id, 3], 0, most_packets(way, c, interval))
        bytes = as_asked(queue_option[way, id, 5], 0, memory(limit))
        # If offloads stay on, CAKE replaces fq_codel.
        if (kind == "cake") return put(line, "memlimit", digits(bytes))
        line = put(line, "limit", digits(limit))
        line = put(line, "quantum", digits(as_asked(queue_option[way, id, 4], 0, tree[way] < 100000000 ? 300 : max(frame[way], 256))))
        line = put(line, "target", digits(target) "us")
        line = put(line, "interval", digits(interval) "us")
        return put(line, "memory_limit", digits(bytes))
    }
    if (queue[way, id] == "cake") {
        interval = as_asked(queue_option[way, id, 1], 0, within(time_for(full[way] * 160, c), 100000, 1000000))
        line = put(line, "rtt", digits(interval) "us")
        interval = max(interval, 100000)
        line = put(line, "bandwidth", digits(c) "bit")
        return put(line, "memlimit", digits(memory(most_packets(way, c, interval))))
    }
    return put(line, "limit", digits(as_asked(queue_option[way, id, 1], 0, within(packets(way, c, 100000), 16, 10000))))
}

function cap(way, number, shaped,    rate, most) {
    rate = max(as_asked(police_rate[way, number], shaped, tree[way]), 8000)
    most = max(bytes_in(100000000, 250000), bytes_in(rate, 50000))
    cap_rate[number] = digits(rate)
    most = as_asked(police_burst[way, number], 0, min(max(min(bytes_in(rate, 250000), most), least[way]), 4294967295))
    # The kernel counts a burst as its time, and holds 1 to 274877906 us of it.
    cap_burst[number] = digits(within(most, max(div(div(rate, 8) + 999999, 1000000), 1), bytes_in(rate - rate % 8, 274877906)))
}

function scaled_filter(line,    done, at, number, same) {
    done = ""
    while (at = index(line, " action police ")) {
        done = done substr(line, 1, at + 13)
        line = substr(line, at + 14)
        match(line, / index [0-9]+/)
        number = substr(line, RSTART + 7, RLENGTH - 7)
        if (number in cap_rate) {
            same = line
            line = put(line, "rate", cap_rate[number] "bit")
            line = put(line, "burst", cap_burst[number])
            if (line != same) line = put(line, "index", renumbered(number))
        }
    }
    return done line
}

# Returns an index for a police at its new rate: an odd hash below 2^31. An existing index would keep its old rate.
function renumbered(number,    n) {
    if (number in new_number) return new_number[number]
    n = (number * 69621 + cap_rate[number] % 2147483647) % 2147483647
    n = ((n * 69621 + cap_burst[number]) % 2147483647 * 69621) % 2147483647
    n = n - n % 2 + 1
    while (digits(n) in taken) n = (n + 2) % 2147483648
    taken[digits(n)] = 1
    return new_number[number] = digits(n)
}
