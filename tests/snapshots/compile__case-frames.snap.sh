#!/bin/sh
# frames: made by qosc 0.1.0 from home.yaml. Change the YAML and compile again rather than this file.
#
# profile vdsl2-pppoe: 30 bytes above each IP packet on the line
# up    6.5mbit x 64/65 x 98% = 6.272mbit
# down  25mbit x 64/65 x 95% = 23384.615kbit
#
# voice: c05:ceca, priority 0, guaranteed 400kbit up and 400kbit down, at most 6.272mbit and 23384.615kbit
# acks: c05:d414, priority 1, guaranteed 627.2kbit up and 2338.461kbit down, at most 6.272mbit and 23384.615kbit
# normal: c05:c9a3, priority 3, guaranteed 4931.2kbit up and 19476.924kbit down, at most 6.272mbit and 23384.615kbit
# bulk: c05:91de, priority 5, guaranteed 313.6kbit up and 1169.23kbit down, at most 6.272mbit and 23384.615kbit
#
# Calls: start stop restart reload status check print try confirm dump rate; --help says more.
set -u
LC_ALL=C
PATH=/usr/sbin:/usr/bin:/sbin:/bin:${PATH:-}
export LC_ALL PATH

link='frames'
source='home.yaml'
default_dev='eth0' # the WAN device: uploads leave by it
ifb1='ifb-frames' # stands for its ingress: downloads pass through it
ifb2='ifb2-frames' # or through this one, after the first had to be made anew
above_ip='30' # bytes on the line above each IP packet
mpu='0' # a packet is never charged less than this
frames='pppoe' # what the device's packets are: auto, ip or pppoe
needs_hook='yes' # whether there are filters at the device's ingress or egress
needs_egress='no' # whether some are at its egress
ingress_pref='3077' # our filters at the ingress have preferences from here
egress_pref='7173' # and those at the egress from here
hook_pref_end='11269' # to here
hook_bank='16384' # every other change puts the filters there in a second bank, this far on
root_bank='28672' # and those at a root in one this far on
split_up='yes' # whether aggregates are kept from the shaper, uploads
split_down='yes' # and downloads
receivers='br-lan' # devices by which uploads come in
has_marks='no' # whether a table of nft writes into marks
txqueuelen='' # of the WAN device; empty to leave it
shaped_up='6.272mbit'
shaped_down='23384.615kbit'
dev=$default_dev
ifb=$ifb1
run=${QOSC_RUN:-/run/qosc}
state=$run/$link
digest='be5a5da5e52d0ae1'

# --- what is made: lines for `tc -batch` --------------------------------------------------------------------------

# Uploads: the root and the classes. A class is told what a packet costs on the line.
up_tree() {
    cat <<END
qdisc replace dev $dev root handle c05: htb default 0 r2q 10 direct_qlen 1000 # frames: uploads (home.yaml:3)
class add dev $dev parent c05: classid c05:1 htb rate 6272000bit ceil 6272000bit burst 1522 cburst 1522 prio 0 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # frames: all uploads (home.yaml:3)
class add dev $dev parent c05:1 classid c05:ceca htb rate 400000bit ceil 6272000bit burst 1522 cburst 1522 prio 0 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # voice (home.yaml:6)
class add dev $dev parent c05:1 classid c05:d414 htb rate 627200bit ceil 6272000bit burst 1522 cburst 1522 prio 1 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # acks (home.yaml:12)
class add dev $dev parent c05:1 classid c05:c9a3 htb rate 4931200bit ceil 6272000bit burst 1522 cburst 1522 prio 3 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # normal (home.yaml:13)
class add dev $dev parent c05:1 classid c05:91de htb rate 313600bit ceil 6272000bit burst 1522 cburst 1522 prio 5 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # bulk (home.yaml:14)
END
}

# A queue for each class that has one.
up_leaves_whole() {
    cat <<END
qdisc add dev $dev parent c05:ceca handle ceca: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # voice: queue (home.yaml:6)
qdisc add dev $dev parent c05:d414 handle d414: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # acks: queue (home.yaml:12)
qdisc add dev $dev parent c05:c9a3 handle c9a3: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # normal: queue (home.yaml:13)
qdisc add dev $dev parent c05:91de handle 91de: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # bulk: queue (home.yaml:14)
END
}

# The same where aggregates cannot be turned off: CAKE splits them.
up_leaves_splitting() {
    cat <<END
qdisc add dev $dev parent c05:ceca handle ceca: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # voice: queue (home.yaml:6)
qdisc add dev $dev parent c05:d414 handle d414: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # acks: queue (home.yaml:12)
qdisc add dev $dev parent c05:c9a3 handle c9a3: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # normal: queue (home.yaml:13)
qdisc add dev $dev parent c05:91de handle 91de: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # bulk: queue (home.yaml:14)
END
}

# Which packet goes where: the first that matches, IPv4 and IPv6 each in the order of the YAML.
up_filters() {
    cat <<END
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u16 0x00b8 0x00fc at 8 flowid c05:ceca # voice: dscp ef (home.yaml:10)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u16 0x0500 0x0f00 at 8 match u16 0x0000 0x3fff at 14 match u16 0x0011 0x00ff at 16 match u16 0x13c4 0xfffe at 30 flowid c05:ceca # voice: udp remote_port 5060-5061 (home.yaml:11)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000028 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x5010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x0500002c 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x6010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000030 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x7010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000034 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x8010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000038 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x9010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x0500003c 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xa010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000040 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xb010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000044 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xc010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000048 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xd010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x0500004c 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xe010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000050 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xf010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0xc6336400 0xffffff00 at 24 flowid c05:91de # bulk: remote 198.51.100.0/24, 2001:db8:9::/48 (home.yaml:14)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u16 0x0b80 0x0fc0 at 8 flowid c05:ceca # voice: dscp ef (home.yaml:10)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u16 0x1100 0xff00 at 14 match u16 0x13c4 0xfffe at 50 flowid c05:ceca # voice: udp remote_port 5060-5061 (home.yaml:11)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00140600 0xffffff00 at 12 match u16 0x5010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00180600 0xffffff00 at 12 match u16 0x6010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x001c0600 0xffffff00 at 12 match u16 0x7010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00200600 0xffffff00 at 12 match u16 0x8010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00240600 0xffffff00 at 12 match u16 0x9010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00280600 0xffffff00 at 12 match u16 0xa010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x002c0600 0xffffff00 at 12 match u16 0xb010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00300600 0xffffff00 at 12 match u16 0xc010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00340600 0xffffff00 at 12 match u16 0xd010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00380600 0xffffff00 at 12 match u16 0xe010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x003c0600 0xffffff00 at 12 match u16 0xf010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $dev parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x20010db8 0xffffffff at 32 match u16 0x0009 0xffff at 36 flowid c05:91de # bulk: remote 198.51.100.0/24, 2001:db8:9::/48 (home.yaml:14)
filter add dev $dev parent c05: pref 28672 protocol all u32 match u32 0 0 at 0 flowid c05:c9a3 # normal: everything else (home.yaml:13)
END
}

# Downloads, on the ifb.
down_tree() {
    cat <<END
qdisc replace dev $ifb root handle c05: htb default 0 r2q 10 direct_qlen 1000 # frames: downloads (home.yaml:3)
class add dev $ifb parent c05: classid c05:1 htb rate 23384615bit ceil 23384615bit burst 2923 cburst 2923 prio 0 quantum 2923 overhead $overhead mpu 0 linklayer ethernet # frames: all downloads (home.yaml:3)
class add dev $ifb parent c05:1 classid c05:ceca htb rate 400000bit ceil 23384615bit burst 1522 cburst 2923 prio 0 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # voice (home.yaml:6)
class add dev $ifb parent c05:1 classid c05:d414 htb rate 2338461bit ceil 23384615bit burst 1522 cburst 2923 prio 1 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # acks (home.yaml:12)
class add dev $ifb parent c05:1 classid c05:c9a3 htb rate 19476924bit ceil 23384615bit burst 2434 cburst 2923 prio 3 quantum 2434 overhead $overhead mpu 0 linklayer ethernet # normal (home.yaml:13)
class add dev $ifb parent c05:1 classid c05:91de htb rate 1169230bit ceil 23384615bit burst 1522 cburst 2923 prio 5 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # bulk (home.yaml:14)
END
}

# As above.
down_leaves_whole() {
    cat <<END
qdisc add dev $ifb parent c05:ceca handle ceca: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # voice: queue (home.yaml:6)
qdisc add dev $ifb parent c05:d414 handle d414: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # acks: queue (home.yaml:12)
qdisc add dev $ifb parent c05:c9a3 handle c9a3: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # normal: queue (home.yaml:13)
qdisc add dev $ifb parent c05:91de handle 91de: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # bulk: queue (home.yaml:14)
END
}

# As above.
down_leaves_splitting() {
    cat <<END
qdisc add dev $ifb parent c05:ceca handle ceca: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # voice: queue (home.yaml:6)
qdisc add dev $ifb parent c05:d414 handle d414: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # acks: queue (home.yaml:12)
qdisc add dev $ifb parent c05:c9a3 handle c9a3: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # normal: queue (home.yaml:13)
qdisc add dev $ifb parent c05:91de handle 91de: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # bulk: queue (home.yaml:14)
END
}

# As above, with local and remote the other way round.
down_filters() {
    cat <<END
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u16 0x0500 0x0f00 at 8 match u16 0x0000 0x3fff at 14 match u16 0x0011 0x00ff at 16 match u16 0x13c4 0xfffe at 28 flowid c05:ceca # voice: udp remote_port 5060-5061 (home.yaml:11)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000028 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x5010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x0500002c 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x6010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000030 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x7010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000034 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x8010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000038 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x9010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x0500003c 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xa010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000040 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xb010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000044 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xc010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000048 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xd010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x0500004c 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xe010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0x05000050 0x0f00ffff at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0xf010 0xf017 at 40 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u32 0xc6336400 0xffffff00 at 20 flowid c05:91de # bulk: remote 198.51.100.0/24, 2001:db8:9::/48 (home.yaml:14)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u16 0x1100 0xff00 at 14 match u16 0x13c4 0xfffe at 48 flowid c05:ceca # voice: udp remote_port 5060-5061 (home.yaml:11)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00140600 0xffffff00 at 12 match u16 0x5010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00180600 0xffffff00 at 12 match u16 0x6010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x001c0600 0xffffff00 at 12 match u16 0x7010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00200600 0xffffff00 at 12 match u16 0x8010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00240600 0xffffff00 at 12 match u16 0x9010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00280600 0xffffff00 at 12 match u16 0xa010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x002c0600 0xffffff00 at 12 match u16 0xb010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00300600 0xffffff00 at 12 match u16 0xc010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00340600 0xffffff00 at 12 match u16 0xd010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x00380600 0xffffff00 at 12 match u16 0xe010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x003c0600 0xffffff00 at 12 match u16 0xf010 0xf017 at 60 flowid c05:d414 # acks: tcp ack length <128 (home.yaml:12)
filter add dev $ifb parent c05: pref 11 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u32 0x20010db8 0xffffffff at 16 match u16 0x0009 0xffff at 20 flowid c05:91de # bulk: remote 198.51.100.0/24, 2001:db8:9::/48 (home.yaml:14)
filter add dev $ifb parent c05: pref 28672 protocol all u32 match u32 0 0 at 0 flowid c05:c9a3 # normal: everything else (home.yaml:13)
END
}

# At the device's ingress and egress: police, and last the way to the ifb.
hook_filters() {
    cat <<END
filter add dev $dev ingress pref 3077 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u16 0x0500 0x0f00 at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x1f90 0xffff at 28 action police rate 4000000bit burst 125000 mtu 131072 overhead $ingress_overhead mpu 0 linklayer ethernet conform-exceed drop/pipe index 996450337 action mirred egress redirect dev $ifb # downloads: tcp remote_port 8080 (home.yaml:16)
filter add dev $dev ingress pref 3078 protocol ppp_ses u32 match u16 0x0057 0xffff at 6 match u16 0x0600 0xff00 at 14 match u16 0x1f90 0xffff at 48 action police rate 4000000bit burst 125000 mtu 131072 overhead $ingress_overhead mpu 0 linklayer ethernet conform-exceed drop/pipe index 996450337 action mirred egress redirect dev $ifb # downloads: tcp remote_port 8080 (home.yaml:16)
filter add dev $dev ingress pref 7172 protocol all u32 match u32 0 0 at 0 action mirred egress redirect dev $ifb # frames: all downloads (home.yaml:3)
END
}

# What preflight tries on a device of its own: one of each kind of thing above.
probe_tree() {
    cat <<END
qdisc replace dev $probe root handle c05: htb default 0 r2q 10 direct_qlen 1000 # frames: uploads (home.yaml:3)
class add dev $probe parent c05: classid c05:1 htb rate 6272000bit ceil 6272000bit burst 1522 cburst 1522 prio 0 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # frames: all uploads (home.yaml:3)
END
}

# As above.
probe_leaves_whole() {
    cat <<END
class add dev $probe parent c05:1 classid c05:ceca htb rate 400000bit ceil 6272000bit burst 1522 cburst 1522 prio 0 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # voice (home.yaml:6)
qdisc add dev $probe parent c05:ceca handle ceca: fq_codel limit 1000 flows 1024 quantum 300 target 5000us interval 100000us memory_limit 2304000 ecn drop_batch 64 # voice: queue (home.yaml:6)
END
}

# As above.
probe_leaves_splitting() {
    cat <<END
class add dev $probe parent c05:1 classid c05:ceca htb rate 400000bit ceil 6272000bit burst 1522 cburst 1522 prio 0 quantum 1514 overhead $overhead mpu 0 linklayer ethernet # voice (home.yaml:6)
qdisc add dev $probe parent c05:ceca handle ceca: cake unlimited besteffort flows nonat nowash no-ack-filter split-gso rtt 100000us raw memlimit 2304000 egress # voice: queue (home.yaml:6)
END
}

