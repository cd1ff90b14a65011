BEGIN { n = split(through, all, " "); for (i = 1; i <= n; i++) { split(all[i], word, ":"); port[word[1]] = word[2]; more[word[1]] = word[3] } }
$1 != "@with" { print; next }
$2 in port {
    tunnel = $2
    tags = ""
    for (i = 1 + int((more[tunnel] + header - 14) / 4); i > 0; i--) tags = tags "action vlan push id 1 pipe "
    sub(/^@with [^ ]+ /, "")
    sub(/@port/, port[tunnel])
    sub(/@tags /, tags)
    print
}
