# Reads the output of `ethtool -k`. It has long names where `ethtool -K` takes short ones.

BEGIN {
    short["generic-receive-offload:"] = "gro"
    short["large-receive-offload:"] = "lro"
    short["rx-gro-hw:"] = "rx-gro-hw"
    short["rx-gro-list:"] = "rx-gro-list"
    short["rx-udp-gro-forwarding:"] = "rx-udp-gro-forwarding"
}
/^Features for / { device = substr($3, 1, length($3) - 1); on[device] = "" }
NF == 2 && $2 == "on" && ($1 in short) { on[device] = on[device] device " " short[$1] "\n" }
END {
    n = split(devices, name, " ")
    for (i = 1; i <= n; i++) printf "%s", on[name[i]]
}