# As above.
probe_rest() {
    cat <<END
qdisc add dev $probe clsact # frames: hooks
filter add dev $probe parent c05: pref 10 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u16 0x00b8 0x00fc at 8 flowid c05:1 # voice: dscp ef (home.yaml:10)
filter add dev $probe parent c05: pref 28672 protocol all u32 match u32 0 0 at 0 flowid c05:1 # normal: everything else (home.yaml:13)
filter add dev $probe ingress pref 3077 protocol ppp_ses u32 match u16 0x0021 0xffff at 6 match u16 0x0500 0x0f00 at 8 match u16 0x0000 0x3fff at 14 match u16 0x0006 0x00ff at 16 match u16 0x1f90 0xffff at 28 action police rate 4000000bit burst 125000 mtu 131072 overhead $ingress_overhead mpu 0 linklayer ethernet conform-exceed drop/pipe action mirred egress redirect dev $probe # downloads: tcp remote_port 8080 (home.yaml:16)
filter add dev $probe ingress pref 7172 protocol all u32 match u32 0 0 at 0 action mirred egress redirect dev $probe # frames: all downloads (home.yaml:3)
END
}

# How these numbers follow from the line rates, for `rate`: `=` and a number is what the YAML gives, `%` a share in
# millionths, `-` what follows from other numbers, `-` and a number so many parts of what other hosts of the class leave.
# A line is one of
#   share WAY line NUMERATOR DENOMINATOR FULL FRAME TURN POLICE ASIDE...
#   share WAY class ID PARENT GUARANTEE CEILING [fq_codel TARGET INTERVAL LIMIT QUANTUM MEMORY | cake RTT | pfifo LIMIT]
#   share WAY police INDEX RATE BURST
# with the bytes of a full packet on the wire, of a frame, of the shortest turn of a class, and of the smallest bucket of a
# police.
shares() {
    cat <<'END'
share up line 62720000 65000000 1522 1514 1514 67088
share up class c05:ceca c05:1 =400000 - fq_codel - - - - - # voice
share up class c05:d414 c05:1 %100000 - fq_codel - - - - - # acks
share up class c05:c9a3 c05:1 - - fq_codel - - - - - # normal
share up class c05:91de c05:1 %50000 - fq_codel - - - - - # bulk
share down line 60800000 65000000 1522 1514 1514 67088
share down class c05:ceca c05:1 =400000 - fq_codel - - - - - # voice
share down class c05:d414 c05:1 %100000 - fq_codel - - - - - # acks
share down class c05:c9a3 c05:1 - - fq_codel - - - - - # normal
share down class c05:91de c05:1 %50000 - fq_codel - - - - - # bulk
END
}

# What nft is told: which host sends, and with which DSCP, into our own bits of marks.
marks() {
    :
}

# Kernel settings: path below /proc/sys and value.
sysctls() {
    :
}

# The classes: id, depth, name.
class_names() {
    cat <<'END'
ceca 0 voice
d414 0 acks
c9a3 0 normal
91de 0 bulk
END
}

# The tins of a CAKE: direction, number, class.
tin_names() {
    :
}

# --- what only the router knows -----------------------------------------------------------------------------------

say() { printf '%s: %s\n' "$link" "$*"; }
warn() { printf '%s: warning: %s\n' "$link" "$*" >&2; }
fail() { printf '%s: error: %s\n' "$link" "$*" >&2; }

die() {
    fail "$@"
    exit 1
}

# Whether a PPPoE session of this router runs over the device.
carries_pppoe() {
    [ -r /proc/net/pppoe ] || return 1
    while read -r _ _ over; do
        [ "$over" = "$dev" ] && return 0
    done </proc/net/pppoe
    return 1
}

# The header that the device's packets already have above IP when the kernel charges them, and from it what the kernel
# must be told. Only a size table on the root can take bytes off a packet, so that is where a remainder below 0 goes.
read_facts() {
    [ -d "/sys/class/net/$dev" ] || return 1
    read -r type <"/sys/class/net/$dev/type"
    read -r ifindex <"/sys/class/net/$dev/ifindex"
    header=0
    if [ "$type" = 1 ]; then
        header=14
        case $frames in
        pppoe) header=22 ;;
        auto) carries_pppoe && header=22 ;;
        esac
    fi
    # The ingress hook sees a packet without its Ethernet header, which an ifb then gets back.
    ingress_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
    [ "$ingress_overhead" -ge 0 ] || ingress_overhead=0
    # CAKE takes a device's own header off by itself, but not that of a PPPoE frame.
    # shellcheck disable=SC2034 # not every script has a CAKE
    cake_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
    overhead=$((above_ip - header))
    stab=''
    if [ "$overhead" -lt 0 ]; then
        stab="stab overhead $overhead linklayer ethernet"
        overhead=0
    fi
}

# Hundredths of a second since this router was booted, as fine as the kernel tells it to a shell.
hundredths_up() {
    read -r uptime _ </proc/uptime
    hundredths=${uptime#*.}
    # A number that begins with 0 is octal.
    echo $((${uptime%%.*} * 100 + ${hundredths#0}))
}

# The version of this kernel: the release of Debian and Ubuntu stands still while the version moves on.
read_version() {
    read -r version </proc/sys/kernel/osrelease
    read -r words </proc/version
    case $words in
    *' Debian '[0-9]*) version=${words##* Debian } ;;
    esac
    if [ -r /proc/version_signature ]; then
        # Ubuntu 5.15.0-91.101-generic 5.15.131
        read -r words </proc/version_signature
        version=${words##* }
    fi
    version=${version%%[!0-9.]*}
}

# HTB and police took no notice of mpu from Linux 3.8 to 5.16, and the older long-term kernels until January 2022.
kernel_ignores_mpu() {
    [ "$mpu" -gt 0 ] || return 1
    read_version
    rest=${version#*.}
    case $rest in
    *.*) patch=${rest#*.} patch=${patch%%.*} ;;
    *) patch=0 ;;
    esac
    case ${version%%.*}.${rest%%.*} in
    5.16) [ "$patch" -lt 3 ] ;;
    5.15) [ "$patch" -lt 17 ] ;;
    5.10) [ "$patch" -lt 94 ] ;;
    5.4) [ "$patch" -lt 174 ] ;;
    4.19) [ "$patch" -lt 226 ] ;;
    4.14) [ "$patch" -lt 263 ] ;;
    [0-4].* | 5.[0-9] | 5.1[0-4]) true ;;
    *) false ;;
    esac
}

leave() {
    trap - EXIT
    rm -f "$state/lock" "$state"/lock.* "$state/batch" "$state/program" "$state/steps" "$state/left" "$state"/*.new
    [ -e "$state/before" ] || { rmdir "$state" && rmdir "$run"; } 2>/dev/null
    return 0
}

# A process, and when it began: its number alone may be another's by now. Nothing where it is gone.
process() {
    read -r words 2>/dev/null <"/proc/$1/stat" || return 1
    # Its name, in brackets, may hold anything.
    # shellcheck disable=SC2086
    set -- "$1" ${words##*) }
    echo "$1 ${21}"
}

# One run at a time. A lock is a link to a file that is whole already; one whose holder is gone is no lock.
take_lock() {
    # The way back of a start that failed, which holds the lock.
    [ -z "${QOSC_LOCK-}" ] || [ "$QOSC_LOCK" != "$(cat "$state/lock" 2>/dev/null)" ] || return 0
    tries=0
    self=$(process $$)
    until {
        { [ -d "$state" ] || mkdir -p "$state"; } && printf '%s\n' "$self" >"$state/lock.$$" && ln "$state/lock.$$" "$state/lock"
    } 2>/dev/null; do
        holder=''
        read -r holder 2>/dev/null <"$state/lock"
        if [ -n "$holder" ] && [ "$(process "${holder% *}")" != "$holder" ]; then
            mv "$state/lock" "$state/lock.$$" 2>/dev/null || continue
            # Someone else may have been quicker, and this is his: back with it.
            read -r found <"$state/lock.$$"
            [ "$found" = "$holder" ] || ln "$state/lock.$$" "$state/lock" 2>/dev/null
        else
            # The last to leave takes the folder with him, so once is no proof.
            [ "$tries" = 0 ] || [ -w "$state" ] || die "cannot write $state"
            [ "$tries" -lt 30 ] || die "process ${holder% *} has been at work on this link for 30 seconds; try again later"
            tries=$((tries + 1))
            sleep 1
        fi
    done
    trap leave EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# --- what the kernel holds ----------------------------------------------------------------------------------------

# All that tc shows of our devices, by one process: first the filters at the hooks, so that these are the lines
# before the first qdisc.
show() {
    {
        printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$dev" "$dev"
        for device in "$dev" "$ifb1" "$ifb2"; do
            [ -d "/sys/class/net/$device" ] || continue
            printf 'qdisc show dev %s\nclass show dev %s parent c05:\nfilter show dev %s parent c05:\n' "$device" "$device" "$device"
        done
    } | tc -force -d -batch - 2>/dev/null
}

# The same in normal form: without counters, without numbers that the kernel deals out anew each time, and without the
# flows that a CAKE holds at the moment. Most lines are of classes and their queues, which have nothing of it but spaces at the end.
normal() {
    sed -e '/^class htb /{' -e 's/ *$//' -e b -e '}' -e '/^qdisc [cfp][a-z_]* [0-9a-f]*: parent c05:/{' -e 's/ *$//' -e b -e '}' \
        -e 's/ refcnt [0-9]*//' -e 's/ direct_packets_stat [0-9]*//' -e 's/ (success [0-9]*)//' \
        -e 's/ (rule hit [0-9]* success [0-9]*)//' -e 's/index [0-9]* ref [0-9]* bind [0-9]* cpmark/cpmark/' \
        -e 's/index [0-9]* ref.*//' -e 's/ref [0-9]* bind.*//' \
        -e 's/ not_in_hw//' -e 's/[[:space:]]*$//' -e '/^$/d' -e '/^class cake /d'
}

# Settings beside the qdiscs, as they are.
settings_now() {
    # While it is down, nothing at all comes in.
    if [ -r "/sys/class/net/$ifb/flags" ]; then
        read -r value <"/sys/class/net/$ifb/flags"
        [ $((value & 1)) = 1 ] && echo "$ifb up" || echo "$ifb down"
    fi
    if [ -n "$txqueuelen" ]; then
        read -r value <"/sys/class/net/$dev/tx_queue_len"
        echo "txqueuelen $value"
    fi
    sysctls | while read -r path _; do
        value=missing
        # Not by `read`, which takes a byte at a time: a setting of numbers gives its first digit and then ends.
        [ -r "/proc/sys/$path" ] && value=$(cat "/proc/sys/$path")
        # A setting of several numbers has tabs between them: as words they compare.
        # shellcheck disable=SC2086
        set -- $value
        echo "sysctl $path $*"
    done
}

# Whose state it is, and what of the machine must be as it was for it to be the same.
see_who() { printf '%s\n' "by $digest on $dev $ifindex, header $header, ethtool $ethtool, boot $boot"; }

# What there is beside the qdiscs.
see_beside() {
    settings_now
    [ -z "$table" ] || printf '%s\n' "$table"
}

# The kernel's state in normal form, in `now`: what `check` compares with the record.
look() {
    seen=$(show | normal)
    if [ -z "$seen" ]; then
        see_nothing
        return 1
    fi
    find_ifb
    table=$(marks_now)
    now=$(see_beside)
    now="$(see_who)
$seen${now:+$newline$now}"
}

# The same into a file, for the record. Not by way of a variable: a shell reads into one by 128 bytes, which for ten
# thousand classes takes longer than tc takes to show them.
look_into() {
    # Not through a pipe either, which two processes fill and empty by turns.
    show >"$state/shown.new"
    {
        see_who
        normal <"$state/shown.new"
    } >"$1"
    if ! grep -q '^qdisc ' "$1"; then
        see_nothing
        return 1
    fi
    seen=''
    [ ! -d "/sys/class/net/$ifb2" ] || seen=$(grep 'Redirect to device' "$1")
    find_ifb
    table=$(marks_now)
    see_beside >>"$1"
}

see_nothing() { fail "tc shows nothing of $dev: is this iproute2's tc? (busybox's cannot be used)"; }

# The ifb that downloads pass through.
find_ifb() {
    ifb=$ifb1
    [ -d "/sys/class/net/$ifb2" ] || return 0
    case $seen in
    *"Redirect to device $ifb1)"*) ;;
    *"Redirect to device $ifb2)"*) ifb=$ifb2 ;;
    esac
}

recorded() {
    [ -r "$state/state" ] && cat "$state/state"
}

# Sorts what `show` printed: sets root (the root qdisc's line), root_stab (its size table), hook (ingress, clsact or
# nothing), ours (what of it we made) and foreign (what of it others made and we must not touch).
survey() {
    root='' root_stab='' hook='' foreign='' ours='' our_prefs='' part=hooks
    set -f
    while IFS= read -r line; do
        # Word splitting is the point here: tc's output is words.
        # shellcheck disable=SC2086
        set -- $line
        case $part:${1-} in
        hooks:filter) survey_hook "$@" ;;
        *:qdisc)
            # Each device's root comes first, so the second root is an ifb's.
            case $part:$4 in
            hooks:root) part=wan ;;
            wan:root) part=ifb ;;
            esac
            [ "$part" = ifb ] || survey_wan "$@"
            ;;
        wan:linklayer) [ -n "$root" ] && [ -z "$hook" ] && root_stab=$line ;;
        esac
    done <<RAW
$(printf '%s\n' "$seen" | surveyed)
RAW
    set +f
    [ -z "$table" ] || ours="$ours marks"
    [ ! -d "/sys/class/net/$ifb1" ] || ours="$ours ifb"
    [ ! -d "/sys/class/net/$ifb2" ] || ours="$ours ifb"
    if [ "$hook:$needs_egress" = ingress:yes ]; then
        foreign="$foreign
  qdisc ingress at the ingress of $dev (uploads are policed at the egress, which takes a clsact)"
    fi
    root_before=$(root_words)
    case $ours:$foreign in
    *root*:*) root_before=$(before root) || root_before=default ;;
    *"at the root of"*) root_before=default ;;
    esac
}

# The lines of `show` that `survey` looks at, which are few however many classes there are: a shell reads a byte at a time.
surveyed() {
    awk '
        $1 == "qdisc" {
            if ($4 == "root") rooted = 1
            if ($4 == "root" || $2 == "clsact" || $2 == "ingress") print
            next
        }
        $1 == "linklayer" || ($1 == "filter" && !rooted)'
}

