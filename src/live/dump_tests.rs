use super::*;

const TEXT: &str = "# qosc dump 1, link home, script 01ab, wan ppp0, ifb ifb-home, header 0, stab overhead -4 linklayer ethernet, ethtool no\n\
    ==> ip -d link show dev ppp0\n\
    3: ppp0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1492 qdisc htb state UNKNOWN mode DEFAULT group default qlen 3\n    link/ppp \n\
    ==> tc -d qdisc show dev ppp0\nqdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 9 direct_qlen 1000\n\
    ==> ip -d link show dev ifb-home\n4: ifb-home: <BROADCAST,NOARP> mtu 1500 qdisc htb state DOWN qlen 1000\n    link/ether 0:0\n\
    ==> cat /proc/net/pppoe\nId       Address              Device\n00000001 02:00:00:00:00:01 eth0\n\
    ==> cat /run/qosc/home/before\nboot 1\nhook made\n==> cat /run/qosc/home/speed\n20 4\n";

#[test]
fn a_dump_is_split_into_its_facts() {
    let dump = Dump::read(TEXT).unwrap();
    assert_eq!((dump.head.link.as_str(), dump.head.wan.as_str()), ("home", "ppp0"));
    assert_eq!((dump.head.header, dump.head.ethtool), (Some(0), Some(false)));
    assert_eq!(["ppp0", "ifb-home", "ifb2-home"].map(|device| dump.upness(device)), [2, 1, 0]);
    assert_eq!((dump.txqueuelen("ppp0"), dump.is_ethernet("ppp0")), (Some("3"), Some(false)));
    assert_eq!((dump.is_ethernet("ifb-home"), dump.is_ethernet("eth0")), (Some(true), None));
    assert!(dump.carries_pppoe("eth0") && !dump.carries_pppoe("ppp0"));
    assert_eq!((dump.before("hook"), dump.before("root")), (Some("made".to_owned()), None));
    assert_eq!((dump.file("speed"), dump.file("state")), (Some("20 4\n".to_owned()), None));
    let now = dump.now(&"ppp0".parse().unwrap(), ["ifb-home", "ifb2-home"]);
    assert_eq!(now, "qdisc htb c05: root r2q 10 default 0 direct_qlen 1000\n");
}

#[test]
fn other_texts_are_rejected_as_dumps() {
    for text in ["", "qdisc noqueue 0: dev lo root refcnt 2\n", "# qosc dump 2, link home\n==> tc -V\n"] {
        assert!(Dump::read(text).is_err(), "{text}");
    }
}

/// The survey names foreign objects with the script's own words.
#[test]
fn a_survey_separates_our_objects_from_foreign_ones() {
    let wan = "eth0".parse().unwrap();
    let now = "filter protocol all pref 1 bpf chain 0\nfilter protocol all pref 3077 u32 chain 0\n\
               qdisc hfsc 1: root\nqdisc ingress ffff: parent ffff:fff1 ----------------\nqdisc htb c05: root\n";
    let survey = Survey::of(now, &wan, true);
    assert!(survey.our_filters && !survey.our_root && survey.evicts_hook());
    assert_eq!(survey.hooked, "ingress");
    assert_eq!(
        survey.foreign,
        [
            "filter bpf pref 1 at the ingress or egress of eth0",
            "qdisc hfsc 1: at the root of eth0",
            "qdisc ingress at the ingress of eth0 (uploads are policed at the egress, which takes a clsact)",
        ]
    );
    // A root qdisc that the kernel created by default belongs to nobody.
    assert_eq!(
        Survey::of("qdisc fq_codel 0: root\nqdisc fq_codel 8001: root\n", &wan, false),
        Survey::default()
    );
}
