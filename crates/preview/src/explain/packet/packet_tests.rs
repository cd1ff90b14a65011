use super::{Asked, End, Packet, answer, human, meet};
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::model::Model;
use qosc_compiler::tc::{Hook, Program};

fn house(yaml: &str) -> (Model, Program) {
    let compiled = compile(yaml, &Options::of("home.yaml"));
    assert!(!compiled.has_errors(), "{:?}", compiled.findings);
    compiled.into_finished().unwrap()
}

const HOME: &str = "\
link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }
hosts:
  ata: { address: 192.168.1.5 }
  tv: { address: 192.168.1.0/28, mac: 02:00:00:00:00:01 }
tunnels:
  vps: { kind: gre, remote: 198.51.100.7 }
  wg: { kind: wireguard, device: wg0, remote: 198.51.100.8 }
classes:
  voice: { priority: 0, guarantee: 400kbit, match: [{ dscp: ef, direction: up }, { host: ata }] }
  dns: { match: { protocol: [tcp, udp], remote_port: 53 } }
  tele: { match: { host: tv } }
  away: { match: { tunnel: wg } }
  rest: { default: true }
police:
  pings: { direction: down, rate: 1mbit, match: { protocol: icmp } }
";

/// Names of the classes of a packet in the household and of its answer.
fn names(words: &str) -> [String; 2] {
    let (model, program) = house(HOME);
    let packet = Packet::read(words, &model).unwrap();
    [packet.clone(), answer(&packet)].map(|packet| match meet(&model, &program, &packet).end {
        End::Class { name, .. } => name,
        other => format!("{other:?}"),
    })
}

#[test]
fn a_packet_and_its_answer_reach_their_classes() {
    assert_eq!(names("up udp 192.168.1.77:4000 > 198.51.100.9:53"), ["dns", "dns"]);
    assert_eq!(
        names("up udp ata:4000 > 198.51.100.9:4000"),
        ["voice", "voice"],
        "by the mark of its connection"
    );
    assert_eq!(names("down udp 198.51.100.9:4000 > ata:4000"), ["voice", "voice"]);
    assert_eq!(names("up udp [2001:db8::1]:4000 > [2001:db8::2]:53"), ["dns", "dns"]);
    assert_eq!(names("up tcp 192.168.1.77:1 > 198.51.100.9:443 dscp ef"), ["voice", "rest"], "upwards alone");
    assert_eq!(names("up tcp 192.168.1.77:1 > 198.51.100.9:443 mac 02:00:00:00:00:01"), ["tele", "tele"]);
    assert_eq!(names("up tcp 192.168.1.77:1 > 198.51.100.9:443 ack"), ["rest", "rest"]);
}

