# --- the call `follow`: rates that the line carries now (docs/follow.md) ----------------------------------------------

section == "probes" { follow_line(); next }
$1 == "==" && $2 == "probes" { section = $2; begin_follow(); next }

END { if (only == "follow") { end_follow(); exit failed } }

# Takes the tree as the record describes it, and the rates of this hour of the week, if they are known.
function begin_follow(    w, i, d) {
    split(follow, w, " ")
    owner = "/proc/" w[1] "/stat"; prober = w[2]
    low["up"] = w[3]; high["up"] = w[4]; low["down"] = w[5]; high["down"] = w[6]
    most = w[7] / 1000000; dry = w[8] == "dry"; memory_file = w[9]
    hour_of_week = (w[10] - 1) * 24 + w[11]; day = int(w[12] / 86400)
    file_rate["up"] = rate["up"] = rate_up; file_rate["down"] = rate["down"] = rate_down
    read_record()
    find_state()
    read_before()
    scale()
    find_facts()
    if (!same || !unedited) { tell("the tree is not as start has left it: start first"); failed = 1; exit }
    find_steps()
    for (i = 1; i <= wants; i++)
        if (wanted[i] ~ /^(class|qdisc add|qdisc replace .* cake(_mq)? )/) numbered[++numbers] = wanted[i]
    side["down"] = "@ifb"; side["up"] = "@wan"
    at = began = uptime()
    while ((getline line <memory_file) > 0)
        if (split(line, w, " ") == 4 && day - w[4] < 28) {
            hour_rate[w[1]] = line
            if (w[1] == hour_of_week) { rate["up"] = w[2]; rate["down"] = w[3] }
        }
    close(memory_file)
    # Some awks fail on values that were never set.
    least = before_least = 1000000
    least_since = settled_at = busy_at = rested_at = read_at = asked = samples = answers = recent = delay = is_idle = 0
    for (d in side) {
        scale_of[d] = share[side[d], "c05:a000", "numerator"] / share[side[d], "c05:a000", "denominator"]
        rate[d] = within(rate[d], low[d], high[d])
        begin_direction(d)
    }
    begun = 1
    tell_rates("begins")
}

function begin_direction(d) {
    pace[d] = .01; waits[d] = .1
    changed_at[d] = filled_at[d] = carries[d] = worst[d] = shake[d] = drain_until[d] = sent[d] = empty[d] = 0
}

function uptime() { return first_line("/proc/uptime") + 0 }

# Reads a line of the probers or of tc.
function follow_line() {
    if ($1 == "end") exit
    if ($1 == "qdisc") { if (at_root = $4 == "root") answer = answer == "down" ? "up" : "down" }
    else if ($1 == "Sent") { if (at_root) sent[answer] = $2 + $4 * overhead }
    else if ($1 == "backlog") {
        if (!at_root) return
        # Our queue is empty, for how many readings in a row.
        empty[answer] = $3 + 0 > 1 ? 0 : empty[answer] + 1
        if (answer == "up") { asked = 0; decide() }
    } else if (/^(RTNETLINK|Error|Command failed|Cannot)/) { tell("tc: " $0); failed = 1; exit }
    else if (match($0, /[0-9.]+ ms/)) {
        if (!/127\.0\.0\.1/) read_answer(substr($0, RSTART, RLENGTH) / 1000)
        tick()
    }
}

# Asks tc for the counters: on an idle line, once a second.
function tick() {
    at = uptime()
    if (!is_there(owner)) { failed = 1; exit }
    if (first_line("/proc/" prober "/stat") !~ /\) [^ZX] /) { tell("the prober has ended"); failed = 5; exit }
    if ((asked && at - asked < 2) || at - read_at < (is_idle ? 1 : .04)) return
    asked = at
    answer = ""
    print "qdisc show dev " target "\nqdisc show dev " up
    fflush()
}