survey_wan() {
    case "$2 $3 $4" in
    'htb c05: root' | 'cake c05: root') ours="$ours root" root=$line ;;
    'clsact ffff: parent') hook=clsact ;;
    'ingress ffff: parent') hook=ingress ;;
    *' root')
        root=$line
        case $2:$3 in
        *:0:) ;;
        htb:* | hfsc:* | prio:* | drr:* | qfq:* | mq:* | mqprio:* | multiq:* | cbq:* | ets:* | taprio:* | atm:* | dsmark:*)
            foreign="$foreign
  qdisc $2 $3 at the root of $dev" ;;
        esac
        ;;
    esac
}

survey_hook() {
    kind='' pref=0
    while [ $# -gt 0 ]; do
        case $1 in
        pref) pref=$2 kind=${3-} ;;
        esac
        shift
    done
    at=$pref
    [ "$at" -lt $((ingress_pref + hook_bank)) ] || at=$((at - hook_bank))
    if [ "$at" -ge "$ingress_pref" ] && [ "$at" -lt "$egress_pref" ]; then
        remember_pref ingress "$pref"
    elif [ "$at" -ge "$egress_pref" ] && [ "$at" -lt "$hook_pref_end" ]; then
        remember_pref egress "$pref"
    else
        case $foreign in
        *"filter $kind pref $pref "*) ;;
        *) foreign="$foreign
  filter $kind pref $pref at the ingress or egress of $dev" ;;
        esac
    fi
}

remember_pref() {
    case $our_prefs in
    *" $1:$2 "*) ;;
    *) our_prefs="$our_prefs $1:$2 " ours="$ours filters" ;;
    esac
}

# --- what was before ----------------------------------------------------------------------------------------------

# The file `before` is written before the first change, a fact a line, so that `stop` can put everything back, also
# after a start that was killed:
#   boot ID | device DEV IFINDEX | root WORDS | hook made|shared | tunnel DEV IFINDEX made|shared | marks made |
#   txqueuelen N | sysctl PATH VALUE | offload DEV FEATURE

# A fact of `before`: the rest of the line that begins with these words.
before() {
    [ -r "$state/before" ] || return 1
    while IFS= read -r line; do
        case $line in
        "$1 "*)
            printf '%s\n' "${line#"$1 "}"
            return 0
            ;;
        esac
    done <"$state/before"
    return 1
}

note() {
    noted "$*" || printf '%s\n' "$*" >>"$state/before"
}

# Whether `before` has this line.
noted() {
    [ -r "$state/before" ] || return 1
    while IFS= read -r line; do
        [ "$line" != "$1" ] || return 0
    done <"$state/before"
    return 1
}

# Whether another link's record has such a line: then what we found is its work, not what was before.
others() {
    for record in "$run"/*/before; do
        case $record in
        "$state/before" | "$run/*/before") ;;
        *) grep -s -- "^$1" "$record" && return 0 ;;
        esac
    done
    return 1
}

# The words with which tc makes the root qdisc that it showed: our own root stands for the record, the kernel's default
# for itself. tc shows packets as `1000p`, bytes as `1514b` and seconds as `10sec`, and does not take them back so.
root_words() {
    set -f
    # shellcheck disable=SC2086 # tc's output is words
    set -- $root
    if [ $# -lt 4 ] || [ "$3" = 0: ]; then
        echo default
        return
    fi
    words="handle $3 "
    [ -z "$root_stab" ] || words="${words}stab ${root_stab# } "
    words=$words$2
    kind=$2
    # pfifo_fast shows a map that nobody can set.
    [ "$2" != pfifo_fast ] || set -- q q q q
    shift 4
    while [ $# -gt 0 ]; do
        case $1 in
        refcnt) shift ;;
        limit | flows)
            # Of sfq's defaults, 127 packets for 128 flows, each makes the other 127 when it is given.
            case $kind:$1:$2 in
            sfq:limit:127p | sfq:flows:128) shift ;;
            *) words="$words $1" ;;
            esac
            ;;
        *[!0-9]*[pb] | *[!0-9]*sec | *[!0-9/]*/*) words="$words $1" ;;
        [0-9]*[pb]) words="$words ${1%?}" ;;
        [0-9]*sec) words="$words ${1%sec}" ;;
        [0-9]*/[0-9]*) words="$words ${1%%/*}" ;;
        *) words="$words $1" ;;
        esac
        shift
    done
    # fq_codel shows no sign of ECN where it is off, and turns it on where nothing is said.
    case "$kind$words " in
    *' ecn '*) ;;
    fq_codel*) words="$words noecn" ;;
    esac
    printf '%s\n' "$words"
}

# Keeps what is there now, unless it is our own work that is there. A device that was made anew (a PPPoE session) has
# nothing of what its forerunner had.
remember() {
    if [ "$(before boot)" != "$boot" ]; then
        rm -f "$state/before"
        note boot "$boot"
    fi
    if [ "$(before device)" != "$dev $ifindex" ]; then
        grep -sE '^(boot|marks|sysctl|offload|tunnel) ' "$state/before" >"$state/before.new"
        mv "$state/before.new" "$state/before"
        note device "$dev $ifindex"
    fi
    before root >/dev/null || note root "$root_before"
    if ! before hook >/dev/null; then
        case $hook:$our_prefs in
        '':* | *:?*) note hook made ;;
        *) note hook shared ;;
        esac
    fi
    [ "$has_marks" = no ] || note marks made
    if [ -n "$txqueuelen" ] && ! before txqueuelen >/dev/null; then
        read -r value <"/sys/class/net/$dev/tx_queue_len"
        note txqueuelen "$value"
    fi
    sysctls | while read -r path _; do
        before "sysctl $path" >/dev/null || remember_sysctl "$path"
    done
}

# What takes away what an earlier start left at the devices of tunnels: nothing must be sent to an ifb that is going, and no
# hook must go that others use by now.
tunnels_left() {
    {
        for tunnel in ${tunnels-}; do grep -qs "^tunnel ${tunnel%:*} " "$state/before" || echo "${tunnel%:*} made"; done
        sed -n 's/^tunnel \([^ ]*\) [^ ]* /\1 /p' "$state/before" 2>/dev/null
    } | while read -r device made; do
        printf 'filter show dev %s ingress\nfilter show dev %s egress\n' "$device" "$device" | tc -force -batch - 2>/dev/null |
            awk -v device="$device" -v made="$made" -v first="$ingress_pref" -v end="$egress_pref" -v bank="$hook_bank" '
                $1 != "filter" { next }
                {
                    for (i = 2; i < NF; i++) if ($i == "pref") pref = $(i + 1)
                    at = pref < first + bank ? pref : pref - bank
                    if (at < first || at >= end) others = 1
                    else if (!seen[pref]++) print "filter del dev " device " ingress pref " pref
                }
                END { if (made == "made" && pref && !others) print "qdisc del dev " device " clsact" }'
    done
}

leave_tunnels() {
    [ -n "${tunnels-}" ] || grep -qs '^tunnel ' "$state/before" || return 0
    tunnels_left | tc -force -batch - >/dev/null 2>&1
    [ -e "$state/before" ] || return 0
    grep -v '^tunnel ' "$state/before" >"$state/before.new"
    mv "$state/before.new" "$state/before"
}

remember_sysctl() {
    first=$(others "sysctl $1 ")
    if [ -n "$first" ]; then
        note "$first"
    elif [ -r "/proc/sys/$1" ]; then
        note "sysctl $1 $(cat "/proc/sys/$1")"
    fi
}

# --- aggregates ---------------------------------------------------------------------------------------------------

# GRO and GSO hand the shaper up to 64 KiB as one packet: charged its overhead once, and for that long the line is
# taken. What arrives by a device is put together there, so that is where it must be turned off. The router's own TCP
# makes aggregates whatever the device can do; only the number of segments in one can be held down.

# A device and everything below it: bridge ports, the parent of a VLAN, the Ethernet under a PPPoE session.
with_lower() {
    [ -d "/sys/class/net/$1" ] || return 0
    echo "$1"
    for below in "/sys/class/net/$1"/lower_* "/sys/class/net/$1"/brif/*; do
        [ -e "$below" ] || continue
        below=${below##*/}
        # In a subshell: this function calls itself, and its variables are the script's.
        (with_lower "${below#lower_}")
    done
    read -r kind <"/sys/class/net/$1/type"
    if [ "$kind" = 512 ] && [ -r /proc/net/pppoe ]; then
        while read -r id _ over; do
            [ "$id" = Id ] || (with_lower "$over")
        done </proc/net/pppoe
    fi
}

# Where the YAML names no LAN device, uploads may come in by any.
all_others() {
    for device in /sys/class/net/*; do
        device=${device##*/}
        case $device in
        "$dev" | lo | ifb* | bonding_masters) ;;
        *)
            read -r flags <"/sys/class/net/$device/flags"
            [ $((flags & 1)) = 0 ] || echo "$device"
            ;;
        esac
    done
}

# The devices that must not put packets together.
receiving() {
    {
        if [ "$split_up" = yes ]; then
            for device in ${receivers:-$(all_others)}; do with_lower "$device"; done
        fi
        if [ "$split_down" = yes ]; then with_lower "$dev"; fi
    } | sort -u
}

# The devices by which the router's own uploads leave: the WAN device, and tunnels that are no Ethernet.
sending() {
    [ "$split_up" = yes ] || return 0
    echo "$dev"
    for device in $receivers; do
        [ -d "/sys/class/net/$device" ] || continue
        read -r kind <"/sys/class/net/$device/type"
        [ "$kind" = 1 ] || echo "$device"
    done
}

# Everything that makes aggregates now: `DEVICE FEATURE`, or `DEVICE gso_max_segs=N`, one a line.
aggregates() {
    receiving | while read -r device; do
        [ "$ethtool" = no ] || features_on "$device"
    done
    sending | sed 's/^/link show dev /' | whole_sends
}

features_on() {
    ethtool -k "$1" 2>/dev/null | while read -r feature value fixed; do
        [ "$value$fixed" = on ] || continue
        # What `ethtool -k` shows by its long name, `ethtool -K` takes by its short one.
        case $feature in
        generic-receive-offload:) feature=gro ;;
        large-receive-offload:) feature=lro ;;
        rx-gro-hw: | rx-gro-list: | rx-udp-gro-forwarding:) ;;
        *) continue ;;
        esac
        echo "$1 ${feature%:}"
    done
}

# All by one process; none where there is nothing to ask.
whole_sends() {
    lines=$(cat)
    [ -n "$lines" ] || return 0
    printf '%s\n' "$lines" | ip -o -d -force -batch - 2>/dev/null | while read -r _ device line; do
        device=${device%:}
        [ -d "/sys/class/net/$device" ] || device=${device%@*}
        case $line in
        *' gso_max_segs 1 '*) ;;
        *' gso_max_segs '*)
            line=${line#* gso_max_segs }
            echo "$device gso_max_segs=${line%% *}"
            ;;
        esac
    done
}

# Turns `LINES of DEVICE FEATURE` on or off: one ethtool a device, one ip for all.
switch_features() {
    [ -n "$1" ] || return 0
    segments=$(
        printf '%s\n' "$1" | while read -r device feature; do
            case $2:$feature in
            on:gso_max_segs=*) echo "link set dev $device gso_max_segs ${feature#*=}" ;;
            off:gso_max_segs=*) echo "link set dev $device gso_max_segs 1" ;;
            esac
        done
    )
    [ -z "$segments" ] || printf '%s\n' "$segments" | ip -force -batch - >/dev/null 2>&1
    to=$2
    printf '%s\n' "$1" | {
        device=''
        while read -r next feature; do
            case $feature in
            '' | *=*) continue ;;
            esac
            if [ "$next" != "$device" ]; then
                [ -z "$device" ] || ethtool -K "$@" >/dev/null 2>&1
                device=$next
                set -- "$device"
            fi
            set -- "$@" "$feature" "$to"
        done
        [ -z "$device" ] || ethtool -K "$@" >/dev/null 2>&1
    }
}

# Turns off what makes aggregates, and remembers it first. What another link has turned off was on before, too.
aggregates_off() {
    [ -n "$1" ] || others 'offload ' >/dev/null || return 0
    {
        printf '%s\n' "$1" | sed '/./s/^/offload /'
        receiving | while read -r device; do others "offload $device [^=]*\$"; done
        sending | while read -r device; do others "offload $device gso_max_segs="; done
    } | while read -r line; do
        [ -z "$line" ] || note "$line"
    done
    switch_features "$1" off
}

# What an earlier start turned off, where aggregates may be now.
aggregates_left() {
    grep -qs '^offload ' "$state/before" || return 0
    {
        receiving | sed 's/^/receives /'
        sending | sed 's/^/sends /'
        sed -n 's/^offload //p' "$state/before"
    } | while read -r first second; do
        case $first in
        receives | sends) set -- "$@" "$first $second" ;;
        *)
            way=receives
            case $second in *=*) way=sends ;; esac
            kept=no
            for one; do [ "$one" != "$way $first" ] || kept=yes; done
            [ "$kept" = yes ] || [ ! -d "/sys/class/net/$first" ] || others "offload $first $second\$" >/dev/null ||
                echo "$first $second"
            ;;
        esac
    done
}

# Turns on again what was on before, but for what another link still wants off.
aggregates_back() {
    [ -r "$state/before" ] || return 0
    back=$(
        sort "$state/before" | while read -r what device feature; do
            [ "$what" = offload ] || continue
            [ -d "/sys/class/net/$device" ] || continue
            others "offload $device $feature\$" >/dev/null || echo "$device $feature"
        done
    )
    switch_features "$back" on
}

# --- marks --------------------------------------------------------------------------------------------------------

# The table of nft that writes our bits into marks, where there is one. It is one thing: loaded, replaced and removed
# as a whole, by one transaction of the kernel.

# The table that is described, without its comments.
wanted_marks() { marks | sed -e 's/[[:space:]]*#.*//' -e '/^$/d'; }

# What the kernel holds of it. Where no table is described and none was loaded, nobody asks.
marks_now() {
    [ "$has_marks" = yes ] || before marks >/dev/null || return 0
    nft list table inet "qosc_$link" 2>/dev/null || :
}

# The part of a record of the kernel's state that is the table.
held_marks() { sed -n '/^table inet /,$p'; }

