# --- the tins of a CAKE that schedules a direction, for `status`

section == "tins" && $1 != "==" { if (NF) read_tin($1); next }
kind == "root" && !/^(qdisc|class) / && $1 != "Sent" && $3 !~ /p$/ { read_tin_row($1); next }

function read_tin(way,    own, number) {
    tins[way] = 1
    number = $2
    own = way SUBSEP "root" SUBSEP number
    sub(/^[^ ]+ [^ ]+ /, "")
    tin[own] = number
    add("tin_", own, $0)
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