# Reads the time of an answer. That of the idle line is the least of the last half minute.
function read_answer(rtt,    was) {
    at = uptime()
    if (at - least_since > 15) { before_least = least; least = 1000000; least_since = at }
    least = min(least, rtt)
    was = recent
    recent = max(rtt - min(least, before_least), 0)
    delay = min(recent, was) # One late answer says nothing.
    answered[++answers % 16] = at
    entered[answers % 16] = at - rtt
}

# Returns the bytes that a direction had sent at a time.
function sent_at(d, time,    i, n, portion_of) {
    for (i = samples; i > 1 && i > samples - 60 && sample_at[i % 64] > time; i--);
    if (i >= samples) return sample[d, samples % 64]
    n = (i + 1) % 64; i %= 64
    portion_of = within((time - sample_at[i]) / max(sample_at[n] - sample_at[i], .001), 0, 1)
    return sample[d, i] + (sample[d, n] - sample[d, i]) * portion_of
}

# Returns what the line took of the uploads between two answers, if it always had some waiting: the bytes that entered
# between the questions, by the time between the answers. The second one may be missing.
function line_took(is_missing,    i, n) {
    n = answers % 16
    for (i = answers; i > 1 && i > answers - 15 && answered[n] - answered[i % 16] < .2; i--);
    return (sent_at("up", entered[n] + (is_missing ? .05 : 0)) - sent_at("up", entered[i % 16])) * 8 \
        / max((is_missing ? at : answered[n]) - answered[i % 16], .1)
}

# Decides after each reading of the counters.
function decide(    d, wait, silence) {
    read_at = sample_at[++samples % 64] = at
    for (d in side) {
        sample[d, samples % 64] = sent[d]
        speed[d] = (sent[d] - sent_at(d, at - .25)) * 32
        if (speed[d] > rate[d] * scale_of[d] / 2 || !empty[d]) busy_at = filled_at[d] = at
    }
    rest(at - busy_at > 10)
    if (samples < 4 || answers < 3 || is_idle) return
    # An answer that is late shows the delay before it is here.
    silence = at - answered[answers % 16] - .07
    wait = max(delay, silence > .03 ? silence : 0)
    for (d in side) if (low[d] < high[d]) adapt_rate(d, wait, silence > 1)
}

function is_busy(d) { return at - filled_at[d] < 1.5 }

function adapt_rate(d, wait, is_silent,    since, carried, near) {
    since = at - changed_at[d]
    # Without any answer, only downloads that fall short of our rate show what the line carries.
    if (is_silent && (d == "up" || speed[d] > .9 * rate[d] * scale_of[d])) return
    if (is_busy(d) && wait > most / 3) {
        pace[d] = .01
        # Our queue of downloads is behind the line. If it is full, a lower rate would not help.
        if (d == "down" && empty[d] < 2) return let_drain(wait)
        # If downloads explain the delay, uploads do not. And while a queue drains, its delay must only not grow.
        if (d == "up" && is_busy("down") && empty["down"] > 1) return
        if (since < .2 || (at < drain_until[d] && wait < worst[d] * 1.1)) return
        carried = d == "down" ? speed[d] : line_took(wait > delay)
        carried = max(min(carried, max(rate[d] * scale_of[d], carries[d])), 1000)
        shake[d] = .7 * shake[d] + .3 * (carries[d] ? min(max(carried / carries[d], carries[d] / carried) - 1, .5) : 0)
        waits[d] = shake[d] < .05 ? min(waits[d] * 2, .5) : .1
        carries[d] = carried
        keep(d, carried)
        carried *= within(1 - wait / .4 - shake[d] * .75, .4, .9)
        drain(d, wait, carried / scale_of[d], "the line is the bottleneck")
    } else if (drain_until[d] && (at > drain_until[d] || wait < most / 4)) {
        drain_until[d] = 0
        change_to(d, max(carries[d] * (1 - shake[d] * .75), rate[d]), "the queue of the line has drained")
    } else if (wait > most / 4) pace[d] = .01
    else if (!drain_until[d] && speed[d] > .85 * rate[d] * scale_of[d]) {
        # Near the last rate that was too much, go slowly.
        near = rate[d] > .97 * carries[d] && rate[d] < 1.12 * carries[d]
        if (since < (near ? waits[d] : .09)) return
        change_to(d, rate[d] * (1 + (near ? .02 : pace[d])), "no delay, and more is wanted")
        if (!near) pace[d] = min(pace[d] * 2, d == "up" ? .04 : .1)
    }
}

