function ends() { if (to != "" && !alien) print "own " device " " pref; to = "" }
$1 == "tunnel" { ends(); device = $2; if ($3 != "gone") found[++n] = $2 " " $3 " " $4 " " $5; next }
$1 != "filter" && /^[^ \t]/ { ends(); device = "" }
device == "" { next }
$1 == "filter" && / pref / {
    for (i = 2; i < NF; i++) if ($i == "pref") number = $(i + 1)
    if (number != pref || to == "") { ends(); pref = number; to = "?"; alien = 0 }
    at = pref >= first + bank ? pref - bank : pref
    if (at < first || at >= end) { alien = 1; print "others " device }
}
match($0, /Redirect to device [^)]*/) {
    to = substr($0, RSTART + 19, RLENGTH - 19)
    if (to != ifb1 && to != ifb2 && to != "*") { alien = 1; print "others " device }
}
END { ends(); for (i = 1; i <= n; i++) print "at " found[i] }
