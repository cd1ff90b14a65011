# --- the call `rate`: the formulas of qosc at other line rates (see docs/script.md)

# Prints a whole number. The %d of some awk stops at 31 bits.
function digits(x) { return sprintf("%.0f", x) }
function div(a, b) { return (a - a % b) / b }
function max(a, b) { return a > b ? a : b }
function min(a, b) { return a < b ? a : b }
function within(x, low, high) { return min(max(x, low), high) }

# Returns a x n / d, rounded down, for a, d < 2^41, n < 2^44: by long division, as awk has whole numbers of 53 bits.
function portion(a, n, d,    place, sum, whole) {
    for (place = 8589934592; place >= 1; place /= 2048) {
        sum = sum % d * 2048 + div(n, place) % 2048 * a
        whole = whole * 2048 + div(sum, d)
    }
    return whole
}

function bytes_in(rate, us) { return portion(rate, us, 8000000) }
function time_for(bytes, rate) { return div(bytes * 8000000 + rate - 1, rate) }

# Returns an amount of the YAML: a rate, or millionths of `whole`. Without an amount, it is all of `whole`.
function amount(text, whole) {
    if (text ~ /ppm$/) return portion(whole, text + 0, 1000000)
    return text == "" ? whole : text + 0
}

# Reads `share DEVICES PARENT CLASS NAME=VALUE...` or `share DEVICE police INDEX NAME=VALUE...`.
function read_share(    n, device, class, parent, i, at) {
    for (n = split($2, device, ","); n >= 1; n--) {
        parent = device[n] SUBSEP $3
        class = device[n] SUBSEP $4
        child[parent, ++children[parent]] = class
        for (i = 5; i <= NF && $i != "#"; i++) {
            at = index($i, "=")
            share[class, substr($i, 1, at - 1)] = substr($i, at + 1)
        }
        if ($3 == "police") police_device[$4] = device[n]
    }
}

# Scales the desired state to the line rates in force.
function scale(    i) {
    scale_directions()
    for (i = 1; i <= wants; i++) note_indexes(wanted[i])
    for (i = 1; i <= wants; i++) wanted[i] = scaled_line(wanted[i])
}

function scale_directions() {
    scale_direction("@wan" SUBSEP "c05:a000", rate_up)
    scale_direction("@ifb" SUBSEP "c05:a000", rate_down)
}

function scale_direction(root, rate,    i, aside) {
    shaped[root] = max(portion(rate, share[root, "numerator"], share[root, "denominator"]), 8000)
    ceiling[root] = shaped[root]
    for (i = split(share[root, "aside"], aside, ","); i >= 1; i--) ceiling[root] -= amount(aside[i], shaped[root])
    guarantee[root] = ceiling[root] = max(ceiling[root], 8000)
    share_out(root)
}

# Sets guarantees and ceilings in a class. Weights share what the guarantees leave; others only borrow.
function share_out(parent,    i, class, room, asked, granted, weights, reserved) {
    room = guarantee[parent]
    asked = weights = reserved = 0
    for (i = 1; i <= children[parent]; i++) {
        class = child[parent, i]
        ceiling[class] = within(amount(share[class, "ceiling"], ceiling[parent]), 8000, ceiling[parent])
        guarantee[class] = 100
        if ((class, "weight") in share) {
            weights += share[class, "weight"]
            reserved += share[class, "weight"] * share[class, "least"]
        } else if ((class, "guarantee") in share) {
            guarantee[class] = within(amount(share[class, "guarantee"], guarantee[parent]), 8000, ceiling[class])
            asked += guarantee[class] - 8000
            room -= 8000
        }
    }
    room = max(room - reserved, 0)
    granted = min(asked, room)
    reserved += room - granted
    for (i = 1; i <= children[parent]; i++) {
        class = child[parent, i]
        if ((class, "weight") in share)
            guarantee[class] = min(portion(reserved, share[class, "weight"], weights), ceiling[class])
        else if ((class, "guarantee") in share)
            guarantee[class] = 8000 + portion(guarantee[class] - 8000, granted, max(asked, 1))
        share_out(class)
    }
}

# Returns a line with its new numbers. The name behind ` # ` may contain anything, so it is set aside.
function scaled_line(line,    at) {
    at = index(line, " # ")
    $0 = substr(line, 1, at - 1)
    if (/^class/ && ($4, $8) in ceiling) scale_class(guarantee[$4, $8], ceiling[$4, $8])
    if (/^qdisc/ && share[$4, $6, "queue"] == "fq_codel") scale_fq_codel(ceiling[$4, $6])
    if (/^qdisc/ && share[$4, $6, "queue"] == "cake") scale_cake(ceiling[$4, $6])
    if (/^qdisc/ && share[$4, $6, "queue"] == "pfifo") scale_fifo(ceiling[$4, $6])
    if (/^qdisc/ && $5 == "root" && $8 == "cake") scale_cake_root(ceiling[$4, "c05:a000"])
    if (/^filter/) scale_police()
    return $0 substr(line, at)
}

