# The metrics of `status --metrics`, in the text format of Prometheus; the tins and policers that status.awk reads.

function label(name, text) {
    gsub(/["\\]/, "\\\\&", text)
    return text == "" ? "" : "," name "=\"" text "\""
}

# A host class is called as its home class and its host.
function class_labels(way, name, parent,    host) {
    if (parent != "" && index(name, parent "/") == 1) host = substr(name, length(parent) + 2)
    return label("direction", way) label("class", name) label("host", host) label("parent", parent)
}

function print_metrics() {
    add("", "script", "", "")
    if (ran != "") {
        add("script_", "ran", "", label("digest", ran))
        value["info", "ran"] = 1
    }
    value["in_place", "script"] = code == 0 ? 1 : 0
    if (started != "") value["start_time_seconds", "script"] = started
    print_metric("", "in_place", "1 if the kernel is as the last start left it, 0 if it is not.")
    print_metric("", "start_time_seconds", "Time of the last start that changed something, since 1970.")
    print_metric("script_", "info", "1, with the digest of the script of the last start.")
    print_metric("link_", "rate_bits_per_second", "Shaped rate of a direction.")
    print_metric("link_", "sent_bytes_total", "Bytes sent, without the overhead on the line.")
    print_metric("link_", "sent_packets_total", "Packets sent.")
    print_metric("link_", "dropped_packets_total", "Packets dropped by a queue.")
    print_metric("link_", "backlog_bytes", "Bytes in all queues, as tc rounds them.")
    print_metric("link_", "backlog_packets", "Packets in all queues.")
    print_metric("class_", "guarantee_bits_per_second", "Guaranteed rate.")
    print_metric("class_", "ceiling_bits_per_second", "Highest rate.")
    print_metric("class_", "sent_bytes_total", "Bytes sent, including those of its classes.")
    print_metric("class_", "sent_packets_total", "Packets sent, including those of its classes.")
    print_metric("class_", "dropped_packets_total", "Packets dropped by the queue.")
    print_metric("class_", "ecn_marked_packets_total", "Packets that the queue marked instead of dropping them.")
    print_metric("class_", "backlog_bytes", "Bytes in the queue, as tc rounds them.")
    print_metric("class_", "backlog_packets", "Packets in the queue.")
    print_tin_metrics()
    print_policer_metrics()
}

# Prints a metric of all subjects that have it.
function print_metric(kind_of, name, help,    head, full, n) {
    full = "qosc_" kind_of name
    head = "# HELP " full " " help "\n# TYPE " full " " (name ~ /_total$/ ? "counter" : "gauge") "\n"
    for (n = 1; n <= subjects; n++) {
        if (kinds[n] != kind_of || !((name, keys[n]) in value)) continue
        printf "%s%s{link=\"%s\"%s} %s\n", head, full, link, labels[n], value[name, keys[n]]
        head = ""
    }
}

function read_tin(way,    own, number) {
    tins[way] = 1
    number = $2
    own = way SUBSEP "root" SUBSEP number
    sub(/^[^ ]+ [^ ]+ /, "")
    tin[own] = number
    add("tin_", own, $0, label("direction", way) label("class", $0) label("tin", number))
}

# Reads a row of the table of tins. CAKE counts a packet that enters, even if it is dropped later.
function read_tin_row(row,    name, i) {
    name = row == "thresh" ? "threshold_bits_per_second" : row == "av_delay" ? "average_delay_seconds" : \
        row == "pk_delay" ? "peak_delay_seconds" : row == "backlog" ? "backlog_bytes" : \
        row == "pkts" ? "packets_total" : row == "bytes" ? "bytes_total" : row == "drops" ? "dropped_packets_total" : \
        row == "marks" ? "ecn_marked_packets_total" : ""
    if (name == "") return
    for (i = 2; i <= NF; i++)
        value[name, key, i - 1] = name ~ /_total$/ ? $i : row == "thresh" ? amount($i, 1000) : \
            row == "backlog" ? amount($i, 1024) : seconds($i)
}

function seconds(text) { return sprintf("%.6f", text / (text ~ /us$/ ? 1000000 : text ~ /ms$/ ? 1000 : 1)) }

# A tin has priority over those with lower numbers while it is within its threshold.
function print_tin(n) { print_row(n, "    ", tin[keys[n]], rate(n, "threshold"), "bytes_total", "packets_total") }

function print_tin_metrics() {
    print_metric("tin_", "threshold_bits_per_second", "Rate up to which the tin has priority, as tc rounds it.")
    print_metric("tin_", "bytes_total", "Bytes that came, including dropped ones.")
    print_metric("tin_", "packets_total", "Packets that came, including dropped ones.")
    print_metric("tin_", "dropped_packets_total", "Packets dropped.")
    print_metric("tin_", "ecn_marked_packets_total", "Packets marked instead of being dropped.")
    print_metric("tin_", "backlog_bytes", "Bytes in the queue, as tc rounds them.")
    print_metric("tin_", "average_delay_seconds", "Recent average of the queueing delay, as tc rounds it.")
    print_metric("tin_", "peak_delay_seconds", "Recent peak of the queueing delay, as tc rounds it.")
}

function read_policer(direction,    own) {
    own = "policer" SUBSEP $2
    sub(/^[^ ]+ [^ ]+ ?/, "")
    add("policer_", own, $0, label("direction", direction) label("policer", $0))
}

# Notes the policers of an object. After a `rate`, they have other indexes in the kernel, but the same order.
function note_policers(    i) { for (i = 2; i < NF; i++) if ($i == "index") described[++describes] = $(i + 1) }

# Notes the policer that the lines below belong to. The filters of others have other preferences than ours.
function read_action() {
    kind = "action"
    if ($1 == "filter") is_ours = after("pref") % hook_bank >= ingress_pref && after("pref") % hook_bank < hook_pref_end
    if ($4 != "police" || !is_ours) return
    kind = "policer"
    key = "policer" SUBSEP described[++shown]
}

function read_policed() {
    value["bytes_total", key] = $2
    value["packets_total", key] = $4
    value["dropped_packets_total", key] = $7
    value["exceeding_packets_total", key] = $9 + 0
}

function print_policer_metrics() {
    # If somebody removed filters, nobody knows whose the others are.
    if (shown != describes) return
    print_metric("policer_", "bytes_total", "Bytes that came.")
    print_metric("policer_", "packets_total", "Packets that came.")
    print_metric("policer_", "exceeding_packets_total", "Packets above the rate.")
    print_metric("policer_", "dropped_packets_total", "Packets dropped.")
}