# Whether the table must be loaded: it is not described as it was, or not held as the last start left it.
marks_late() {
    [ "$has_marks" = yes ] || return 1
    [ -r "$state/state" ] && [ -r "$state/marks" ] || return 0
    [ "$(wanted_marks)" = "$(cat "$state/marks")" ] || return 0
    [ "$(held_marks <"$state/state")" = "$(printf '%s\n' "$now" | held_marks)" ] || return 0
    return 1
}

# Whether there is a table that is described no longer.
marks_left() {
    [ "$has_marks" = no ] || return 1
    before marks >/dev/null && return 0
    # What there is of ours without a record may have come with a table.
    [ ! -e "$state/before" ] && [ -n "$ours" ] && command -v nft >/dev/null &&
        nft list table inet "qosc_$link" >/dev/null 2>&1
}

# All that nft is told.
marks_program() {
    printf 'add table inet qosc_%s\ndelete table inet qosc_%s\n' "$link" "$link"
    marks
}

load_marks() {
    words=$(marks_program | nft -f - 2>&1) && return 0
    fail "the kernel refused the table of marks"
    printf '%s\n' "$words" | sed -e 's/^/  /' -e 10q >&2
    return 1
}

unload_marks() { ! command -v nft >/dev/null || nft delete table inet "qosc_$link" >/dev/null 2>&1; }

# Whether this router can do it, tried without doing it.
try_marks() {
    command -v nft >/dev/null || die "nft is missing, and hosts cannot be told apart here without it (Debian, OpenWrt: nftables)"
    words=$(marks_program | nft -c -f - 2>&1) && return 0
    fail "this kernel or this nft cannot do what is needed; nothing was changed"
    printf '%s\n' "$words" | sed -e 's/^/  /' -e 10q >&2
    exit 1
}

# What goes round the marks, or round the shaper as well. A connection in a flowtable skips the hooks of its family:
# its uploads are nobody's, and what its downloads go by is as old as the flow.
shortcuts() {
    [ ! -d /sys/module/xt_FLOWOFFLOAD ] || [ "$has_marks" = no ] ||
        warn "iptables may offload connections here (FLOWOFFLOAD): their uploads go to the default class, since no rule sees them"
    # Asking would load nf_tables, which is not needed for this alone; built into a kernel nf_flow_table shows nowhere.
    [ -d /sys/module/nf_flow_table ] || [ "$has_marks" = yes ] || return 0
    command -v nft >/dev/null || return 0
    nft list flowtables 2>/dev/null | awk -v dev="$dev" -v marks="$has_marks" '
        $1 == "table" { table = $2 " " $3 }
        $1 == "flowtable" { name = $2; on = 0; hard = 0 }
        $1 == "devices" { for (i = 3; i <= NF; i++) { word = $i; gsub(/[",{}]/, "", word); if (word == dev) on = 1 } }
        $1 == "flags" && /offload/ { hard = 1 }
        $1 == "}" && name != "" {
            if (on && hard) print "flowtable " name " of table " table " lets hardware forward what passes " dev ": that is not shaped at all"
            else if (on && marks == "yes") print "flowtable " name " of table " table " takes connections round the marks: their uploads go to the default class"
            name = ""
        }' | while IFS= read -r line; do warn "$line"; done
}

# --- from what is there to what is described ----------------------------------------------------------------------

# What is described, for this router: the lines above with `@wan` and `@ifb` for the two devices, so that they can be
# held against those of an earlier start; at other line rates than those of the YAML where `rate` has set some.
described() {
    if [ -n "$rate_up" ]; then
        at_own_rates
        scaled "$state/base"
    else
        lines
    fi
}

lines() {
    real_dev=$dev real_ifb=$ifb
    dev=@wan ifb=@ifb
    up_tree
    up_leaves
    up_filters
    down_tree
    down_leaves
    down_filters
    hook_filters
    dev=$real_dev ifb=$real_ifb
}

up_leaves() { if [ "$leaves" = splitting ]; then up_leaves_splitting; else up_leaves_whole; fi; }
down_leaves() { if [ "$leaves" = splitting ]; then down_leaves_splitting; else down_leaves_whole; fi; }

# How leaves are made: where nothing can turn aggregates off, they must split them.
choose_leaves() {
    leaves=whole
    case $ethtool:$split_up$split_down in
    yes:* | *:nono) ;;
    *) leaves='splitting' ;;
    esac
}

# 0 where there is no such device, 1 where it is down, 2 where it is up.
upness() {
    [ -d "/sys/class/net/$1" ] || {
        echo 0
        return
    }
    read -r flags <"/sys/class/net/$1/flags"
    echo $((1 + (flags & 1)))
}

# The commands that bring this router from what it holds to what is described, in the order in which they run: `ip`
# before the first `tc` and after the last. Nothing is touched that is as it should be. A file may hold what is described.
steps() {
    # Where it is described no longer, what it was before us.
    queue='' want_queue=$txqueuelen
    [ -n "$want_queue" ] || want_queue=$(before txqueuelen)
    [ -z "$want_queue" ] || read -r queue <"/sys/class/net/$dev/tx_queue_len"
    given=${1-}
    # The record of the last start.
    set --
    if [ -r "$state/described" ]; then
        set -- "$@" part=was "$state/described"
        [ ! -r "$state/state" ] || set -- "$@" part=held "$state/state"
    fi
    {
        printf '%s\n' "$now"
        echo '== wanted'
        [ -n "$given" ] || described
    } | awk -v link="$link" -v wan="$dev" -v ifb1="$ifb1" -v ifb2="$ifb2" \
        -v up1="$(upness "$ifb1")" -v up2="$(upness "$ifb2")" \
        -v evict="$(evicted_parts)" -v hooked="$hook" -v hook_made="$(before hook)" -v needs_hook="$needs_hook" \
        -v queue="$queue" -v txqueuelen="$want_queue" -v root_bank="$root_bank" \
        -v ingress_pref="$ingress_pref" -v egress_pref="$egress_pref" -v hook_bank="$hook_bank" '
        # Four parts: what the last start described (was) and then found in the kernel (held), what the kernel holds
        # (now), and what is described (wanted). An object that is described as it was, and held as it was, stays.
        #
        # Filters stand in one of two banks of preferences, and a change fills the other one. Either way a packet is
        # always classified wholly by the old list or by a head of the new one: the lower bank is filled from its
        # first filter on and emptied from its last, and the end of a list takes everything.

        FNR == 1 { place = "hook"; pref = 0; object = "" }
        $1 == "==" { part = $2; next }
        part == "was" || part == "wanted" { read_line(part, $0); next }
        part == "held" || part == "now" { read_held(part) }

        END {
            np["@wan"] = hp["@wan"] = "wan"
            choose_ifb()
            links()
            if (evict ~ /hook/) { say("tc", "qdisc del dev " wan " " hooked, ""); forget("ingress"); forget("egress"); hooked = "" }
            if (needs_hook == "yes" && hooked == "") say("tc", "qdisc add dev " wan " clsact", origin["@wan"])
            if (target != "") direction("@ifb")
            direction("@wan")
            switch_bank("ingress", "ingress", "ingress")
            switch_bank("egress", "egress", "egress")
            if (needs_hook != "yes" && hooked != "" && hook_made == "made") say("tc", "qdisc del dev " wan " " hooked, origin["@wan"])
            for (i = 1; i <= 2; i++) if (there[i] && name[i] != target) say("ip", "link del dev " name[i], origin["@wan"])
        }

        function say(tool, words, from) {
            gsub(/@wan/, wan, words)
            if (index(words, "@ifb")) gsub(/@ifb/, target, words)
            if (index(words, "  ")) gsub(/  +/, " ", words)
            print tool " " words (from == "" ? "" : " # " from)
        }

        # --- reading

        function read_line(s, line,    at, from, role, list) {
            at = index(line, " # ")
            from = substr(line, at + 3)
            line = substr(line, 1, at - 1)
            role = $4
            if ($1 == "qdisc" && $5 == "root") {
                root[s, role] = line
                if (s == "wanted") origin[role] = from
            } else if ($1 == "class") {
                class[s, role, $8] = line
                parent[s, role, $8] = $6
                kids[s, role, $6]++
                order[s, role, ++count[s, role]] = $8
                whence[s, role, $8] = from
            } else if ($1 == "qdisc") {
                leaf[s, role, $6] = line
                leaf_whence[s, role, $6] = from
            } else if ($1 == "filter") {
                list = $5 == "parent" ? role : $5 (role ~ /^@/ ? "" : " " role)
                filter[s, list, ++filters[s, list]] = line
                filter_whence[s, list, filters[s, list]] = from
            }
        }

        # What tc shows: the hooks, then each device from its root on.
        function read_held(s,    i, line) {
            if ($1 == "qdisc" && $4 == "root") {
                place = place == "hook" ? "wan" : place == "wan" ? "first" : "second"
                object = "root"
                root[s, place] = $0
            } else if ($1 == "qdisc") {
                object = ""
                if ($4 == "parent" && $2 != "clsact" && $2 != "ingress") {
                    object = "leaf"
                    held_leaf = $5
                    leaf[s, place, $5] = $0
                }
            } else if ($1 == "class") {
                object = "class"
                class[s, place, $3] = $0
                parent[s, place, $3] = $4 == "root" ? "c05:" : $5
                kids[s, place, parent[s, place, $3]]++
                order[s, place, ++count[s, place]] = $3
            } else if ($1 == "filter") {
                object = "filter"
                for (i = 2; i < NF; i++) if ($i == "pref") pref = $(i + 1)
                find_bank()
                if (list != "" && !((s, list, bank, pref) in seen)) {
                    seen[s, list, bank, pref] = 1
                    prefs[s, list, bank, ++pref_count[s, list, bank]] = pref
                }
                keep_filter(s)
            } else if (/^[^ \t]/) {
                object = ""
            } else if (object == "root") {
                if ($1 == "linklayer") stab[s, place] = $0
            } else if (object == "filter") {
                keep_filter(s)
            }
        }

        function find_bank(    i) {
            list = ""
            if (place != "hook" && place !~ /^ingress /) {
                list = place
                bank = 1 + (pref > root_bank)
                return
            }
            bank = 1 + (pref >= ingress_pref + hook_bank)
            i = pref - (bank - 1) * hook_bank
            if (i >= ingress_pref && i < egress_pref) list = place == "hook" ? "ingress" : place
            else if (place == "hook" && i >= egress_pref && i < egress_pref + egress_pref - ingress_pref) list = "egress"
        }

        # A line of a filter without its preference and the numbers of u32 tables, which another bank has, too.
        function keep_filter(s,    line) {
            if (list == "") return
            line = $0
            sub(/ pref [0-9]+ /, " ", line)
            gsub(/ (fh|ht) 8[0-9a-f]*:?/, " ", line)
            held[s, list, bank, ++held_count[s, list, bank]] = line
            if (list == "ingress" && match(line, /Redirect to device [^)]*/)) redirect[s, bank] = substr(line, RSTART + 19, RLENGTH - 19)
        }

        function forget(list) {
            pref_count["now", list, 1] = pref_count["now", list, 2] = 0
        }

        # --- devices

        # The bank that packets meet: the lower one once its last filter is there.
        function bank_in_force(list,    last) {
            last = list ~ /^ingress/ ? egress_pref - 1 : root_bank
            if (pref_count["now", list, 1] && (!pref_count["now", list, 2] || ("now", list, 1, last) in seen)) return 1
            return pref_count["now", list, 2] ? 2 : 0
        }

        # Downloads go through the ifb that they go through now, unless its root must be made anew: then through the
        # other one, and the redirect is switched when everything there is ready.
        function choose_ifb(    i, now_on) {
            name[1] = ifb1; name[2] = ifb2
            there[1] = up1; there[2] = up2
            # They were shown in this order.
            place_of[1] = up1 ? "first" : "nothing"
            place_of[2] = !up2 ? "nothing" : up1 ? "second" : "first"
            target = ""
            if (!(("wanted", "@ifb") in root)) return
            now_on = bank_in_force("ingress")
            now_on = now_on ? redirect["now", now_on] : ""
            for (i = 1; i <= 2; i++) if (name[i] == now_on && there[i] && evict !~ /hook/) {
                target_number = root_fits("@ifb", place_of[i]) ? i : 3 - i
            }
            for (i = 1; i <= 2; i++) if (!target_number && there[i] && root_fits("@ifb", place_of[i])) target_number = i
            if (!target_number) target_number = 1
            target = name[target_number]
            np["@ifb"] = place_of[target_number]
            hp["@ifb"] = "first"
            redirect_moves = now_on != target
        }

        function links() {
            if (target != "" && !there[target_number]) say("ip", "link add name " target " type ifb", origin["@ifb"])
            if (target != "" && there[target_number] < 2) say("ip", "link set dev " target " txqueuelen 1000 alias qosc-" link " up", origin["@ifb"])
            if (txqueuelen != "" && txqueuelen != queue) say("ip", "link set dev " wan " txqueuelen " txqueuelen, origin["@wan"])
        }


        # --- one direction

        # Whether the root is ours with all that only its creation can set.
        function root_fits(role, place,    want, shown) {
            want = root["wanted", role]
            shown = root["now", place]
            # CAKE changes all but whom it keeps apart, which its counters do not survive.
            if (is_cake(want)) return shown ~ /^qdisc cake c05: root/ && isolation(shown) == isolation(want)
            if (shown !~ /^qdisc htb c05: root/) return 0
            if (option(shown, "direct_qlen") != option(want, "direct_qlen") || option(shown, "r2q") != option(want, "r2q")) return 0
            if (option(shown, "default") !~ /^(0x)?0$/) return 0
            return (want ~ / stab / ? option(want, "overhead") : "") == (stab["now", place] == "" ? "" : option(stab["now", place], "overhead"))
        }

        function is_cake(line) { return index(line, " root handle c05: cake ") }

        function same_root(role, n) {
            return root["was", role] == root["wanted", role] && root["held", hp[role]] == root["now", n]
        }

        function option(line, word,    words, n, i) {
            n = split(line, words, " ")
            for (i = 1; i < n; i++) if (words[i] == word) return words[i + 1]
            return ""
        }

        function direction(role,    i, id, n, phased, force) {
            n = np[role]
            if (!root_fits(role, n)) {
                if (root["now", n] ~ /^qdisc (htb|cake) c05: root/) say("tc", "qdisc del dev " role " root", origin[role])
                say("tc", root["wanted", role], origin[role])
                n = "nothing"
            } else if (is_cake(root["wanted", role]) && !same_root(role, n)) {
                say("tc", begin(root["wanted", role], "qdisc replace", "qdisc change"), origin[role])
            }
            # With filters in force, classes go last. But where a class changes its place in the tree, or a leaf gets
            # classes or loses them, nothing may point at it meanwhile: that takes a way of its own so long.
            force = bank_in_force(n)
            phased = force && disturbed_any(role, n)
            if (phased) detour(role, n, force)
            if (phased || !force) delete_classes(role, n, phased)
            for (i = 1; i <= count["wanted", role]; i++) {
                id = order["wanted", role, i]
                if (!(("now", n, id) in class)) {
                    say("tc", class["wanted", role, id], whence["wanted", role, id])
                } else if (!same_class(role, n, id)) {
                    say("tc", begin(class["wanted", role, id], "class add", "class change"), whence["wanted", role, id])
                }
            }
            for (i = 1; i <= count["wanted", role]; i++) {
                id = order["wanted", role, i]
                if (("wanted", role, id) in leaf) put_leaf(role, n, id)
            }
            if (phased) {
                add_bank(role, force, 0)
                drop(role, wanted_prefs(role, 3 - force))
                say("tc", "class del dev " role " classid c05:2", origin[role])
            } else {
                switch_bank(role, n, hp[role])
                delete_classes(role, n, 0)
            }
        }

        # The line with another beginning.
        function begin(line, from, to) {
            return to substr(line, length(from) + 1)
        }

        # The kernel takes no priority and no quantum of a class with classes in it: one that loses them is told again.
        function same_class(role, n, id) {
            if (kids["now", n, id] && !kids["wanted", role, id]) return 0
            return (("was", role, id) in class) && class["was", role, id] == class["wanted", role, id] &&
                class["held", hp[role], id] == class["now", n, id]
        }

        # A class that must be deleted and made again: it stands elsewhere in the tree, or in one that does.
        function remade(role, n, id) {
            if (!(("wanted", role, id) in class) || !(("now", n, id) in class)) return 0
            return parent["wanted", role, id] != parent["now", n, id] || remade(role, n, parent["now", n, id])
        }

        # A class that no packet may be sent to while the tree changes.
        function disturbed(role, n, id) {
            if (id == "c05:1" || !(("wanted", role, id) in class)) return 0
            return remade(role, n, id) || !kids["now", n, id] != !kids["wanted", role, id]
        }

        function disturbed_any(role, n,    i) {
            for (i = 1; i <= count["now", n]; i++) if (disturbed(role, n, order["now", n, i])) return 1
            return 0
        }

        function detour(role, n, force,    line) {
            drop(role, now_prefs(n, 3 - force))
            line = class["wanted", role, "c05:1"]
            sub(/parent c05: classid c05:1/, "parent c05:1 classid c05:2", line)
            if (("now", n, "c05:2") in class) line = begin(line, "class add", "class change")
            say("tc", line, whence["wanted", role, "c05:1"] ", while classes move")
            add_bank(role, 3 - force, n)
            drop(role, now_prefs(n, force))
        }

        # Children first. Whatever named them is gone by now.
        function delete_classes(role, n, keep_detour,    i, id) {
            for (i = 1; i <= count["now", n]; i++) {
                id = order["now", n, i]
                if (id == "c05:2" && keep_detour) continue
                if (!(("wanted", role, id) in class) || remade(role, n, id)) delete_class(role, n, id)
            }
            for (i = 1; i <= count["now", n]; i++) {
                id = order["now", n, i]
                if (gone[n, id]) delete class["now", n, id]
            }
        }

        function delete_class(role, n, id,    i, kid) {
            if (gone[n, id]) return
            gone[n, id] = 1
            for (i = 1; i <= count["now", n]; i++) {
                kid = order["now", n, i]
                if (parent["now", n, kid] == id) delete_class(role, n, kid)
            }
            say("tc", "class del dev " role " classid " id, origin[role] ", without " name_of(role, id))
        }

        # What an earlier start called a class.
        function name_of(role, id,    name) {
            if (!(("was", role, id) in whence)) return id
            name = whence["was", role, id]
            sub(/ \([^(]*\)$/, "", name)
            return name
        }

        # A queue keeps its packets while it keeps its kind, its number of flows, and whom it counts.
        function put_leaf(role, n, id,    want, held, words, w) {
            want = leaf["wanted", role, id]
            if (gone[n, id] || !(("now", n, id) in leaf)) {
                say("tc", want, leaf_whence["wanted", role, id])
                return
            }
            held = leaf["now", n, id]
            if (leaf["was", role, id] == want && leaf["held", hp[role], id] == held) return
            split(held, words, " ")
            split(want, w, " ")
            if (words[2] == w[9] && words[3] == w[8] && (w[9] != "fq_codel" || option(held, "flows") == option(want, "flows")) && (w[9] != "cake" || isolation(held) == isolation(want))) {
                if (w[9] == "fq_codel") sub(/ flows [0-9]+/, "", want)
                say("tc", begin(want, "qdisc add", "qdisc change"), leaf_whence["wanted", role, id])
            } else {
                say("tc", "qdisc del dev " role " parent " id, leaf_whence["wanted", role, id])
                say("tc", want, leaf_whence["wanted", role, id])
            }
        }

        # Who gets the same in a CAKE. Changed in place, it would count those wrongly that are there already.
        function isolation(line) {
            return match(line " ", / (flows|dual-srchost|dual-dsthost) /) ? substr(line, RSTART, RLENGTH - 1) : ""
        }

        # --- filters

        function switch_bank(list, n, h,    force) {
            force = bank_in_force(n)
            # What a start that was killed has left.
            if (force) drop(list, now_prefs(n, 3 - force))
            if (force && same_bank(list, n, h, force)) return
            add_bank(list, force == 1 ? 2 : 1, 0)
            if (force) drop(list, now_prefs(n, force))
        }

        function same_bank(list, n, h, force,    i, other) {
            if (list ~ /^ingress/ && redirect_moves) return 0
            if (filters["was", list] != filters["wanted", list]) return 0
            for (i = 1; i <= filters["wanted", list]; i++) if (filter["was", list, i] != filter["wanted", list, i]) return 0
            other = pref_count["held", h, 1] ? 1 : 2
            if (held_count["held", h, other] != held_count["now", n, force]) return 0
            for (i = 1; i <= held_count["now", n, force]; i++) if (held["held", h, other, i] != held["now", n, force, i]) return 0
            return 1
        }

        # In the order in which they are asked. Where the tree `n` is on the move, what goes to a class that is not in
        # its place takes the detour.
        function add_bank(list, bank, n,    i, line, words) {
            for (i = 1; i <= filters["wanted", list]; i++) {
                line = shifted(filter["wanted", list, i], list, bank)
                if (n && match(line, / flowid c05:[0-9a-f]+/)) {
                    split(substr(line, RSTART, RLENGTH), words, " ")
                    if (!(("now", n, words[2]) in class) || kids["now", n, words[2]] || disturbed(list, n, words[2]))
                        line = substr(line, 1, RSTART) "flowid c05:2" substr(line, RSTART + RLENGTH)
                }
                say("tc", line, filter_whence["wanted", list, i])
            }
        }

        function shifted(line, list, bank,    at) {
            if (bank == 1 || !match(line, / pref [0-9]+/)) return line
            at = substr(line, RSTART + 6, RLENGTH - 6) + (list ~ /^@/ ? root_bank : hook_bank)
            return substr(line, 1, RSTART) "pref " at substr(line, RSTART + RLENGTH)
        }

        function now_prefs(n, bank,    i, all) {
            all = ""
            for (i = 1; i <= pref_count["now", n, bank]; i++) all = all prefs["now", n, bank, i] " "
            return all
        }

        function wanted_prefs(list, bank,    i, line, last, all) {
            all = ""
            for (i = 1; i <= filters["wanted", list]; i++) {
                line = shifted(filter["wanted", list, i], list, bank)
                match(line, / pref [0-9]+/)
                line = substr(line, RSTART + 6, RLENGTH - 6)
                if (line != last) all = all line " "
                last = line
            }
            return all
        }

        # The last first: what it took goes where it will go from now on, and what those before it take stays so long.
        function drop(list, numbers,    n, i, role, words) {
            role = list ~ /^@/ ? list : list ~ /^ingress / ? substr(list, 9) : "@wan"
            n = split(numbers, words, " ")
            for (i = n; i > 0; i--) {
                say("tc", "filter del dev " role (list ~ /^@/ ? " parent c05:" : list ~ /^ingress/ ? " ingress" : " egress") " pref " words[i], origin[role] ", filters of before")
            }
        }
        ' "$@" part=now - ${given:+"$given"}
}

# The same, kept for a start that runs them. What is described is told once: it is the record when all went well.
take_steps() {
    described >"$state/described.new"
    steps "$state/described.new" >"$state/steps"
}

# --- the way there ------------------------------------------------------------------------------------------------

# Everything of ours that `survey` found, as lines for tc: the way in first, so that no packet is sent to a device that
# is going. A root that was someone's comes back in the same step that takes ours away.
removal() {
    for entry in $our_prefs; do
        echo "filter del dev $dev ${entry%%:*} pref ${entry#*:}"
    done
    case $ours in
    *root*)
        words=$1
        case $words in
        '' | default) echo "qdisc del dev $dev root" ;;
        *) echo "qdisc replace dev $dev root $words" ;;
        esac
        ;;
    esac
}

