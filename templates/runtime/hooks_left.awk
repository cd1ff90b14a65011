$1 != "filter" { next }
{
    for (i = 2; i < NF; i++) if ($i == "pref") pref = $(i + 1)
    at = pref < first + bank ? pref : pref - bank
    if (at < first || at >= end) others = 1
    else if (!seen[pref]++) print "filter del dev " device (at < middle ? " ingress" : " egress") " pref " pref
}
END { if (made == "made" && pref && !others) print "qdisc del dev " device " clsact" }