/// A household with multicast television, and one host that is a member of a group.
fn television(nat: bool) -> (Model, Program) {
    house(&format!(
        "link: {{ device: ppp0, profile: vdsl2-pppoe-vlan, up: 10mbit, down: 51mbit }}
lan: {{ device: br-lan, networks: [192.168.1.0/24, \"2001:db8:1::/64\"], nat: {nat} }}
hosts:
  radio: {{ address: [192.168.1.20, 239.1.0.0/16, \"ff3e::1:0/112\"] }}
  screen: {{ address: [192.168.1.30, 239.3.0.0/16], ceiling: {{ down: 20mbit }} }}
classes:
  iptv: {{ priority: 1, match: {{ local: [232.0.0.0/8, 255.255.255.255, \"ff3e::/112\"], protocol: udp }} }}
  radio: {{ match: [{{ host: radio }}, {{ local: [10.0.0.0/8, 239.2.0.0/16] }}] }}
  half: {{ match: {{ local: 192.0.0.0/2, protocol: tcp }} }}
  rest: {{ default: true, share: per-host }}
police:
  shop: {{ direction: down, rate: 1mbit, match: {{ local: [192.168.1.99, 239.9.9.9] }} }}
"
    ))
}

/// The class of a packet, and the name of its policer.
fn met(house: &(Model, Program), words: &str) -> (String, Option<String>) {
    let (model, program) = house;
    let met = meet(model, program, &Packet::read(words, model).unwrap());
    let End::Class { name, .. } = met.end else { panic!("{words}: {met:?}") };
    (name, met.police.map(|police| police.name))
}

#[test]
fn groups_are_matched_in_the_packet_with_and_without_nat() {
    for nat in [true, false] {
        let house = television(nat);
        for (group, class) in [
            ("232.0.20.35", "iptv"),
            ("255.255.255.255", "iptv"),
            ("239.1.2.3", "radio"),
            ("239.2.2.3", "radio"),
            ("239.3.2.3", "rest/screen"),
            ("224.0.0.1", "rest/rest"),
            ("[ff3e::7]", "iptv"),
            ("[ff3e::1:7]", "radio"),
            ("[ff3e::2:7]", "rest/rest"),
            // the members themselves, behind NAT by the marks of their connections
            ("192.168.1.20", "radio"),
            ("10.1.1.1", "radio"),
            ("192.168.1.30", "rest/screen"),
            ("172.16.0.1", "rest/rest"),
        ] {
            let source = if group.starts_with('[') { "[2001:db8:9::1]" } else { "198.51.100.1" };
            let words = format!("down udp {source}:10000 > {group}:10000");
            assert_eq!(met(&house, &words), (class.to_owned(), None), "NAT {nat}: {words}");
        }
        let (class, police) = met(&house, "down udp 198.51.100.1:1 > 239.9.9.9:1");
        assert_eq!((class.as_str(), police.as_deref()), ("rest/rest", Some("shop")));
        // a prefix with groups and other addresses
        for local in ["232.0.20.35", "192.168.1.30"] {
            assert_eq!(met(&house, &format!("down tcp 198.51.100.1:1 > {local}:1")).0, "half");
        }
        // what a host sends to a group belongs to the host
        let words = "up udp 192.168.1.20:1 > 239.255.255.250:1900";
        assert_eq!(met(&house, words).0, "radio", "NAT {nat}");
    }
}

#[test]
fn a_group_has_no_mark_of_a_host() {
    let house = television(true);
    let packet = Packet::read("down tcp 198.51.100.1:1 > 232.0.20.35:1 sent ef", &house.0).unwrap();
    let met = meet(&house.0, &house.1, &packet);
    assert!(matches!(&met.end, End::Class { name, .. } if name == "half"), "{met:?}");
    assert_eq!(met.notes, Vec::<String>::new());
}

#[test]
fn groups_are_matched_in_pppoe_frames_behind_nat() {
    let yaml = "link: { device: eth1, profile: vdsl2-pppoe-vlan, up: 10mbit, down: 51mbit, frames: pppoe }
lan: { device: br-lan, nat: true }
hosts: { tv: { address: [232.0.21.0/24, \"ff3e::/112\"] } }
classes:
  iptv: { match: [{ local: 232.0.20.0/24, protocol: udp }, { host: tv }] }
  rest: { default: true, share: per-host }
";
    let compiled = compile(yaml, &Options::of("home.yaml"));
    assert!(compiled.findings.is_empty(), "{:?}", compiled.findings);
    let house = compiled.into_finished().unwrap();
    for (ends, class) in [
        ("198.51.100.1:10000 > 232.0.20.35:10000", "iptv"),
        ("198.51.100.1:10000 > 232.0.21.35:10000", "iptv"),
        ("198.51.100.1:10000 > 232.0.22.35:10000", "rest"),
        ("[2001:db8:9::1]:10000 > [ff3e::7]:10000", "iptv"),
    ] {
        assert_eq!(met(&house, &format!("down udp {ends}")), (class.to_owned(), None), "{ends}");
    }
}

#[test]
fn the_ecn_field_is_matched_and_shown() {
    let house = house(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit }
tunnels: { vps: { kind: ipip, remote: 198.51.100.7 } }
classes: { l4s: { match: { ecn: [ect1, ce] } }, called: { match: { dscp: ef, ecn: ect0, direction: up } }, rest: { default: true } }
",
    );
    for (words, class) in [
        ("", "rest"),
        ("ecn not-ect", "rest"),
        ("ecn ect0", "rest"),
        ("ecn ect1", "l4s"),
        ("ecn ce", "l4s"),
        ("ecn ce dscp ef", "l4s"),
        ("ecn ect0 dscp ef", "called"),
        ("ecn ect1 in vps", "l4s"),
        ("ecn ect0 in vps", "rest"),
    ] {
        for ends in ["192.168.1.5:1 > 198.51.100.9:443", "[2001:db8::1]:1 > [2001:db8::2]:443"] {
            if words.ends_with("vps") && ends.starts_with('[') {
                continue;
            }
            assert_eq!(met(&house, &format!("up tcp {ends} {words}")).0, class, "{ends} {words}");
        }
    }
    assert_eq!(met(&house, "down udp 198.51.100.9:443 > 192.168.1.5:1 ecn ect1").0, "l4s");
    let packet = Packet::read("up tcp 192.168.1.5:1 > 198.51.100.9:443 dscp ef", &house.0).unwrap();
    let asked = meet(&house.0, &house.1, &packet).asked;
    assert_eq!((&asked[0].differs, &asked[1].differs), (&vec!["ecn"], &vec!["ecn"]));
    let error = Packet::read("up tcp 192.168.1.5:1 > 198.51.100.9:443 ecn l4s", &house.0).unwrap_err();
    assert_eq!(error, "write `not-ect`, `ect1`, `ect0` or `ce` after `ecn`");
}

/// Behind a translation at the tunnel's device, no packet shows the host; its connection does. A packet of 1500 bytes is
/// one of 1540 bytes on the line, and 18 bytes around it.
#[test]
fn a_translating_tunnel_shows_hosts_by_their_connections() {
    let text = |nat| {
        format!(
            "link: {{ device: eth1, profile: fibre, up: 1gbit, down: 1gbit }}\n\
             lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: false }}\n\
             hosts: {{ desk: {{ address: 192.168.1.10, ceiling: 100mbit }} }}\n\
             tunnels: {{ mape: {{ kind: ip6tnl, device: map-wan, remote: \"2001:db8:ffff::64\", nat: {nat} }} }}\n\
             classes: {{ web: {{ match: {{ host: desk, protocol: tcp, remote_port: 8080 }} }}, rest: {{ default: true }} }}\n"
        )
    };
    let words = ["443", "8080"]
        .map(|port| format!("up tcp 192.168.1.10:50000 > 203.0.113.9:{port} length 1500 in mape"));
    for (nat, marked) in [("true", true), ("false", false)] {
        let (model, program) = house(&text(nat));
        for (words, expected) in words.iter().zip(["rest/desk", "web"]) {
            let packet = Packet::read(words, &model).unwrap();
            for packet in [packet.clone(), answer(&packet)] {
                let met = meet(&model, &program, &packet);
                let End::Class { name, .. } = &met.end else { panic!("{met:?}") };
                assert_eq!((name.as_str(), met.length, met.charged), (expected, 1540, 1558), "{nat} {met:?}");
            }
        }
        let uploads = program
            .filters
            .iter()
            .filter(|own| own.dev == qosc_compiler::tc::Dev::Wan && own.why.what.contains("desk"));
        let uploads: Vec<_> = uploads.collect();
        assert!(!uploads.is_empty());
        for filter in uploads.iter().filter(|own| own.protocol == qosc_compiler::tc::FilterProtocol::Ipv6) {
            let address = filter.selector.words.values().any(|word| word.value == 0xc0a8_010a);
            assert_eq!((filter.selector.mark.is_some(), address), (marked, !marked), "{filter:?}");
        }
    }
}

#[test]
fn tcp_flags_are_matched_and_shown() {
    let (model, program) = house(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit }\n\
         classes: { set-up: { match: { tcp: [syn, rst] } }, acks: { match: { tcp: ack } }, rest: { default: true } }\n",
    );
    for (words, class) in [
        ("syn", "set-up"),
        ("syn ack", "set-up"),
        ("ack syn", "set-up"),
        ("rst", "set-up"),
        ("rst ack", "set-up"),
        ("fin", "rest"),
        ("ack", "acks"),
        ("", "rest"),
    ] {
        let packet =
            Packet::read(&format!("up tcp 192.168.1.5:1 > 198.51.100.9:443 {words}"), &model).unwrap();
        for packet in [answer(&packet), packet] {
            let met = meet(&model, &program, &packet);
            assert!(matches!(&met.end, End::Class { name, .. } if name == class), "{words}: {:?}", met.end);
        }
    }
    let packet = Packet::read("up tcp [2001:db8::1]:1 > [2001:db8::2]:443 fin", &model).unwrap();
    let met = meet(&model, &program, &packet);
    assert_eq!(met.asked[0].differs, ["tcp"]);
    assert_eq!((packet.length, met.length), (72, 72), "timestamps are in its header");
}

/// `explain` and `status` use this name for the class of a leaf's other hosts.
#[test]
fn the_class_of_other_hosts_is_named_as_in_the_tables() {
    let (model, program) = house(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit }\n\
         hosts: { tv: { address: 192.168.2.7, class: guests, ceiling: 4mbit }, all: { address: 192.168.2.0/24 } }\n\
         classes: { guests: { match: { host: all } }, house: { default: true } }\n",
    );
    for (host, class) in
        [("192.168.2.7", "guests/tv"), ("192.168.2.8", "guests/rest"), ("192.168.1.9", "house")]
    {
        let packet = Packet::read(&format!("up udp {host}:1 > 198.51.100.9:2"), &model).unwrap();
        for packet in [answer(&packet), packet] {
            let met = meet(&model, &program, &packet);
            assert!(matches!(&met.end, End::Class { name, .. } if name == class), "{host}: {:?}", met.end);
            assert_eq!(met.asked.last().map(|asked| (asked.takes, asked.name.as_str())), Some((true, class)));
        }
        assert!(program.classes.iter().any(|own| own.why.name == class), "{class}");
    }
}

/// Rule Q0517 is about such matches.
#[test]
fn a_match_that_misses_only_uploads_is_explained() {
    let (model, program) = house(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit }\n\
         tunnels: { vpn: { kind: wireguard, device: wg0, remote: 198.51.100.7 } }\n\
         classes:\n  calls: { match: { tunnel: vpn, protocol: udp, remote_port: 5060 } }\n  \
           office: { match: { tunnel: vpn } }\n  rest: { default: true }\n",
    );
    let met = |words: &str| meet(&model, &program, &Packet::read(words, &model).unwrap());
    let up = met("up udp 10.8.0.1:5060 > 10.8.0.2:5060 in vpn");
    assert!(matches!(&up.end, End::Class { name, .. } if name == "office"), "{:?}", up.end);
    crate::golden::assert_golden!(human(&up, "up udp 10.8.0.1:5060 > 10.8.0.2:5060 in vpn"));
    let down = met("down udp 10.8.0.2:5060 > 10.8.0.1:5060 in vpn");
    assert!(matches!(&down.end, End::Class { name, .. } if name == "calls"), "{:?}", down.end);
    assert!(down.notes.iter().all(|note| !note.contains("encrypted before")));
    let other = met("up udp 10.8.0.1:5060 > 10.8.0.2:80 in vpn");
    assert!(other.notes.iter().all(|note| !note.contains("encrypted before")), "both are in one class");
}

#[test]
fn a_tunnelled_packet_is_matched_by_its_visible_headers() {
    assert_eq!(names("up udp 10.8.0.1:4000 > 10.8.0.2:53 in vps"), ["dns", "dns"], "both are looked into");
    assert_eq!(
        names("up udp 10.8.0.1:4000 > 10.8.0.2:53 in wg"),
        ["away", "dns"],
        "downwards after decryption"
    );
    assert_eq!(names("up udp 10.8.0.1:4000 > 10.8.0.2:54 in wg"), ["away", "away"]);
}

/// A device of the link besides the WAN device brings only downloads, which show the address of their host.
#[test]
fn downloads_by_another_device_of_the_line_are_matched() {
    let (model, program) = house(
        "link: { device: ppp0, devices: { eth1.8: {} }, profile: vdsl2-pppoe-vlan, up: 10mbit, down: 51mbit }\n\
         hosts: { box: { address: 192.168.1.20 } }\n\
         classes:\n  guide: { match: { device: eth1.8, host: box } }\n  \
           iptv: { match: { device: eth1.8 } }\n  own: { match: { host: box } }\n  rest: { default: true }\n",
    );
    let met = |words: &str| meet(&model, &program, &Packet::read(words, &model).unwrap());
    for (words, class) in [
        ("down udp 198.51.100.1:1 > 232.0.20.35:2 by eth1.8", "iptv"),
        ("down tcp 198.51.100.1:1 > 192.168.1.20:2 by eth1.8", "guide"),
        ("down tcp 198.51.100.1:1 > 192.168.1.20:2", "own"),
        ("down tcp 198.51.100.1:1 > 192.168.1.21:2", "rest"),
        ("up tcp 192.168.1.20:2 > 198.51.100.1:1", "own"),
    ] {
        let met = met(words);
        assert!(matches!(&met.end, End::Class { name, .. } if name == class), "{words}: {:?}", met.end);
    }
    let missed = met("down tcp 198.51.100.1:1 > 192.168.1.21:2");
    assert_eq!(missed.asked.first().map(|asked| asked.differs.as_slice()), Some(&["device"][..]));
    assert_eq!(met("up tcp 192.168.1.20:2 > 198.51.100.1:1 by eth1.8").end, End::Unshaped);
    assert!(Packet::read("up tcp 192.168.1.20:2 > 198.51.100.1:1 by eth1.9", &model).is_err());
}

#[test]
fn a_policed_download_passes_the_policer_of_all_downloads_as_well() {
    let (model, program) = house(
        "link: { device: eth1, profile: raw, up: 100mbit, shaped: { down: 30mbit }, ingress: police }\n\
         lan: { nat: false }\n\
         police: { local-net: { direction: down, match: [{ local: 192.0.2.0/24 }], rate: 20mbit } }\n\
         classes: { rest: { default: true } }\n",
    );
    let said = |words: &str| human(&meet(&model, &program, &Packet::read(words, &model).unwrap()), words);
    let (own, all) = (
        "police `local-net` passes these packets up to 20mbit, and drops the excess",
        "the policer of all downloads passes these packets up to 30mbit, and drops the excess",
    );
    let text = said("down tcp 198.51.100.7:443 > 192.0.2.9:5");
    assert!(text.find(own).unwrap() < text.find(all).unwrap(), "{text}");
    let text = said("down tcp 198.51.100.7:443 > 192.0.3.9:5");
    assert!(text.contains(all) && !text.contains("local-net` passes"), "{text}");
}

#[test]
fn passed_filters_are_listed_with_the_key_that_differs() {
    let (model, program) = house(HOME);
    let packet = Packet::read("down icmp 198.51.100.9 > 192.168.1.77 length 84", &model).unwrap();
    let met = meet(&model, &program, &packet);
    assert_eq!((met.length, met.charged), (84, 114), "30 on VDSL2 with PPPoE");
    assert_eq!(met.police.as_ref().unwrap().name, "pings");
    let first: &Asked = met.asked.first().unwrap();
    assert_eq!((first.hook, first.takes, first.name.as_str()), (Hook::Ingress, true, "pings"));
    let said = |name: &str| met.asked.iter().find(|asked| asked.name == name).unwrap();
    assert_eq!(said("dns").differs, ["protocol"]);
    assert_eq!(said("voice").differs, ["local"]);
    assert!(said("rest").takes);
    crate::golden::assert_golden!(human(&met, "down icmp 198.51.100.9 > 192.168.1.77 length 84"));
}

/// A match on `port` makes filters for either port, and its key is named as it is written.
#[test]
fn the_key_that_differs_is_named_as_in_the_file() {
    let (model, program) = house(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit }\n\
         classes:\n  either: { match: { protocol: udp, port: 3478 } }\n  \
           own: { match: { protocol: udp, local_port: 9000 } }\n  rest: { default: true }\n",
    );
    for direction in ["up udp 192.168.1.5:1 > 198.51.100.9:2", "down udp 198.51.100.9:2 > 192.168.1.5:1"] {
        let met = meet(&model, &program, &Packet::read(direction, &model).unwrap());
        let differs: Vec<_> =
            met.asked.iter().map(|asked| (asked.name.as_str(), &asked.differs[..])).collect();
        assert!(differs.contains(&("either", &["port"])), "{differs:?}");
        assert!(differs.contains(&("own", &["local_port"])), "{differs:?}");
        let said = human(&met, direction);
        assert!(said.contains("either: udp port 3478 (line 3): no, `port` differs"), "{said}");
    }
}

#[test]
fn cake_tins_and_unshaped_downloads_are_shown() {
    let link = "link: { device: ppp0, profile: vdsl2-pppoe, up: 6mbit, down: 25mbit, engine: { up: cake }, ingress: none }";
    let (model, program) = house(&format!(
        "{link}\nclasses: {{ voice: {{ priority: 0, match: {{ dscp: ef }} }}, rest: {{ default: true }} }}\n"
    ));
    let packet = Packet::read("up udp 192.168.1.5:1 > 198.51.100.9:2 dscp ef", &model).unwrap();
    let End::Tin { name, .. } = meet(&model, &program, &packet).end else { panic!("no tin") };
    assert_eq!(name, "voice");
    assert_eq!(meet(&model, &program, &answer(&packet)).end, End::Unshaped);
}

/// From ten prefixes on, filters for hosts stand in groups. A small prefix stays before a larger one around it.
#[test]
fn grouped_hosts_keep_their_classes() {
    let hosts: String = (1..=8)
        .map(|number| format!("  a{number}: {{ address: 10.{number}.0.0/16, class: one }}\n"))
        .collect();
    let (model, program) = house(&format!(
        "link: {{ device: eth0, profile: docsis, up: 50mbit, down: 100mbit }}\nlan: {{ nat: false }}\nhosts:\n{hosts}  \
         b: {{ address: [10.10.0.0/15, 172.16.1.0/24], class: two }}\n  c: {{ address: 172.16.0.0/14, class: three }}\n\
         classes: {{ one: {{}}, two: {{}}, three: {{}}, rest: {{ default: true }} }}\n"
    ));
    for (local, class) in
        [("172.16.1.5", "two"), ("172.16.2.5", "three"), ("10.8.1.1", "one"), ("10.11.1.1", "two")]
    {
        let packet = Packet::read(&format!("up udp {local}:9 > 192.0.2.1:9"), &model).unwrap();
        let End::Class { name, .. } = meet(&model, &program, &packet).end else { panic!("{local}") };
        assert_eq!(name, class, "{local}");
    }
}

#[test]
fn a_cake_without_filters_has_the_default_class() {
    let link = "link: { device: eth0, profile: docsis, up: 6mbit, down: 25mbit, engine: { down: cake_mq } }";
    let classes = "classes: { voice: { match: { dscp: ef } }, rest: { default: true } }";
    let (model, program) = house(&format!("{link}\n{classes}\n"));
    let packet = Packet::read("down udp 198.51.100.9:2 > 192.168.1.5:1 dscp ef", &model).unwrap();
    let End::Tin { name, .. } = meet(&model, &program, &packet).end else { panic!("no tin") };
    assert_eq!(name, "rest");
}

#[test]
fn the_class_of_the_excess_is_named() {
    let yaml = "link: { device: eth1, profile: docsis, up: 30mbit, down: 400mbit }\n\
                classes: { rest: { default: true }, bulk: { priority: 5, guarantee: 5% } }\n\
                police:\n  fast: { direction: down, match: { protocol: udp }, rate: 3mbit, exceed: EXCEED }\n";
    for (exceed, said) in [
        ("reclassify bulk", "3mbit, and passes the excess to class `bulk`"),
        ("drop", "3mbit, and drops the excess"),
    ] {
        let (model, program) = house(&yaml.replace("EXCEED", exceed));
        let packet = Packet::read("down udp 198.51.100.9:4000 > 192.168.1.5:4000", &model).unwrap();
        let text = human(&meet(&model, &program, &packet), "a packet");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn invalid_packets_are_rejected() {
    let (model, _) = house(HOME);
    let wrong = [
        "",
        "sideways udp",
        "up",
        "up arp",
        "up ud 192.168.1.5:1 > 198.51.100.9:2",
        "up udp 192.168.1.5:1 198.51.100.9:2",
        "up udp 192.168.1.5 > 198.51.100.9:2",
        "up udp 2001:db8::1 > [2001:db8::2]:2",
        "up udp 192.168.1.5:70000 > 198.51.100.9:2",
        "up udp 192.168.1.5:1 > [2001:db8::2]:2",
        "up udp lamp:1 > 198.51.100.9:2",
        "up udp tv:1 > 198.51.100.9:2",
        "up udp ata:1 > tv:2",
        "up icmpv6 192.168.1.5 > 198.51.100.9",
        "up udp ata:1 > 198.51.100.9:2 dscp",
        "up udp ata:1 > 198.51.100.9:2 dscp express",
        "up udp ata:1 > 198.51.100.9:2 sent ef",
        "up udp ata:1 > 198.51.100.9:2 length 20",
        "up udp ata:1 > 198.51.100.9:2 length x",
        "up udp ata:1 > 198.51.100.9:2 ack",
        "up tcp ata:1 > 198.51.100.9:2 ack length 1400",
        "up udp ata:1 > 198.51.100.9:2 syn",
        "up tcp ata:1 > 198.51.100.9:2 syn length 40",
        "up udp ata:1 > 198.51.100.9:2 in lamp",
        "up udp ata:1 > 198.51.100.9:2 fast",
    ];
    let said = wrong.map(|words| format!("{words}\n    {}", Packet::read(words, &model).unwrap_err()));
    crate::golden::assert_golden!(said.join("\n"));
}

/// `tests/kernel/inside_tunnels.rs` tests the same packets in a kernel.
#[test]
fn every_key_matches_inside_a_tunnel() {
    let (model, program) = house(include_str!("../../../../../tests/kernel/inside_tunnels.yaml"));
    let four = ["10.200.0.9", "192.0.2.200"];
    let six = ["2001:db8:1:f00::9", "2001:db8:9::200"];
    for (tunnel, families) in [
        ("ipip", [four].as_slice()),
        ("sit", &[six]),
        ("gre", &[four, six]),
        ("vxlan", &[four, six]),
        ("ip6tnl", &[four, six]),
        ("ip6gre", &[four, six]),
    ] {
        for ([local, remote], direction) in families.iter().flat_map(|ends| [(*ends, "up"), (*ends, "down")])
        {
            let (from, to) = if direction == "up" { (local, remote) } else { (remote, local) };
            let other = format!("in-{tunnel}");
            let end = |address: &str, port: u16| match address.contains(':') {
                true => format!("[{address}]:{port}"),
                false => format!("{address}:{port}"),
            };
            let ported = |protocol: &str, here: u16, there: u16| {
                let (first, second) = if direction == "up" { (here, there) } else { (there, here) };
                format!("{protocol} {} > {}", end(from, first), end(to, second))
            };
            let bare = |protocol: &str| format!("{protocol} {from} > {to}");
            let cases = [
                (format!("{} ack", ported("tcp", 5, 6)), "on-ack"),
                (format!("{} fin", ported("tcp", 5, 6)), "on-flags"),
                (format!("{} rst", ported("tcp", 5, 6)), "on-flags"),
                (format!("{} syn", ported("tcp", 5, 6)), &other),
                (ported("tcp", 5, 6), other.as_str()),
                (format!("{} dscp ef", bare("199")), "on-dscp"),
                (format!("{} dscp 47", bare("199")), &other),
                (bare("200"), "on-protocol"),
                (bare("202"), if direction == "up" { "on-up" } else { "on-down" }),
                (format!("{} length 100", bare("203")), "on-length"),
                (format!("{} length 300", bare("203")), &other),
                (ported("udp", 1000, 9), "on-local-port"),
                (ported("udp", 2000, 9), &other),
                (ported("udp", 9, 53), "on-remote-port"),
                (ported("udp", 53, 9), &other),
                (ported("tcp", 9, 8080), "on-port"),
                (ported("tcp", 9, 443), "in-tree-rest"),
            ];
            for (words, class) in cases {
                let words = format!("{direction} {words} in {tunnel}");
                let packet = Packet::read(&words, &model).unwrap();
                let met = meet(&model, &program, &packet);
                assert!(
                    matches!(&met.end, End::Class { name, .. } if name == class),
                    "{words}: {class}, not {:?}",
                    met.end
                );
            }
        }
    }
}

/// A match without `tunnel` has a filter for each place where its packets are seen. The one for this place is named.
#[test]
fn the_key_that_differs_is_that_of_the_inner_packet() {
    let (model, program) = house(
        "link: { device: ppp0, profile: vdsl2-pppoe, up: 10mbit, down: 50mbit }\n\
         lan: { device: br-lan, networks: [192.168.1.0/24] }\nhosts: { server: { address: 192.168.1.10 } }\ntunnels:\n  \
           a: { kind: ipip, device: tun0, remote: 198.51.100.7 }\n  b: { kind: gre, device: gre1, remote: 198.51.100.8 }\n  \
           c: { kind: wireguard, device: wg0, inner: match }\n  d: { kind: wireguard, device: wg1 }\nclasses:\n  \
           backup: { match: { host: server, protocol: tcp, remote_port: 22 } }\n  \
           video: { match: { tunnel: b, protocol: udp, remote_port: 9 } }\n  rest: { default: true }\n",
    );
    for tunnel in ["", " in a", " in b", " in c"] {
        for (host, port, differs) in
            [(10, 23, vec!["remote_port"]), (11, 22, vec!["local"]), (11, 23, vec!["local", "remote_port"])]
        {
            let words = format!("up tcp 192.168.1.{host}:5 > 198.51.100.9:{port}{tunnel}");
            let up = Packet::read(&words, &model).unwrap();
            for packet in [answer(&up), up] {
                let met = meet(&model, &program, &packet);
                let [backup, video, _] = &met.asked[..] else { panic!("{met:?}") };
                assert_eq!(backup.differs, differs, "{words} {:?}", packet.direction);
                assert_eq!(
                    video.differs.contains(&"tunnel"),
                    tunnel != " in b",
                    "{words}: {:?}",
                    video.differs
                );
            }
        }
    }
    let words = "up tcp 192.168.1.11:5 > 198.51.100.9:23 in d";
    let said = human(&meet(&model, &program, &Packet::read(words, &model).unwrap()), words);
    assert!(
        said.contains("(line 10): no, `local` and `protocol` of the outer packet\n      differ"),
        "{said}"
    );
}

/// A house with a port forward, translated IPv6, a server of its own, and a WireGuard server.
const SERVERS: &str = "\
link: { device: ppp0, profile: vdsl2-pppoe, up: 40mbit, down: 100mbit }
lan: { device: br-lan, networks: [192.168.1.0/24, \"fd00:1:2::/64\"], nat: { ipv4: true, ipv6: true } }
hosts:
  server: { address: [192.168.1.3, \"fd00:1:2::3\"] }
  box: { self: true, ceiling: 10mbit }
tunnels:
  phones: { kind: wireguard, device: wg0 }
  old: { kind: openvpn, device: tun0, port: 1194 }
classes:
  web: { match: { host: server, protocol: tcp, local_port: 8443 } }
  nas: { match: { host: server } }
  vpn: { match: { tunnel: phones, direction: up } }
  old: { match: { tunnel: old } }
  rest: { default: true, share: per-host }
";

/// What `explain --packet` prints of a packet.
fn explained(yaml: &str, words: &str) -> String {
    let (model, program) = house(yaml);
    human(&meet(&model, &program, &Packet::read(words, &model).unwrap()), words)
}

#[test]
fn servers_behind_nat_and_of_the_router_reach_their_classes() {
    let house = house(SERVERS);
    for (words, class) in [
        ("down tcp 198.51.100.7:50000 > server:8443 from outside at 443", "web"),
        ("up tcp 192.168.1.3:8443 > 198.51.100.7:50000 at 443", "web"),
        ("down tcp 198.51.100.7:50000 > 192.168.1.3:22 at 8443", "web"),
        ("down tcp 198.51.100.7:50000 > 192.168.1.3:22 at 443", "nas"),
        ("up tcp [fd00:1:2::3]:8443 > [2001:db8::7]:50000", "web"),
        ("down tcp [2001:db8::7]:50000 > [fd00:1:2::3]:22", "nas"),
        ("up tcp 192.168.1.9:8443 > 198.51.100.7:50000", "rest/rest"),
        ("up tcp 192.168.1.1:51413 > 198.51.100.7:6881 by the router", "rest/box"),
        ("down tcp [2001:db8::7]:6881 > [fd00:1:2::1]:51413 by the router", "rest/box"),
        ("up udp 192.0.2.1:51820 > 198.51.100.77:34567", "vpn"),
        ("up tcp 192.168.1.10:445 > 10.8.0.2:50000 in phones", "vpn"),
        ("up udp 192.0.2.1:1194 > 198.51.100.77:34567", "old"),
        ("down udp 198.51.100.77:34567 > 192.0.2.1:1194", "old"),
    ] {
        assert_eq!(met(&house, words).0, class, "{words}");
    }
}

#[test]
fn a_packet_is_shown_as_the_line_has_it() {
    let text = explained(SERVERS, "down tcp 198.51.100.7:50000 > server:8443 from outside at 443");
    assert!(text.contains("= ppp0 shows tcp 198.51.100.7:50000 > ROUTER:443; the mark 0x"), "{text}");
    assert!(text.contains("= the first packet of the connection goes to class `rest/rest`"), "{text}");
    let text = explained(SERVERS, "down udp 192.168.1.9:53 > 198.51.100.7:50000 by the router from outside");
    assert!(text.contains("= the first packet of the connection goes to class `rest/rest`"), "{text}");
    assert!(text.contains("write `up` if they are"), "beside the note on the first packet: {text}");
    let text = explained(SERVERS, "up udp 198.51.100.7:50000 > 192.168.1.9:53");
    assert!(text.contains("write `down` if they are"), "{text}");
    let text = explained(SERVERS, "down tcp 198.51.100.7:443 > 192.168.1.9:50000");
    let of_tunnel = |line: &&str| line.contains("`tunnel` differ");
    let lines: Vec<&str> = text.lines().filter(of_tunnel).collect();
    assert!(
        matches!(lines[..], [one] if one.starts_with("  old: tunnel old ")),
        "a match without a tunnel: {text}"
    );
}