# The parts of what is there that `--take-over` takes away. A root goes as ours comes.
evicted_parts() {
    case $foreign in
    *"at the ingress"*) echo hook ;;
    esac
}

# The settings that are not as described: path and value.
sysctls_off() {
    sysctls | while read -r path value; do
        [ "$(tr '\t' ' ' 2>/dev/null <"/proc/sys/$path")" = "$value" ] || echo "$path $value"
    done
}

# The settings of an earlier start that are described no longer: path, and the value before us.
sysctls_left() {
    grep -s '^sysctl ' "$state/before" | while read -r _ path value; do
        sysctls | grep -q "^$path " || others "sysctl $path " >/dev/null || echo "$path $value"
    done
}

# Sets `LINES of PATH VALUE`.
set_sysctls() {
    [ -n "$1" ] || return 0
    printf '%s\n' "$1" | while read -r path value; do
        [ -z "$path" ] || printf '%s\n' "$value" >"/proc/sys/$path" || warn "could not set $path to $value"
    done
}

# What an earlier start set and this one does not: back to what it was before us.
forget_settings() {
    [ -r "$state/before" ] || return 0
    sysctls=$(sysctls_left)
    set_sysctls "$sysctls"
    back=$(aggregates_left)
    switch_features "$back" on
    queue_left='' marks_gone=''
    [ -n "$txqueuelen" ] || queue_left=$(before txqueuelen)
    [ "$has_marks" = yes ] || marks_gone=$(before marks)
    [ -n "$sysctls$back$queue_left$marks_gone" ] || return 0
    {
        printf '%s\n' "$sysctls" | sed -n 's/^./sysctl &/p'
        printf '%s\n' "$back" | sed -n 's/^./offload &/p'
        [ -z "$queue_left" ] || echo "txqueuelen $queue_left"
        [ -z "$marks_gone" ] || echo "marks $marks_gone"
    } >"$state/left"
    grep -vxFf "$state/left" "$state/before" >"$state/before.new"
    mv "$state/before.new" "$state/before"
    rm -f "$state/left"
}

# Runs a batch, and on a refusal says which step it was. The comment at the end of each line names the YAML.
run_batch() {
    words=$("$1" -batch "$2" 2>&1) && return 0
    fail "$3"
    refused=''
    case $words in
    *"$2":*)
        number=${words##*"$2":}
        refused=$(sed -n "${number%%[!0-9]*}p" "$2")
        printf '  %s %s\n' "$1" "$refused" >&2
        ;;
    esac
    # Of a usage text, what comes before it says enough.
    printf '%s\n' "$words" | sed -e '/^Command failed /d' -e '/^We have an error/d' -e '/^Usage/,$d' -e 's/^/  /' >&2
    return 1
}

# What still waits in an ifb that is about to go leaves first: nothing comes in there any more. Two seconds at most.
drain() {
    for device in "$ifb1" "$ifb2"; do
        grep -q "^link del dev $device " "$state/batch" || continue
        tries=2
        while [ $tries -gt 0 ]; do
            case $(tc -s qdisc show dev "$device" root 2>/dev/null) in
            *'backlog 0b 0p'* | '') break ;;
            esac
            sleep 1
            tries=$((tries - 1))
        done
    done
}

# The commands of `steps` for ip, before the first of tc; those for tc; and those for ip after them.
ip_first() { sed -n -e '/^tc /q' -e 's/^ip //p' "$state/steps"; }
tc_all() { sed -n 's/^tc //p' "$state/steps"; }
ip_last() { sed -n '/^tc /,$s/^ip //p' "$state/steps"; }

# --- before the first change --------------------------------------------------------------------------------------

# Everything that this kernel must be able to do is tried once, with our options, on an ifb of our own that no packet
# ever reaches, and which is gone again when this returns.
preflight() {
    for tool in tc ip awk sed sort grep; do
        command -v "$tool" >/dev/null || die "$tool is missing (Debian: iproute2, sed, coreutils, grep; OpenWrt: tc-full, ip-full)"
    done
    if [ ! -d /sys/module/ifb ] && [ ! -d "/sys/class/net/$ifb1" ]; then
        # With numifbs=0: a first ifb would otherwise bring ifb0 and ifb1 with it, and they would stay.
        modprobe ifb numifbs=0 2>/dev/null || insmod ifb numifbs=0 2>/dev/null
    fi

    probe=ifbp-$link
    {
        [ ! -d "/sys/class/net/$probe" ] || echo "link del dev $probe"
        echo "link add name $probe type ifb"
    } >"$state/batch"
    run_batch ip "$state/batch" "this kernel cannot make an ifb (module ifb; OpenWrt: kmod-ifb)" || exit 1
    if ! probe_all; then
        echo "link del dev $probe" | ip -batch -
        exit 1
    fi
    # The probe goes in the same batch that makes what is needed.
}

