use super::*;

const TEXT: &str = "# qosc dump 1, link home, script 01ab, wan ppp0, ifb ifb-home, header 0, stab overhead -4 linklayer ethernet, ethtool no\n\
    ==> ip -d link show dev ppp0\n\
    3: ppp0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1492 qdisc htb state UNKNOWN mode DEFAULT group default qlen 3\n    link/ppp \n\
    ==> tc -d qdisc show dev ppp0\nqdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 9 direct_qlen 1000\nError: Parent Qdisc doesn't exists.\n\
    ==> ip -d link show dev ifb-home\n4: ifb-home: <BROADCAST,NOARP> mtu 1500 qdisc htb state DOWN qlen 1000\n    link/ether 0:0\n\
    ==> cat /proc/net/pppoe\nId       Address              Device\n00000001 02:00:00:00:00:01 eth0\n\
    ==> cat /run/qosc/home/before\nboot 1\nhook made\n==> cat /run/qosc/home/speed\n20 4\n";

#[test]
fn a_dump_is_split_into_its_facts() {
    let dump = Dump::read(TEXT).unwrap();
    assert_eq!((dump.head.link.as_str(), dump.head.wan.as_str()), ("home", "ppp0"));
    assert_eq!((dump.head.header, dump.head.ethtool), (Some(0), Some(false)));
    assert_eq!(["ppp0", "ifb-home", "ifb2-home"].map(|device| dump.upness(device)), [2, 1, 0]);
    assert_eq!((dump.is_ethernet("ppp0"), dump.is_ethernet("ifb-home")), (Some(false), Some(true)));
    assert_eq!(dump.is_ethernet("eth0"), None);
    assert_eq!(dump.file("before"), "boot 1\nhook made\n");
    assert_eq!((dump.recorded("speed").trim_end(), dump.record().as_str()), ("20 4", ""));
}

#[test]
fn both_forms_of_a_record_are_read() {
    let whole = "by 1\nrate 5mbit 9mbit\n== described\nclass\nmark a\n== shown\nqdisc\n== end\n";
    let text = |files: &[(&str, &str)]| -> String {
        files.iter().map(|(name, text)| format!("==> cat /run/qosc/home/{name}\n{text}")).collect()
    };
    let new = text(&[("state", whole)]);
    let new = Dump::read(&new).unwrap();
    assert_eq!((new.record().as_str(), new.recorded("rate").as_str()), (whole, "5mbit 9mbit"));
    let old =
        [("described", "class\n"), ("marks", "a\n"), ("state", "by 1\nqdisc\n"), ("rate", "5mbit 9mbit\n")];
    let old = text(&old);
    let old = Dump::read(&old).unwrap();
    assert_eq!(old.record(), whole.replace("rate 5mbit 9mbit\n", ""));
    assert_eq!(old.recorded("rate"), "5mbit 9mbit\n");
}

#[test]
fn other_texts_are_rejected_as_dumps() {
    let json = "==> tc -j -d qdisc show dev eth0\n[{\"kind\":\"htb\"}]\n";
    for text in [
        "",
        "qdisc noqueue 0: dev lo root refcnt 2\n",
        "# qosc dump 3, link home\n==> tc -V\n==> end\n",
        "# qosc dump 2, link home\n==> tc -V\n",
        json,
    ] {
        assert!(Dump::read(text).is_err(), "{text}");
    }
}

/// Whatever is missing at the end of a dump, nobody takes the rest for the state of a router.
#[test]
fn a_dump_that_is_cut_anywhere_is_rejected() {
    let whole =
        include_str!("../../../../tests/plan/drift.dump").replacen("# qosc dump 1,", "# qosc dump 2,", 1);
    let whole = whole.trim_end_matches("==> end\n").to_owned() + "==> end\n";
    assert!(whole.starts_with("# qosc dump 2,") && Dump::read(&whole).is_ok());
    let mut end = 0;
    for (number, line) in whole.split_inclusive('\n').enumerate() {
        // The first line and the last lines are cut at every byte, the others before, in the middle and at their end.
        let is_edge = number == 0 || whole.len() - end < 40;
        for cut in 0..line.len() {
            if is_edge || [0, line.len() / 2, line.len() - 1].contains(&cut) {
                let part = whole.get(..end + cut).unwrap_or_default();
                assert!(Dump::read(part).is_err(), "line {number}, byte {cut}");
            }
        }
        end += line.len();
    }
}
