# Reads the steps of this start, then the output of nft.
/^(qdisc|class|filter) / { if (/ ingress .* mirred egress redirect/) redirects = 1; next }
$1 == "table" { table = $2 " " $3 }
$1 == "chain" { chain = $2 }
$1 == "type" && / hook ingress / && redirects {
    on = 0
    for (i = 5; i <= NF; i++) { word = $i; gsub(/[",{};]/, "", word); if (word == dev) on = 1 }
    if (on) print "chain " chain " of table " table " at the ingress of " dev " sees no download while this is" \
        " started: what goes to the ifb goes past it; use a chain at prerouting"
}
$1 == "flowtable" { name = $2; on = 0; hard = 0 }
$1 == "devices" { for (i = 3; i <= NF; i++) { word = $i; gsub(/[",{}]/, "", word); if (word == dev) on = 1 } }
$1 == "flags" && /offload/ { hard = 1 }
$1 == "}" && name != "" {
    if (on) name = "flowtable " name " of table " table
    if (on && hard) print name " lets hardware forward what passes " dev ": that is not shaped at all"
    else if (on && marks == "yes")
        print name " takes connections round the marks: their uploads go to the default class"
    name = ""
}