probe_all() {
    case $ours:$root_before in
    *root*:* | *:default) ;;
    *) probe_root "$root_before" || return 1 ;;
    esac
    { probe_tree && probe_leaves_$leaves && probe_rest; } >"$state/batch"
    if [ "$leaves" = splitting ]; then
        tc -batch "$state/batch" >/dev/null 2>&1 && return 0
        warn "no ethtool and no sch_cake here: aggregates of up to 64 KiB stay as they are, are charged their overhead once, and hold the line for as long as they take"
        leaves=whole
        printf 'qdisc del dev %s root\nqdisc del dev %s clsact\n' "$probe" "$probe" | tc -force -batch - >/dev/null 2>&1
        { probe_tree && probe_leaves_$leaves && probe_rest; } >"$state/batch"
    fi
    run_batch tc "$state/batch" "this kernel or this tc cannot do what is needed; nothing was changed" && return 0
    case $words in
    *"$state/batch":*) ;;
    *) name_refused ;;
    esac
    case $refused in
    *' cake '*) echo "  this class needs CAKE, which shares between hosts: module sch_cake (OpenWrt: kmod-sched-cake). Without it, give the class \`share: per-flow\` and no \`queue: cake\`" >&2 ;;
    esac
    return 1
}

# A tc that does not know a word gives up without naming the line: then each is tried alone.
name_refused() {
    printf 'qdisc del dev %s root\nqdisc del dev %s clsact\n' "$probe" "$probe" | tc -force -batch - >/dev/null 2>&1
    while IFS= read -r line; do
        printf '%s\n' "$line" | tc -batch - >/dev/null 2>&1 || {
            refused=$line
            printf '  tc %s\n' "$line" >&2
            return
        }
    done <"$state/batch"
}

# Whether the root that was there before us could be put back as it was.
probe_root() {
    shown=$(printf 'qdisc add dev %s root %s\nqdisc show dev %s\nqdisc del dev %s root\n' "$probe" "$1" "$probe" "$probe" |
        tc -d -batch - 2>/dev/null | normal)
    [ "$shown" = "$root${root_stab:+$newline$root_stab}" ] && return 0
    [ "$take_over" = no ] || return 0
    fail "the root qdisc of $dev could not be put back as it was on stop; --take-over goes on without:"
    printf '  %s\n' "$root" >&2
    return 1
}

# --- a trial ------------------------------------------------------------------------------------------------------

# `try` starts, and a process that outlives the terminal goes back to what was before, unless `confirm` comes in time.
# Kept meanwhile: `trial` (who goes back, when, and from which script), `trying` (that script), and `back` (the script
# to go back to; none where nothing of ours was there), with `back-rate` where that was at other line rates.

seconds_up() {
    read -r uptime _ </proc/uptime
    echo "${uptime%%.*}"
}

try() {
    [ "$take_over" = no ] || die "what --take-over removes does not come back, so it cannot be tried"
    prepare_start
    # A terminal that dies takes nothing with it.
    trap '' HUP
    [ ! -e "$state/trial" ] || die "there is a trial already: $(trial_left); confirm it, or stop"
    if in_place; then
        say "up to date: there is nothing to try"
        return 0
    fi
    cat "$0" >"$state/trying" 2>/dev/null
    grep -qsxF "digest='$digest'" "$state/trying" || die "$0 cannot be read again, which going back may need: call it by its path"
    rm -f "$state/back" "$state/back-rate"
    [ ! -r "$state/rate" ] || cat "$state/rate" >"$state/back-rate"
    [ ! -e "$state/state" ] || [ ! -r "$state/script" ] || cat "$state/script" >"$state/back"
    began=$(seconds_up)
    id=$$.$began
    cat >"$state/watch" <<WATCH
trap '' HUP
left=$1
while [ "\$left" -gt 0 ]; do
    sleep "\$left"
    read -r _ _ ends _ <'$state/trial' || exit 0
    read -r now _ </proc/uptime
    left=\$((ends - \${now%%.*}))
done
exec sh '$state/trying' --device '$dev' go-back $id
WATCH
    # The change may cut this very connection, so who goes back is there before it.
    if command -v setsid >/dev/null; then
        QOSC_RUN=$run setsid sh "$state/watch" </dev/null >/dev/null 2>&1 &
    else
        QOSC_RUN=$run sh "$state/watch" </dev/null >/dev/null 2>&1 &
    fi
    watcher=$!
    trial_until $((began + $1))
    on_trial=yes
    apply
    trial_until $(($(seconds_up) + $1))
    say "on trial: $(trial_left); \`confirm\` keeps it"
}

trial_until() {
    echo "$id $watcher $1 $digest" >"$state/trial.new"
    mv "$state/trial.new" "$state/trial"
}

# How long a trial has got.
trial_left() {
    read -r _ _ ends _ <"$state/trial"
    left=$((ends - $(seconds_up)))
    echo "it goes back in $((left > 0 ? left : 0)) s"
}

# The trial is over, whichever way.
end_trial() {
    [ -e "$state/trial" ] || return 0
    read -r id watcher _ <"$state/trial"
    rm -f "$state/trial" "$state/trying" "$state/back" "$state/back-rate" "$state/watch"
    [ "${1-}" = here ] || kill -- "-$watcher" 2>/dev/null || kill "$watcher" 2>/dev/null
    return 0
}

# Another script than the one on trial: whoever calls it has made up his mind.
leave_trial() {
    [ -e "$state/trial" ] && [ -z "${QOSC_LOCK-}" ] || return 0
    read -r _ _ _ tried <"$state/trial"
    [ "$tried" = "$digest" ] || end_trial
}

confirm() {
    take_lock
    [ -e "$state/trial" ] || die "there is no trial to confirm: it has gone back, or there was none"
    end_trial
    say "confirmed: it stays"
}

# What the process of `try` calls when time is up.
go_back() {
    take_lock
    [ -e "$state/trial" ] || return 0
    read -r id _ <"$state/trial"
    [ "$id" = "$1" ] || return 0
    if [ -r "$state/back" ] && put_back "$state/back" "$(cat "$state/back-rate" 2>/dev/null)"; then
        how="what was before is back"
    else
        same_device
        read_facts || ifindex=''
        prepare
        remove
        how="everything of ours was removed"
    fi
    end_trial here
    ! command -v logger >/dev/null || logger -t qosc "$link: the trial was not confirmed: $how"
}

# Another script's start, and its `rate` where it had been at other line rates.
put_back() {
    # shellcheck disable=SC2086 # two rates are two words
    again "$1" start && { [ -z "${2-}" ] || again "$1" rate $2; }
}

# A call of another script, under our lock.
again() {
    script=$1
    shift
    QOSC_LOCK=$(cat "$state/lock") QOSC_RUN=$run sh "$script" --device "$dev" "$@" >/dev/null
}

# --- other line rates than those of the YAML ----------------------------------------------------------------------

