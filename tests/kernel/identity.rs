//! Hosts behind NAT are identified by marks. Each packet is counted in the class of the host that sends or receives it.
//! `explain --packet` names the same class.

use crate::explain_packet::classes_of;
use crate::house::House;
use crate::load::{got, jain};
use crate::packet::Packet;
use crate::report::Report;
use std::collections::BTreeMap;

/// A host that has an IP address and a MAC address.
const BOTH: &str = "address: 192.168.1.50, mac: \"02:00:5e:10:00:77\"";

/// Multicast groups of a class, and the limited broadcast address.
const GROUPS: &str = "232.0.20.0/24, 255.255.255.255, \"ff3e::20:0/112\"";

/// Packets from the provider to groups that a class or a host names, and to others, each with its class.
const TO_GROUPS: [(&str, &str, &str); 8] = [
    ("198.51.100.1", "232.0.20.35", "iptv"),
    ("198.51.100.1", "255.255.255.255", "iptv"),
    ("2001:db8:ffff::1", "ff3e::20:7", "iptv"),
    ("198.51.100.1", "232.0.21.35", "tv"),
    ("198.51.100.1", "232.0.21.255", "tv"),
    ("2001:db8:ffff::1", "ff3e::21:7", "tv"),
    ("198.51.100.1", "232.0.22.35", "rest"),
    ("2001:db8:ffff::1", "ff3e::22:7", "rest"),
];