# Handles a delay beside a full queue of downloads. Uploads or others are its cause, or the line carries just our rate,
# and never gets rid of an older queue. A lower rate for a moment helps in the latter case.
function let_drain(wait) {
    if (at - settled_at < 3 || wait < most * .7) return
    settled_at = at
    carries["down"] = rate["down"] * scale_of["down"]
    drain("down", wait, rate["down"] * .85, "our queue is full, and the line may have one")
}

function drain(d, wait, to, why) {
    worst[d] = wait
    drain_until[d] = at + .8
    change_to(d, to, why sprintf(" (%.0f ms above idle)", wait * 1000))
}

function change_to(d, to, why) {
    to = int(within(to, low[d], high[d]))
    changed_at[d] = at
    if (to == rate[d]) return
    tell(d " " speak(rate[d]) " -> " speak(to) ": " why)
    if (dry) return
    rate[d] = to
    tell_rates("")
}

function tell(words) { print link ": follow: " words >"/dev/stderr" }

function speak(bps) { return sprintf(bps < 1000000 ? "%.0fkbit" : "%.2fmbit", bps / (bps < 1000000 ? 1000 : 1000000)) }

# Prints the changed lines of classes and queues for tc. Leaves $0 as it was.
function tell_rates(why,    i, line, kept) {
    kept = $0
    if (why != "") tell(why " at " speak(rate["up"]) " up and " speak(rate["down"]) " down")
    rate_up = digits(rate["up"]); rate_down = digits(rate["down"])
    scale_directions()
    for (i = 1; i <= numbers && !dry; i++) {
        line = scaled_line(numbered[i])
        if (line == told[i]) continue
        told[i] = line
        sub(/ # .*/, "", line)
        steps = 0
        add_step_in(substr(np[$4], length(np[$4])), as_change(line), "")
        print step[1]
    }
    fflush()
    $0 = kept
}

# Stops the prober on an idle line, except for two seconds in a minute: answers cost volume.
function rest(idle) {
    if (idle && is_idle && at - rested_at > 60) { idle = 0; busy_at = at - 8 }
    if (idle == is_idle) return
    is_idle = idle
    system("kill -" (idle ? "STOP " : "CONT ") prober " 2>/dev/null")
    rested_at = at
    answers = 0
}

# Keeps a mean of what the line carried in this hour of the week.
function keep(d, carried,    w, hour) {
    hour = (hour_of_week + int((at - began) / 3600)) % 168
    if (split(hour_rate[hour], w, " ") < 4) { w[2] = rate["up"]; w[3] = rate["down"] }
    w[d == "up" ? 2 : 3] = int(.9 * w[d == "up" ? 2 : 3] + .1 * carried)
    hour_rate[hour] = hour " " w[2] " " w[3] " " day + int((at - began) / 86400)
    if (hour != kept_hour) write_memory()
    kept_hour = hour
}

# A program of its own meets a full disk.
function write_memory(    command, hour) {
    if (dry) return
    command = "{ cat >" memory_file ".new && mv " memory_file ".new " memory_file "; cat; } >/dev/null 2>&1"
    for (hour in hour_rate) if (hour_rate[hour] != "") print hour_rate[hour] | command
    close(command)
}

function end_follow() {
    if (!begun) return
    rate["up"] = file_rate["up"]; rate["down"] = file_rate["down"]
    tell_rates("ends")
    rest(0)
    if (kept_hour != "") write_memory()
}