# A rate as the YAML writes it, such as `6.5mbit`: sets bps. False where it is none, and says why.
read_rate() {
    rest=${1#"${1%%[! ]*}"}
    number=${rest%%[!0-9.]*}
    unit=${rest#"$number"}
    unit=${unit#"${unit%%[! ]*}"}
    unit=${unit%"${unit##*[! ]}"}
    case $number in
    '' | .*)
        fail "'$1' is not a rate: it does not begin with a number; write a number and a unit, such as 6.5mbit"
        return 1
        ;;
    *.*.* | *.)
        fail "the number of the rate '$1' has a point too many"
        return 1
        ;;
    0[0-9]*)
        fail "the rate '$1' begins with a zero, which some programs read as octal"
        return 1
        ;;
    esac
    written=$unit
    case $unit in
    */[sS])
        unit=${unit%/?}
        unit=${unit%"${unit##*[! ]}"}
        ;;
    esac
    case $unit in
    [bB][iI][tT]) places=0 ;;
    [kK][bB][iI][tT]) places=3 ;;
    [mM][bB][iI][tT]) places=6 ;;
    [gG][bB][iI][tT]) places=9 ;;
    ,*)
        fail "the rate '$1' has a comma: decimals follow a point"
        return 1
        ;;
    '')
        fail "the rate '$1' has no unit: write ${number}mbit if megabits a second are meant"
        return 1
        ;;
    *[bB][pP][sS])
        fail "the rate '$1' means bytes a second to tc and bits a second to people: write bit, kbit, mbit or gbit"
        return 1
        ;;
    *)
        fail "the rate '$1' has the unknown unit '$written': the units are bit, kbit, mbit and gbit, powers of 1000"
        return 1
        ;;
    esac
    fraction=''
    case $number in
    *.*) fraction=${number#*.} number=${number%.*} ;;
    esac
    while :; do
        case $fraction in
        *0) fraction=${fraction%0} ;;
        *) break ;;
        esac
    done
    if [ ${#fraction} -gt "$places" ]; then
        fail "the rate '$1' is not a whole number of bits a second"
        return 1
    fi
    while [ ${#fraction} -lt "$places" ]; do fraction=${fraction}0; done
    bps=$number$fraction
    # Without zeros in front, for shells that read octal.
    while :; do
        case $bps in
        0?*) bps=${bps#0} ;;
        *) break ;;
        esac
    done
    if [ ${#bps} -gt 13 ] || [ "$bps" -gt 1000000000000 ]; then
        fail "the rate '$1' is above 1000gbit, the largest; check the unit"
        return 1
    fi
    if [ "$bps" = 0 ]; then
        fail "at the rate '$1' the line carries nothing"
        return 1
    fi
}

# A rate in bit/s as people write it, in the largest unit that takes at most three decimals: sets spoken.
speak_rate() {
    step=1 unit=bit
    for larger in 1000:kbit 1000000:mbit 1000000000:gbit; do
        if [ "$1" -lt "${larger%:*}" ] || [ $(($1 % (${larger%:*} / 1000))) != 0 ]; then break; fi
        step=${larger%:*} unit=${larger#*:}
    done
    decimals=$((1000 + $1 % step * 1000 / step))
    decimals=.${decimals#1}
    while :; do
        case $decimals in
        *0 | .) decimals=${decimals%?} ;;
        *) break ;;
        esac
    done
    spoken=$(($1 / step))$decimals$unit
}

# The lines of `shares`, and then those that are described: prints the latter with the numbers for the line rates in force.
#
# The formulas are those that qosc has computed the YAML's own numbers with, and what is given there stays. Where the
# YAML would be refused at these rates, it is made to fit: no rate is below 8000 bit/s, no ceiling above that of the
# parent, no guarantee above its own ceiling; and where the guarantees of a parent are together more than it has, each
# keeps 8000 bit/s, and what is above that shrinks in proportion.
scaled() {
    awk -v rate_up="${rate_up%bit}" -v rate_down="${rate_down%bit}" '
        # awk has 53 bits for a whole number, and some no more than 31 to print one: products are taken apart so
        # that they fit, and every number goes through text().

        function text(x) { return sprintf("%.0f", x) }
        function div(a, b) { return (a - a % b) / b }
        function max(a, b) { return a > b ? a : b }
        function min(a, b) { return a < b ? a : b }
        function within(x, low, high) { return min(max(x, low), high) }

        # a x n / d, rounded down, for n and d up to 65,000,000.
        function part(a, n, d,    whole) {
            whole = div(a, d)
            return whole * n + div((a - whole * d) * n, d)
        }

        # The same for any n and for a up to d: long division.
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

        # What is asked for: `=N` itself, `%N` so many millionths of something, `-` what follows from other numbers.
        function asked(word, of, otherwise) {
            if (word ~ /^=/) return substr(word, 2) + 0
            if (word ~ /^%/) return part(of, substr(word, 2) + 0, 1000000)
            return otherwise
        }

        $1 == "#" { next }
        $1 == "share" { read_share(); next }
        { kept[++lines] = $0 }
        $1 == "filter" { read_indexes() }

        END {
            if ("up" in full) direction("up", rate_up + 0)
            if ("down" in full) direction("down", rate_down + 0)
            for (i = 1; i <= lines; i++) print scaled_line(kept[i])
        }

        function read_share(    i) {
            if ($3 == "line") {
                numerator[$2] = $4; denominator[$2] = $5; full[$2] = $6; frame[$2] = $7; turn[$2] = $8; least[$2] = $9
                for (i = 10; i <= NF; i++) aside[$2, ++asides[$2]] = $i
            } else if ($3 == "class") {
                class[$2, ++classes[$2]] = $4
                kid[$2, $5, ++kids[$2, $5]] = $4
                wish[$2, $4] = $6
                bound[$2, $4] = $7
                queue[$2, $4] = $8
                for (i = 9; i <= 13; i++) option[$2, $4, i - 8] = $i
            } else {
                police_rate[$2, $4] = $5
                police_burst[$2, $4] = $6
                police[$2, ++polices[$2]] = $4
            }
        }

        function read_indexes(    i) {
            for (i = 2; i < NF; i++) if ($i == "index") taken[$(i + 1)] = 1
        }

        function direction(way, rate,    i, shaped) {
            shaped = max(part(rate, numerator[way], denominator[way]), 8000)
            tree[way] = shaped
            for (i = 1; i <= asides[way]; i++) tree[way] -= asked(aside[way, i], shaped)
            tree[way] = max(tree[way], 8000)
            guarantee[way, "c05:1"] = ceiling[way, "c05:1"] = tree[way]
            share_out(way, "c05:1")
            for (i = 1; i <= classes[way]; i++) share_out(way, class[way, i])
            for (i = 1; i <= polices[way]; i++) cap(way, police[way, i], shaped)
        }

        function share_out(way, parent,    i, id, n, whole, sum, others, room, extra, over, bare) {
            n = kids[way, parent] + 0
            whole = guarantee[way, parent]
            sum = others = 0
            for (i = 1; i <= n; i++) {
                id = kid[way, parent, i]
                ceiling[way, id] = within(asked(bound[way, id], ceiling[way, parent], ceiling[way, parent]), 8000, ceiling[way, parent])
                if (wish[way, id] ~ /^-/) { weight[id] = max(substr(wish[way, id], 2) + 0, 1); others += weight[id]; continue }
                guarantee[way, id] = within(asked(wish[way, id], whole), 8000, ceiling[way, id])
                sum += guarantee[way, id]
            }
            # A host that asks for nothing lives of what it borrows.
            bare = n && wish[way, kid[way, parent, n]] ~ /^-[0-9]/ ? 100 : 8000
            room = whole - others * bare
            if (sum > room) {
                # What there is above 8000 for each, and what is asked for above that.
                extra = max(room - (n - others) * 8000, 0)
                over = sum - (n - others) * 8000
                sum = 0
                for (i = 1; i <= n; i++) {
                    id = kid[way, parent, i]
                    if (wish[way, id] ~ /^-/) continue
                    if (over > 0) guarantee[way, id] = 8000 + wide(guarantee[way, id] - 8000, extra, over)
                    sum += guarantee[way, id]
                }
            }
            for (i = 1; i <= n; i++) {
                id = kid[way, parent, i]
                if (wish[way, id] ~ /^-/) guarantee[way, id] = min(max(part(max(whole - sum, 0), weight[id], others), bare), ceiling[way, id])
            }
        }

        # --- lines

        # The options come before the name, which may hold anything.
        function scaled_line(line,    at, rest) {
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

        function bucket(way, rate) { return text(min(max(bytes_in(rate, 1000), full[way]), 4294967295)) }

        function scaled_class(line, way, id,    g, c) {
            if (!((way, id) in guarantee)) return line
            g = guarantee[way, id]; c = ceiling[way, id]
            line = put(line, "rate", text(g) "bit")
            line = put(line, "ceil", text(c) "bit")
            line = put(line, "burst", bucket(way, g))
            line = put(line, "cburst", bucket(way, c))
            return put(line, "quantum", text(min(max(bytes_in(g, 1000), turn[way]), 2147483647)))
        }

        # A CAKE that schedules the direction.
        function scaled_cake(line, way,    rtt) {
            match(line, / rtt [0-9]+us /)
            rtt = substr(line, RSTART + 5, RLENGTH - 8) + 0
            line = put(line, "bandwidth", text(tree[way]) "bit")
            return put(line, "memlimit", text(within(bytes_in(tree[way], 4 * rtt), 4194304, 33554432)))
        }

        function packets(way, rate, us) { return div(bytes_in(rate, us), full[way]) }
        function most_packets(way, rate, interval) { return within(packets(way, rate, 2 * interval), 1000, 20000) }
        function memory(limit) { return within(limit * 2304, 1048576, 33554432) }

        function scaled_leaf(line, way, id, kind,    c, target, interval, limit, bytes) {
            if (!((way, id) in queue)) return line
            c = ceiling[way, id]
            if (queue[way, id] == "fq_codel") {
                target = asked(option[way, id, 1], 0, max(5000, time_for(div(full[way] * 3 + 1, 2), c)))
                interval = asked(option[way, id, 2], 0, target <= 5000 ? 100000 : max(100000 + target - 5000, 2 * target))
                limit = asked(option[way, id, 3], 0, most_packets(way, c, interval))
                bytes = asked(option[way, id, 5], 0, memory(limit))
                # Where aggregates cannot be turned off, CAKE stands in for it.
                if (kind == "cake") return put(line, "memlimit", text(bytes))
                line = put(line, "limit", text(limit))
                line = put(line, "quantum", text(asked(option[way, id, 4], 0, tree[way] < 100000000 ? 300 : frame[way])))
                line = put(line, "target", text(target) "us")
                line = put(line, "interval", text(interval) "us")
                return put(line, "memory_limit", text(bytes))
            }
            if (queue[way, id] == "cake") {
                interval = asked(option[way, id, 1], 0, within(time_for(full[way] * 160, c), 100000, 1000000))
                line = put(line, "rtt", text(interval) "us")
                interval = max(interval, 100000)
                line = put(line, "bandwidth", text(c) "bit")
                return put(line, "memlimit", text(memory(most_packets(way, c, interval))))
            }
            return put(line, "limit", text(asked(option[way, id, 1], 0, within(packets(way, c, 100000), 16, 10000))))
        }

        function cap(way, number, shaped,    rate, most) {
            rate = max(asked(police_rate[way, number], shaped, tree[way]), 8000)
            most = max(bytes_in(100000000, 250000), bytes_in(rate, 50000))
            cap_rate[number] = text(rate)
            cap_burst[number] = text(asked(police_burst[way, number], 0, min(max(min(bytes_in(rate, 250000), most), least[way]), 4294967295)))
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

        # A filter that names a police which is there takes that with its old rate, so another rate is another number:
        # odd, below 2^31, and the same for the same rate.
        function renumbered(number,    n) {
            if (number in new_number) return new_number[number]
            n = (number * 69621 + cap_rate[number] % 2147483647) % 2147483647
            n = ((n * 69621 + cap_burst[number]) % 2147483647 * 69621) % 2147483647
            n = n - n % 2 + 1
            while (text(n) in taken) n = (n + 2) % 2147483648
            taken[text(n)] = 1
            return new_number[number] = text(n)
        }
        ' "$@"
}

# What the call is given.
take_rates() {
    if [ $# -lt 3 ]; then
        usage >&2
        exit 2
    fi
    read_rate "$2" || exit 2
    rate_up=${bps}bit
    read_rate "$3" || exit 2
    rate_down=${bps}bit
}

# The line rates in force, where they are not those of the YAML.
rates() {
    [ ! -r "$state/rate" ] || cat "$state/rate"
}

# ` at rate UP up and DOWN down` where the last call that changed something was a `rate`.
at_rates() {
    [ -r "$state/rate" ] || return 0
    read -r rate_up rate_down <"$state/rate"
    speak_rate "${rate_up%bit}"
    printf ' at rate %s up' "$spoken"
    speak_rate "${rate_down%bit}"
    printf ' and %s down' "$spoken"
}

# The file `base`: the lines at the rates of the YAML, and before them how their numbers follow from these. Made once
# after a start, so that a `rate` need not.
at_own_rates() {
    made="# ${now%%"$newline"*}, leaves $leaves${through:+, $through}" first=''
    [ ! -r "$state/base" ] || read -r first <"$state/base"
    [ "$first" != "$made" ] || return 0
    {
        echo "$made"
        shares
        lines
    } >"$state/base.new"
    mv "$state/base.new" "$state/base"
}

# Brings the tree to $rate_up and $rate_down, in place. Whoever follows a line whose rate changes calls this ten times a
# second, so it starts no process that it can do without.
set_rates() {
    same_device
    read_facts || die "there is no device $dev"
    prepare
    take_lock
    look || exit 1
    held=$(cat "$state/state" 2>/dev/null)
    if [ "${held%%"$newline"*}" != "${now%%"$newline"*}" ]; then
        die "$dev is not as this script has started it: start first"
    fi
    if [ "$held" = "$now" ]; then
        hook='' foreign='' ours=' root'
        case $now in
        *"qdisc clsact ffff:"*) hook=clsact ;;
        *"qdisc ingress ffff:"*) hook=ingress ;;
        esac
    else
        survey
        [ -z "$foreign" ] || die "not ours, so nothing was changed:$foreign"
    fi
    choose_leaves
    # As the start has found: without CAKE, they stay whole.
    if [ "$leaves" = splitting ] && ! grep -q '^qdisc [^#]* cake ' "$state/described"; then leaves=whole; fi
    take_steps
    if [ "$held" != "$now" ] && grep -q '^ip ' "$state/steps"; then
        die "the devices are not as start has left them: start first"
    fi
    tc_all >"$state/program"
    if [ -s "$state/program" ]; then
        rm -f "$state/state"
        run_batch tc "$state/program" "the kernel refused a step" || undo
        look || undo
    fi
    mv "$state/described.new" "$state/described"
    echo "$rate_up $rate_down" >"$state/rate"
    printf '%s\n' "$now" >"$state/state"
    say "scaled$(at_rates)"
}

rate_up='' rate_down=''
newline='
'

# --- the calls ----------------------------------------------------------------------------------------------------

# The device of the last start, by its number: it may have another name by now. Nothing where there is none.
last_device() {
    last=$(before device) || return 1
    for device in "${last% *}" /sys/class/net/*; do
        device=${device##*/}
        number=
        read -r number 2>/dev/null <"/sys/class/net/$device/ifindex"
        if [ "$number" = "${last##* }" ]; then
            echo "$device"
            return 0
        fi
    done
    # Gone, and perhaps another of that name has come: what it was called is all that is left.
    echo "${last% *}"
}

# Unless the caller names a device, `stop` and `status` are about that of the last start.
same_device() {
    [ "$named" = no ] || return 0
    last=$(last_device) && dev=$last
}

# A start on another device than the last one leaves nothing on that. True when there was something to leave.
leave_device() {
    last=$(last_device) || return 1
    [ "$last" != "$dev" ] || return 1
    wanted=$dev dev=$last
    if read_facts; then
        remove
        say "stopped on $last"
    fi
    dev=$wanted
}

prepare() {
    read -r boot </proc/sys/kernel/random/boot_id
    ethtool=no
    command -v ethtool >/dev/null && ethtool=yes
    command -v tc >/dev/null || die "tc is missing (Debian: iproute2, OpenWrt: tc-full)"
}

# Another link whose script has started on our device since this router did.
rival() {
    for record in "$run"/*/before; do
        [ "$record" != "$state/before" ] || continue
        grep -qsx -- "device $dev $ifindex" "$record" || continue
        grep -qsx -- "boot $boot" "$record" || continue
        record=${record%/before}
        echo "${record##*/}"
    done
}

prepare_start() {
    [ "$named" = yes ] || [ -d "/sys/class/net/$dev" ] || same_device
    [ -d "/sys/class/net/$dev" ] || die "there is no device $dev"
    prepare
    take_lock
    read_facts
    look || exit 1
    late=$(aggregates)
}

# Whether start has nothing to do.
in_place() {
    [ "$(recorded)" = "$now" ] && [ -z "$late" ] && [ ! -e "$state/rate" ]
}

start() {
    prepare_start
    leave_trial
    apply
}

# From whatever is there to what is described.
apply() {
    if [ "$(recorded)" = "$now" ] && [ ! -e "$state/rate" ]; then
        [ ! -d "/sys/class/net/ifbp-$link" ] || echo "link del dev ifbp-$link" | ip -batch -
        if [ -z "$late" ]; then
            say "up to date"
        else
            aggregates_off "$late"
            say "up to date; turned off what makes aggregates on: $(printf '%s\n' "$late" | sed 's/ .*//' | sort -u | tr '\n' ' ')"
        fi
        return 0
    fi
    survey
    if [ -n "$foreign" ] && [ "$take_over" = no ]; then
        fail "not ours, so nothing was changed (--take-over removes it):$foreign"
        exit 1
    fi
    rival=$(rival)
    [ -z "$rival" ] || die "link $rival is at work on $dev; stop that first"
    choose_leaves
    take_steps
    marks=kept
    if marks_left; then marks=left; elif marks_late; then marks=late; fi
    [ $marks != late ] || try_marks
    if grep -q '^tc ' "$state/steps"; then
        tried=$leaves${tunnels_refused-}
        preflight
        [ "$leaves${tunnels_refused-}" = "$tried" ] || take_steps
        shortcuts
    fi
    if leave_device; then
        read_facts
        look || exit 1
        survey
        late=$(aggregates)
        take_steps
        [ "$has_marks" = no ] || marks=late
    fi
    [ "$frames:$header" != auto:22 ] || warn "$dev carries PPPoE frames: they are counted right, but no filter sees the IP packets inside; shape the ppp device instead"
    if kernel_ignores_mpu; then warn "this kernel ($version) ignores mpu: packets below $mpu bytes are charged less than they take on the line"; fi

    remember
    rm -f "$state/state"
    {
        [ ! -d "/sys/class/net/ifbp-$link" ] || echo "link del dev ifbp-$link"
        ip_first
    } >"$state/batch"
    [ ! -s "$state/batch" ] || run_batch ip "$state/batch" "could not set up the devices" || undo
    aggregates_off "$late"
    set_sysctls "$(sysctls_off)"
    # Before the filters that read them.
    [ $marks != late ] || load_marks || undo
    tc_all >"$state/program"
    began=$(hundredths_up)
    [ ! -s "$state/program" ] || run_batch tc "$state/program" "the kernel refused a step" || undo
    # How long a tree takes, for `plan`: how many lines, and the hundredths of a second that they took together.
    if grep -q '^qdisc replace .* root ' "$state/program"; then
        echo "$(grep -c '' "$state/program") $(($(hundredths_up) - began))" >"$state/speed"
    fi
    [ -n "${tunnels-}" ] || leave_tunnels
    ip_last >"$state/batch"
    if [ -s "$state/batch" ]; then
        drain
        run_batch ip "$state/batch" "could not remove what is not needed any more" || undo
    fi
    if [ $marks = left ]; then unload_marks; fi
    forget_settings
    keep || undo
    case $ours in
    *root*) say "changed on $dev: up $shaped_up, down $shaped_down" ;;
    *) say "started on $dev: up $shaped_up, down $shaped_down" ;;
    esac
}

# The record of a start that went well: what was described, what the kernel then held, and who did it.
keep() {
    look_into "$state/state.new" || return 1
    mv "$state/described.new" "$state/described"
    if [ "$has_marks" = yes ]; then wanted_marks >"$state/marks"; else rm -f "$state/marks"; fi
    [ ! -e "$state/rate" ] || rm -f "$state/rate"
    if ! grep -qsxF "digest='$digest'" "$state/script"; then
        rm -f "$state/script"
        if grep -qsxF "digest='$digest'" "$0"; then cat "$0" >"$state/script.new" && mv "$state/script.new" "$state/script"; fi
    fi
    mv "$state/state.new" "$state/state"
}

# All or nothing: back to what the last start left where it was ours, and otherwise everything of ours goes. Then
# traffic flows as without us.
undo() {
    # The way back itself: whoever called knows what to do.
    [ -z "${QOSC_LOCK-}" ] || exit 1
    [ "$on_trial" = no ] || end_trial
    was=$ours
    case $was in
    *root* | *filters*)
        if [ -r "$state/script" ]; then
            if put_back "$state/script" "$(rates)"; then
                fail "everything was put back as it was before"
                exit 1
            fi
            fail "the way back failed, too"
        fi
        ;;
    esac
    evicted=$foreign
    remove
    case $evicted:$was in
    ?*:*) fail "what start made was removed again; what --take-over removed is gone:$evicted" ;;
    *root* | *filters*) fail "everything of ours was removed: traffic flows as without it" ;;
    *) fail "everything was put back as it was before" ;;
    esac
    exit 1
}