/// A file for the household. `more` has lines for other hosts.
fn yaml(nat: bool, phone: &str, ata: &str, guests: &str, more: &str) -> String {
    format!(
        "name: home
link: {{ device: eth1, profile: ethernet, up: 20mbit, down: 50mbit }}
lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: {nat} }}
hosts:
  ata: {{ address: [192.168.1.5, \"2001:db8:1::5\"] }}
  desk: {{ address: [192.168.1.30, \"::30/-64\"] }}
  guests: {{ address: [{guests}, \"2001:db8:1::200\"] }}
  phone: {{ {phone} }}
  tv: {{ address: [192.168.1.70, 232.0.21.0/24, \"ff3e::21:0/112\"] }}
{more}classes:
  {ata}: {{ match: [{{ host: ata }}] }}
  mixed: {{ match: [{{ host: desk, protocol: udp, remote_port: 7 }}, {{ local: 192.168.1.30 }}] }}
  guests: {{ match: [{{ host: guests }}] }}
  called: {{ match: [{{ dscp: ef }}] }}
  marked: {{ match: [{{ mark: 0x10/0xff }}] }}
  phone: {{ match: [{{ host: phone }}] }}
  tv: {{ match: [{{ host: tv }}] }}
  iptv: {{ match: [{{ local: [10.0.0.0/8, {GROUPS}], protocol: udp }}] }}
  rest: {{ default: true }}
"
    )
}

/// nft rules of the household. They set DSCPs and marks for some hosts, and count marked downloads. Their connection
/// mark has a bit that nobody else may change.
const FOREIGN: &str = "
table inet house {
    counter marked { }
    chain forward {
        type filter hook forward priority -150;
        ip saddr 192.168.1.60 ip dscp set ef
        ip6 saddr 2001:db8:1::60 ip6 dscp set ef
        ip saddr 192.168.1.61 meta mark set 0x10 ct mark set ct mark | 0x8010
        ip6 saddr 2001:db8:1::61 meta mark set 0x10 ct mark set ct mark | 0x8010
    }
    chain prerouting {
        type filter hook prerouting priority -400;
        iifname \"eth1\" meta mark != 0 counter name marked
    }
}
";

/// The packets of each class during each step.
fn counted(report: &Report, house: &House) -> BTreeMap<(String, String, String), i64> {
    let names: BTreeMap<String, String> = (house.program.classes.iter())
        .map(|class| (format!("{:x}", class.id.minor), class.why.name.clone()))
        .collect();
    let mut last: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for line in report.text("out/counts").lines() {
        let [step, direction, class, packets] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let Some(class) = names.get(class) else { continue };
        let packets: i64 = packets.parse().expect("a number");
        let before = last.insert((direction.to_owned(), class.clone()), packets).unwrap_or(0);
        found.insert((step.to_owned(), direction.to_owned(), class.clone()), packets - before);
    }
    found
}

/// Runs the test. `phone` describes the host that is identified by its MAC address, and `its` is that host's class.
fn judge(nat: bool, phone: &str, its: &str) {
    let house = House::of("home", yaml(nat, phone, "ata", "192.168.1.128/25", "").into_bytes());
    // The changed file renames the class of one host, gives another host a smaller network, and has so many hosts that
    // the fields of the mark move.
    let more: String = (1..100).map(|host| format!("  h{host}: {{ address: 10.0.0.{host} }}\n")).collect();
    let changed = House::of("home", yaml(nat, phone, "moved", "192.168.1.192/26", &more).into_bytes());
    let field =
        |house: &House| house.model.marks.as_ref().and_then(|marks| Some(marks.address.as_ref()?.bits.value));
    assert!(!nat || field(&house) != field(&changed));
    let guest = house.guest(&format!("identity, NAT {nat}, {its}"));
    let guest = guest.file("foreign.nft", FOREIGN).file("changed.sh", changed.script.as_str());
    let groups =
        TO_GROUPS.iter().map(|(from, to, _)| Packet::new(from, to).udp(10_000, 10_000).line("net/eth1", 10));
    let guest = guest.variable("NAT", &nat.to_string()).file("groups", groups.collect::<String>());
    let Some(report) = guest.run("identity.sh") else { return };
    for step in ["start", "check", "second", "changed", "check-changed", "dump", "stop"] {
        report.expect_code(&format!("dash/{step}"), 0);
    }
    let mended = ["heal", "check-healed", "heal-gone", "check-healed-gone"].map(|step| (step, 0));
    let seen = ["check-edited", "check-gone"].map(|step| (step, 1));
    for (step, code) in mended.into_iter().chain(seen).filter(|_| nat) {
        report.expect_code(&format!("dash/{step}"), code);
    }
    assert!(report.out("dash/second").contains("up to date"));
    assert_eq!(report.text("out/dash/second.nft"), "", "a second start tells nft something");
    report.expect_same("out/dash/before.state", "out/dash/after.state");
    assert!(report.text("out/lost").lines().all(|line| line == "0"), "{}", report.text("out/lost"));

    let found = counted(&report, &house);
    let got = |step: &str, direction: &str, class: &str| {
        found.get(&(step.to_owned(), direction.to_owned(), class.to_owned())).copied().unwrap_or(0)
    };
    // Ten packets of each family. In IPv6 a known address identifies its host; every other packet with the phone's MAC
    // address is the phone's.
    let cases = [
        ("5", "ata"),
        ("30", "mixed"),
        ("40", its),
        ("50", its),
        ("60", "called"),
        ("61", "marked"),
        ("200", "guests"),
    ];
    for (step, class) in cases {
        for direction in ["up", "down"] {
            assert_eq!(
                got(step, direction, class),
                20,
                "{step} {direction} {class}\n{}",
                report.text("out/counts")
            );
        }
        for (from, to) in [
            (format!("192.168.1.{step}:5000"), "198.51.100.1:7"),
            (format!("[2001:db8:1::{step}]:5000"), "[2001:db8:ffff::1]:7"),
        ] {
            let more = match step {
                "60" => "dscp ef",
                "61" => "mark 0x10",
                _ => "",
            };
            let words = format!("up udp {from} > {to} mac 02:00:5e:10:00:77 {more}");
            assert_eq!(classes_of(&house, &words), [class, class], "{words}");
        }
    }
    // A few packets of neighbour discovery may be counted too.
    let few = |least: i64| least..least + 4;
    for direction in ["up", "down"] {
        assert!(few(10).contains(&got("router", direction, "rest")), "{}", report.text("out/counts"));
    }
    // Groups are matched in the packet itself, with and without NAT.
    for class in ["iptv", "tv", "rest"] {
        let packets = TO_GROUPS.iter().filter(|(_, _, own)| *own == class).count();
        let counted = got("groups", "down", class);
        assert!(
            few(10 * packets as i64).contains(&counted),
            "{class}: {counted}\n{}",
            report.text("out/counts")
        );
    }
    for (from, to, class) in TO_GROUPS {
        let end = |address: &str| {
            if address.contains(':') { format!("[{address}]:10000") } else { format!("{address}:10000") }
        };
        let words = format!("down udp {} > {}", end(from), end(to));
        assert_eq!(classes_of(&house, &words)[0], class, "{words}");
    }
    // A connection from outside: when its first packet arrives, no upload has set a mark yet, and NAT shows only the
    // router's own address.
    assert_eq!(got("inbound", "up", "ata"), 10);
    assert_eq!(got("inbound", "down", "ata"), if nat { 9 } else { 10 });
    assert!(few(i64::from(nat)).contains(&got("inbound", "down", "rest")), "{}", report.text("out/counts"));

    // An existing connection follows the new file in both directions.
    for direction in ["up", "down"] {
        let moved = counted(&report, &changed);
        let after =
            moved.get(&("living".to_owned(), direction.to_owned(), "moved".to_owned())).copied().unwrap_or(0);
        assert!((20..1000).contains(&after), "{direction}: {after} of 1000 after the change");
    }

    // Bits of others are unchanged, on packets and on connections.
    assert!(report.text("out/marked").contains("packets 0 "), "{}", report.text("out/marked"));
    for line in report.text("out/conntrack").lines().filter(|line| line.contains("src=192.168.1.")) {
        let mark: u32 = line
            .split(" mark=")
            .nth(1)
            .and_then(|rest| rest.split(' ').next()?.parse().ok())
            .expect("a mark");
        let theirs = if line.contains("src=192.168.1.61 ") { 0x8010 } else { 0 };
        assert_eq!(mark & 0xffff, theirs, "{line}");
    }
}

#[test]
fn hosts_behind_nat_reach_their_class() {
    judge(true, BOTH, "phone");
}

#[test]
fn hosts_without_nat_reach_their_class() {
    judge(false, BOTH, "phone");
}

#[test]
fn hosts_known_only_by_mac_address_reach_their_class() {
    judge(true, "mac: \"02:00:5e:10:00:77\"", "phone");
}

#[test]
fn hosts_known_only_by_mac_address_reach_their_host_class() {
    let phone =
        "mac: \"02:00:5e:10:00:77\", class: phone, guarantee: 1mbit, ceiling: { up: 5mbit, down: 10mbit }";
    judge(true, phone, "phone/phone");
}

/// Steps of the case: the tunnel, the number of its far end, the host, and more words of `explain --packet`.
const TRANSLATED: [(&str, u8, u8, &str); 10] = [
    ("mape", 1, 10, ""),
    ("mape", 1, 11, ""),
    ("mape", 1, 12, "dscp ef"),
    ("mape", 1, 13, "mark 0x10"),
    ("mape", 1, 14, ""),
    ("mape", 1, 15, ""),
    ("office", 2, 10, ""),
    ("office", 2, 12, "dscp ef"),
    ("vpn", 3, 10, ""),
    ("vpn", 3, 12, "dscp ef"),
];

const TRANSLATING: &str = "
link: { device: eth1, profile: fibre, up: 20mbit, down: 50mbit }
lan: { device: br-lan, networks: [192.168.1.0/24, \"2001:db8:1::/64\"], nat: false }
hosts:
  desk: { address: [192.168.1.10, \"2001:db8:1::10\"], ceiling: 4mbit }
  phone: { address: 192.168.1.11 }
  box: { mac: \"02:00:5e:10:00:77\" }
tunnels:
  mape: { kind: ip6tnl, device: map-wan, remote: \"2001:db8:ffff::11\", nat: true }
  office: { kind: gre, device: t-gre, remote: 198.51.100.13, nat: true }
  vpn: { kind: wireguard, device: wg0, remote: 198.51.100.1, nat: true }
classes:
  box: { match: { host: box, remote: 203.0.113.11 } }
  called: { match: { dscp: ef } }
  marked: { match: { mark: 0x10/0xff } }
  phone: { match: { host: phone, protocol: udp } }
  lab: { match: { local: 192.168.1.14/31, length: 100-1500 } }
  lab-short: { match: { local: 192.168.1.14, protocol: udp, remote_port: 7 } }
  rest: { default: true }
";

/// Hosts share downloads; uploads of tunnels at whose device addresses are translated need a class without hosts.
const SHARING: &str = "
  sent: { match: { tunnel: [mape, office], direction: up } }
  rest: { default: true, share: per-host }
";

/// Every key of DSCP and host finds the packets behind a translation at the tunnel's device, in both directions, and
/// `explain --packet` names the same class. A download is charged what its outer packet takes on the line.
#[test]
fn hosts_behind_translating_tunnels_reach_their_class() {
    let house = House::of("home", TRANSLATING.as_bytes().to_vec());
    let foreign = FOREIGN.replace("192.168.1.60", "192.168.1.12").replace("192.168.1.61", "192.168.1.13");
    let (head, _) = TRANSLATING.split_once("classes:").expect("classes");
    let sharing = House::of(
        "home",
        format!("{head}classes:{SHARING}")
            .replace(", ceiling: 4mbit", "")
            .replace("device: br-lan", "device: [br-lan, vlan10]")
            .into_bytes(),
    );
    let devices = "iifname { \"eth1\", \"map-wan\", \"t-gre\", \"wg0\" }";
    let foreign = foreign.replace("iifname \"eth1\"", devices);
    let guest = house.guest("translating tunnels").file("foreign.nft", foreign);
    let guest = guest.file("shared.sh", sharing.script);
    let Some(report) = guest.run("translated.sh") else { return };
    for step in ["start", "again", "check", "status", "stop", "anew", "gone", "back", "end", "ping"] {
        report.expect_code(&format!("dash/{step}"), 0);
    }
    report.expect_same("out/dash/before.state", "out/dash/after.state");
    assert!(report.out("dash/again").contains("up to date"), "{}", report.out("dash/again"));
    for device in ["map-wan", "t-gre", "wg0"] {
        let words = format!("{device}: downloads are queued behind it");
        assert!(report.out("dash/status").contains(&words), "{}", report.out("dash/status"));
    }
    let missing = "map-wan: downloads are queued as they come in, as one flow: it is not there";
    assert!(report.text("out/dash/gone.err").contains(missing), "{}", report.text("out/dash/gone.err"));
    assert!(report.text("out/lost").lines().all(|line| line == "0"), "{}", report.text("out/lost"));
    assert!(report.text("out/marked").contains("packets 0 "), "{}", report.text("out/marked"));

    let found = counted(&report, &house);
    let counts = report.text("out/counts");
    let expect = |step: &str, words: &str| {
        for (direction, class) in ["up", "down"].into_iter().zip(classes_of(&house, words)) {
            let got = found.get(&(step.to_owned(), direction.to_owned(), class.clone())).copied();
            // A keepalive of WireGuard and neighbour discovery may be counted in the default class.
            let got = got.unwrap_or_default();
            let most = if class == "rest" { 14 } else { 10 };
            assert!((10..=most).contains(&got), "{step} {direction}: {got} into {class}\n{words}\n{counts}");
        }
    };
    let mac = "mac 02:00:5e:10:00:77";
    for (tunnel, number, host, more) in TRANSLATED {
        let ends = format!("192.168.1.{host}:5000 > 203.0.113.{number}:7");
        expect(&format!("{number}-{host}"), &format!("up udp {ends} length 60 {mac} in {tunnel} {more}"));
    }
    expect("mac", &format!("up udp 192.168.1.15:5000 > 203.0.113.11:7 length 60 {mac} in mape"));
    expect("six", "up udp [2001:db8:1::10]:5000 > [2001:db8:ffff::1]:7");
    let named = [("10", ""), ("11", ""), ("12", "dscp ef"), ("13", "mark 0x10"), ("14", "length 60")];
    let named = named.map(|(host, more)| {
        classes_of(&house, &format!("up udp 192.168.1.{host}:5000 > 203.0.113.1:7 in mape {more}"))
    });
    assert_eq!(named, ["rest/desk", "phone", "called", "marked", "lab-short"].map(|class| [class, class]));

    // Three pings of 1500 bytes, each 1540 bytes in the tunnel and 1554 with the Ethernet header.
    let wire = ["first", "last"]
        .map(|name| report.text(&format!("out/{name}.wire")).trim().parse::<u64>().expect("bytes"));
    let charged = ["first", "last"].map(|name| {
        let text = report.text(&format!("out/{name}.charged"));
        let (_, rest) = text.split_once("class htb c05:a000 ").expect("the root class");
        let (_, rest) = rest.split_once("Sent ").expect("counters");
        rest.split(' ').next().and_then(|bytes| bytes.parse::<u64>().ok()).expect("bytes")
    });
    assert_eq!((wire[1] - wire[0], charged[1] - charged[0]), (3 * 1554, 3 * 1554));

    for direction in ["up", "down"] {
        let got = got(&report, direction);
        let rate = |name: &str| got[name] * 8 / 4;
        assert!((3_300_000..4_000_000).contains(&rate("desk")), "{direction}: {got:?}");
        assert!(rate("other") > 10_000_000, "{direction}: {got:?}");
    }
    for (step, words) in [
        ("hosts/start", "vlan10 of the LAN runs over eth1, so packets to the LAN count as uploads"),
        ("dash/port", "eth1 is a port of a bridge, so nft sees none of its packets"),
    ] {
        let said = report.text(&format!("out/{step}.err"));
        assert!(said.contains(words), "{step} says {said}");
    }
    let silent = report.text("out/dash/start.err");
    assert!(!silent.contains("of the LAN runs over") && !silent.contains("is a port of"), "{silent}");
    let shared = got(&report, "hosts");
    assert!(jain(&shared) > 9_900, "{shared:?}");
}