# Replaces the value of an option, if the line has this option.
function put(name, number, unit,    i) {
    for (i = 8; i < NF; i++) if ($i == name) $(i + 1) = digits(number) unit
}

# Puts the number that the YAML gives, or else this one. Returns the number.
function settle(name, number, unit) {
    if (($4, $6, name) in share) number = share[$4, $6, name] + 0
    put(name, number, unit)
    return number
}

# Returns a constant of the direction.
function constant(name) { return share[$4, "c05:a000", name] + 0 }

# Returns a burst in bytes. tc can express at most 274 s.
function bucket(rate) {
    return min(min(max(bytes_in(rate, 1000), constant("packet")), bytes_in(rate, 200000000)), 4294967295)
}

function scale_class(rate, ceil,    least) {
    put("rate", rate, "bit")
    put("ceil", ceil, "bit")
    put("burst", bucket(rate))
    put("cburst", bucket(ceil))
    least = constant("quantum")
    # A slow CAKE sends single packets. The burst of a police is an aggregate and a packet.
    if (share[$4, $8, "queue"] == "cake" && time_for(constant("burst") - constant("packet"), ceil) > 20000)
        least = constant("frame")
    put("quantum", within(bytes_in(rate, 1000), least, 2147483647))
}

# Returns the full packets that a rate carries in a time, and the memory in bytes for packets.
function packets(rate, us, low, high) { return within(div(bytes_in(rate, us), constant("packet")), low, high) }
function memory(limit) { return within(limit * 2304, 1048576, 33554432) }

function scale_fq_codel(rate,    target, interval, limit) {
    target = settle("target", max(5000, time_for(div(constant("packet") * 3 + 1, 2), rate)), "us")
    interval = settle("interval", max(100000, max(95000 + target, 2 * target)), "us")
    limit = settle("limit", packets(rate, 2 * interval, 1000, 20000))
    settle("quantum", ceiling[$4, "c05:a000"] < 100000000 ? 300 : max(constant("frame"), 256))
    # If offloads stay on, the line is that of a CAKE. Of these options, it has only the memory, by another name.
    put("memlimit", settle("memory_limit", memory(limit)))
}

function scale_cake(rate,    rtt) {
    rtt = settle("rtt", within(time_for(constant("packet") * 160, rate), 100000, 1000000), "us")
    put("bandwidth", rate, "bit")
    put("memlimit", memory(packets(rate, 2 * max(rtt, 100000), 1000, 20000)))
}

function scale_fifo(rate) { settle("limit", packets(rate, 100000, 16, 10000)) }

# Scales a CAKE that schedules the whole direction.
function scale_cake_root(rate) {
    put("bandwidth", rate, "bit")
    put("memlimit", within(bytes_in(rate, 4 * constant("rtt")), 4194304, 33554432))
}

# --- policers

function note_indexes(line,    i, n, word) {
    n = split(line, word, " ")
    for (i = 2; i < n; i++) if (word[i] == "index") taken[word[i + 1]] = word[i + 1]
}

function scale_police(    i, rate_at, burst_at, number, police, root, rate, burst, old) {
    for (i = 1; i < NF; i++) {
        if ($i == "rate") rate_at = i + 1
        if ($i == "burst") burst_at = i + 1
        if ($i != "index" || !($(i + 1) in police_device)) continue
        number = $(i + 1)
        police = police_device[number] SUBSEP number
        root = police_device[number] SUBSEP "c05:a000"
        # The cap of all downloads has no rate of its own.
        rate = (police, "rate") in share ? amount(share[police, "rate"], shaped[root]) : ceiling[root]
        rate = max(rate, 8000)
        burst = police_burst(rate, share[police, "burst"], share[root, "burst"] + 0)
        old = $rate_at " " $burst_at
        $rate_at = digits(rate) "bit"
        $burst_at = digits(burst)
        if ($rate_at " " $burst_at != old) $(i + 1) = renumbered(number, rate + burst)
    }
}

# Returns the burst of the YAML or of the formula. The kernel holds 1 to 274877906 us of it.
function police_burst(rate, own, least,    burst) {
    burst = max(min(bytes_in(rate, 250000), max(3125000, bytes_in(rate, 50000))), least)
    if (own != "") burst = own + 0
    least = max(div(div(rate, 8) + 999999, 1000000), 1)
    return within(burst, least, min(bytes_in(rate - rate % 8, 274877906), 4294967295))
}

# Returns an odd, free index for changed numbers: with its old index, a police would keep the old ones.
function renumbered(number, sum,    index_of) {
    index_of = (number + 2 * sum) % 2147483648
    while ((digits(index_of) in taken) && taken[digits(index_of)] != number) index_of = (index_of + 2) % 2147483648
    taken[digits(index_of)] = number
    return digits(index_of)
}