# Takes away what `start` made, from whatever state it was left in.
remove() {
    if [ -d "/sys/class/net/$dev" ]; then
        look || exit 1
        survey
        # Where no record says it, what has filters of ours and no others is ours.
        if ! hook_before=$(before hook) && [ -n "$our_prefs" ]; then hook_before=made; fi
        {
            removal "$root_before"
            # A root that was somebody's, and that a start had taken away when it was stopped short.
            case $ours:$root in
            *root*:*) ;;
            *' 0: root'*)
                words=$(before root) || words=default
                [ "$words" = default ] || echo "qdisc replace dev $dev root $words"
                ;;
            esac
            [ "$hook_before" != made ] || [ -n "$foreign" ] || [ -z "$hook" ] || echo "qdisc del dev $dev $hook"
        } | tc -force -batch - >/dev/null 2>&1
    fi
    leave_tunnels
    if [ "$has_marks" = yes ] || [ ! -e "$state/before" ] || before marks >/dev/null; then unload_marks; fi
    {
        for device in "$ifb1" "$ifb2" "ifbp-$link"; do
            [ ! -d "/sys/class/net/$device" ] || echo "link del dev $device"
        done
        if queue=$(before txqueuelen) && [ -d "/sys/class/net/$dev" ]; then echo "link set dev $dev txqueuelen $queue"; fi
    } >"$state/batch"
    [ ! -s "$state/batch" ] || ip -force -batch "$state/batch" >/dev/null 2>&1
    aggregates_back
    grep -s '^sysctl ' "$state/before" | while read -r _ path value; do
        others "sysctl $path " >/dev/null || printf '%s\n' "$value" >"/proc/sys/$path"
    done
    rm -f "$state/state" "$state/before" "$state/described" "$state/marks" "$state/script" "$state/rate" "$state/base" "$state/speed"
}

stop() {
    take_lock
    end_trial
    if [ "$named" = yes ] && last=$(last_device) && [ "$last" != "$dev" ]; then
        say "not started on $dev, but on $last"
        leave
        return 0
    fi
    same_device
    read_facts || ifindex=''
    prepare
    if [ ! -e "$state/before" ] && [ ! -d "/sys/class/net/$ifb1" ] && [ ! -d "/sys/class/net/$ifb2" ] && [ ! -d "/sys/class/net/ifbp-$link" ]; then
        # Without a record and without an ifb there may still be a tree of ours: only the kernel knows.
        ours=''
        if [ -d "/sys/class/net/$dev" ]; then
            look || exit 1
            survey
        fi
        if [ -z "$ours" ]; then
            say "there was nothing to stop"
            leave
            return 0
        fi
    fi
    remove
    say "stopped"
    leave
}

# 0 in place, 1 drifted, 3 not started; sets verdict.
compare() {
    same_device
    read_facts || {
        verdict="not started: there is no device $dev"
        return 3
    }
    prepare
    look || exit 1
    survey
    case $ours in
    *root* | *filters*) ;;
    *)
        verdict="not started"
        return 3
        ;;
    esac
    late=$(aggregates)
    if [ "$(recorded)" = "$now" ] && [ -z "$late" ]; then
        verdict="in place$(at_rates)"
        return 0
    fi
    verdict="drifted$(at_rates)"
    return 1
}

check() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    if [ "$code" = 1 ]; then
        if [ -r "$state/state" ]; then
            printf '%s\n' "$now" | diff "$state/state" - |
                sed -n -e '/^---/d' -e '/^+++/d' -e 's/^[<-] */  was: /p' -e 's/^[>+] */  is:  /p'
        else
            echo "  there is no record of what start made (or another version of this script made it)"
        fi
        [ -z "$late" ] || printf '%s\n' "$late" | sed 's/^/  aggregates on again: /'
    fi
    return "$code"
}

print() {
    [ "$named" = yes ] || [ -d "/sys/class/net/$dev" ] || same_device
    read_facts || die "there is no device $dev"
    prepare
    look || exit 1
    late=$(aggregates)
    if in_place; then
        echo "# up to date: start would change nothing"
        return 0
    fi
    survey
    [ -z "$foreign" ] || [ "$take_over" = yes ] || die "not ours, so nothing would be changed (--take-over removes it):$foreign"
    choose_leaves
    all=$(steps)
    case $all in
    *"type ifb"*) [ -d /sys/module/ifb ] || echo "modprobe ifb numifbs=0" ;;
    esac
    printf '%s\n' "$all" | sed -e '/^tc /,$d' -e '/^$/d'
    {
        sysctls_off
        sysctls_left
    } | while read -r path value; do echo "echo '$value' >/proc/sys/$path"; done
    printf '%s\n' "$late" | while read -r device feature; do
        case $feature in
        '') ;;
        *=*) echo "ip link set dev $device gso_max_segs 1" ;;
        *) echo "ethtool -K $device $feature off" ;;
        esac
    done
    aggregates_left | while read -r device feature; do
        case $feature in
        *=*) echo "ip link set dev $device gso_max_segs ${feature#*=}" ;;
        *) echo "ethtool -K $device $feature on" ;;
        esac
    done
    marks=kept
    if marks_left; then marks=left; elif marks_late; then marks=late; fi
    if [ $marks = late ]; then
        echo "nft -f - <<'END'"
        marks_program
        echo END
    fi
    printf '%s\n' "$all" | sed -n '/^tc /,$p'
    [ -n "${tunnels-}" ] || tunnels_left | sed 's/^/tc /'
    [ $marks != left ] || echo "nft delete table inet qosc_$link"
}

# For `qosc plan --dump`: each command and its raw output.
dump() {
    same_device
    read_facts || die "there is no device $dev"
    prepare
    look >/dev/null 2>&1
    echo "# qosc dump 1, link $link, script $digest, wan $dev, ifb $ifb, header $header${stab:+, $stab}, ethtool $ethtool"
    dumped uname -r
    dumped tc -V
    for device in "$dev" "$ifb1" "$ifb2"; do
        [ -d "/sys/class/net/$device" ] || continue
        dumped ip -d link show dev "$device"
        dumped tc -d qdisc show dev "$device"
        dumped tc -d class show dev "$device" parent c05:
        dumped tc -d filter show dev "$device" parent c05:
        if [ "$device" = "$dev" ]; then
            dumped tc -d filter show dev "$device" ingress
            dumped tc -d filter show dev "$device" egress
        fi
        [ "$ethtool" = no ] || dumped ethtool -k "$device"
    done
    if [ "$has_marks" = yes ] || before marks >/dev/null; then dumped nft list table inet "qosc_$link"; fi
    dumped ip addr show
    [ ! -r /proc/net/pppoe ] || dumped cat /proc/net/pppoe
    # Every setting that any script of ours knows: the one that is planned may have others than this one.
    for path in net/ipv4/tcp_rmem net/ipv4/tcp_wmem net/core/rmem_max net/core/wmem_max net/ipv4/tcp_ecn; do
        [ ! -r "/proc/sys/$path" ] || dumped cat "/proc/sys/$path"
    done
    echo "==> aggregates up $split_up down $split_down by $receivers"
    aggregates
    echo "==> aggregates_left"
    aggregates_left
    for record in before described marks state rate speed; do
        [ ! -r "$state/$record" ] || dumped cat "$state/$record"
    done
}

dumped() {
    echo "==> $*"
    "$@" 2>&1
}

status() {
    compare
    code=$?
    say "$verdict$([ ! -e "$state/trial" ] || echo ", on trial: $(trial_left)")"
    [ "$code" != 3 ] || return 3
    printf '  %s, made by qosc from %s; header %s bytes, %s above IP on the line\n' "$dev" "$source" "$header" "$above_ip"
    any_table up "$dev"
    [ ! -d "/sys/class/net/$ifb" ] || any_table down "$ifb"
    return "$code"
}

# Where CAKE schedules, its tins by name.
any_table() {
    case $(tin_names) in
    "$1 "* | *"$newline$1 "*) tin_table "$1" "$2" ;;
    *) table "$1" "$2" ;;
    esac
}

# A tin is served before those with lower numbers as long as it takes no more than its threshold.
tin_table() {
    {
        tin_names
        echo "== qdisc"
        tc -s qdisc show dev "$2" root
    } | awk -v way="$1" '
        $1 == "==" { part = $2; next }
        part == "" { if ($1 == way) { tin[++n] = $2; sub(/^[^ ]+ [^ ]+ /, ""); name[n] = $0 }; next }
        $1 == "thresh" || $1 == "bytes" || $1 == "pkts" || $1 == "drops" || $1 == "backlog" {
            if ($1 == "backlog" && !(("thresh", 1) in said)) next
            for (i = 2; i <= NF; i++) said[$1, i - 1] = $i
        }
        END {
            printf "  %-4s %-28s %10s %10s %14s %11s %9s %9s\n", way, "class", "tin", "threshold", "bytes", "packets", "dropped", "backlog"
            for (i = 1; i <= n; i++) {
                t = tin[i]
                printf "       %-28s %10s %10s %14s %11s %9s %9s\n", name[i], t, said["thresh", t], said["bytes", t], said["pkts", t], said["drops", t], said["backlog", t]
            }
        }'
}

# The classes of a device by name, in the order of the tree. HTB counts what was sent, the leaf what was dropped.
table() {
    {
        class_names
        echo "== class"
        tc -s class show dev "$2" parent c05:
        echo "== qdisc"
        tc -s qdisc show dev "$2"
    } | awk -v way="$1" '
        $1 == "==" { part = $2; next }
        part == "" { id[++n] = $1; depth[$1] = $2; sub(/^[^ ]+ [^ ]+ /, ""); name[id[n]] = $0; next }
        part == "class" && $1 == "class" {
            at = $3; sub(/^c05:/, "", at)
            for (i = 4; i < NF; i++) { if ($i == "rate") rate[at] = $(i + 1); if ($i == "ceil") ceil[at] = $(i + 1) }
        }
        part == "qdisc" && $1 == "qdisc" { at = ""; for (i = 4; i < NF; i++) if ($i == "parent") { at = $(i + 1); sub(/^c05:/, "", at) } }
        $1 == "Sent" && part == "class" { sent[at] = $2; packets[at] = $4 }
        $1 == "Sent" && part == "qdisc" && at != "" { dropped[at] = $7; sub(/,/, "", dropped[at]) }
        $1 == "backlog" && part == "qdisc" && at != "" { backlog[at] = $2 }
        END {
            printf "  %-4s %-28s %10s %10s %14s %11s %9s %9s\n", way, "class", "guarantee", "ceiling", "bytes", "packets", "dropped", "backlog"
            for (i = 1; i <= n; i++) {
                c = id[i]
                # The class of a host that asks for nothing in this direction is not there.
                if (!(c in rate) && name[c] ~ /\//) continue
                indent = ""
                for (d = 0; d < depth[c]; d++) indent = indent "  "
                printf "       %-28s %10s %10s %14s %11s %9s %9s\n", indent name[c], rate[c], ceil[c], sent[c], packets[c], dropped[c], backlog[c]
            }
        }'
}

usage() {
    cat <<USAGE
usage: ${0##*/} [--device DEV] [--take-over] [CALL]
  start      (default) brings the router to the described state, from any state; changes nothing where it is already
  stop       removes what start made and nothing else
  restart    stop, then start
  reload     the same as start
  status     the classes with rates, counters, drops and backlog; 0 in place, 1 drifted, 3 not started
  check      compares the kernel with what start left; changes nothing; exits as status
  print      the commands that start would run now; changes nothing
  try SECONDS   starts, and goes back to what was before unless confirmed in time, whatever becomes of this terminal
  confirm    keeps what is on trial
  dump       what this router holds, as one text
  rate UP DOWN  scales the tree in place to other line rates, such as 6.5mbit 25mbit, until the next start; what the
             YAML gives stays, and where it does not fit any more it is cut down until it does
  --device DEV   the WAN device, where its name is known only now (default: $default_dev)
  --take-over    remove a root qdisc or filters that others made
USAGE
}

take_over=no
named=no
on_trial=no
call=''
argument=''
while [ $# -gt 0 ]; do
    case $1 in
    --device)
        case ${2-} in
        '' | . | .. | */* | -* | *[!A-Za-z0-9._^+-]*)
            fail "this is not the name of a device: '${2-}'"
            exit 2
            ;;
        esac
        dev=$2 named=yes
        shift
        ;;
    --take-over) take_over=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        usage >&2
        exit 2
        ;;
    *)
        case $call:$argument in
        '':)
            call=$1
            if [ "$call" = rate ]; then
                take_rates "$@"
                shift 2
            fi
            ;;
        try: | go-back:) argument=$1 ;;
        *)
            usage >&2
            exit 2
            ;;
        esac
        ;;
    esac
    shift
done

case ${call:-start} in
start | reload) start ;;
restart)
    stop || exit 1
    [ "$named" = yes ] || [ ! -d "/sys/class/net/$default_dev" ] || dev=$default_dev
    start
    ;;
stop) stop ;;
status) status ;;
check) check ;;
print) print ;;
dump) dump ;;
rate) set_rates ;;
try)
    case $argument in
    '' | 0* | *[!0-9]* | ??????*)
        fail "try for how many seconds? (1 to 99999)"
        exit 2
        ;;
    esac
    try "$argument"
    ;;
confirm) confirm ;;
go-back) go_back "$argument" ;;
*)
    usage >&2
    exit 2
    ;;
esac

# --- the YAML that this was made from ---------------------------------------------------------------------------
# | # A bridge between modem and PPPoE client: every packet of the device is in a PPPoE frame, and is matched there.
# | name: frames
# | link: { device: eth0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit, frames: pppoe }
# | lan: { device: br-lan }
# | classes:
# |   voice:
# |     priority: 0
# |     guarantee: 400kbit
# |     match:
# |       - dscp: ef
# |       - { protocol: udp, remote_port: 5060-5061 }
# |   acks: { priority: 1, guarantee: 10%, match: [{ tcp: ack, length: <128 }] }
# |   normal: { default: true }
# |   bulk: { priority: 5, guarantee: 5%, match: [{ remote: [198.51.100.0/24, "2001:db8:9::/48"] }] }
# | police:
# |   downloads: { direction: down, match: [{ protocol: tcp, remote_port: 8080 }], rate: 4mbit }
