//! No bit of other programs' marks changes: not on arriving packets, not on connections, and not on uploads.

use crate::house::House;
use crate::report::Report;
use std::collections::{BTreeMap, BTreeSet};

/// The last number of the first remote address.
const FIRST: usize = 100;

/// The classes of each variant, which differ in their matches.
const VARIANTS: [(&str, &str); 6] = [
    ("none", "  some: { match: [{ protocol: udp, remote_port: 9 }] }\n"),
    ("all", "  some: { match: [{ mark: 100 }] }\n"),
    ("some", "  some: { match: [{ mark: 0x100/0xff00 }] }\n"),
    ("hosts", "  some: { match: [{ host: desk }] }\n"),
    ("dscp", "  some: { match: [{ dscp: ef, direction: down }] }\n"),
    (
        "both",
        "  desk: { match: [{ host: desk, mark: 0x100/0xff00 }] }\n  some: { match: [{ mark: 0x10/0xff }] }\n",
    ),
];

/// The marks of each remote end. The first is the mark with which its packets arrive, and which uploads to it get. The
/// second is the mark that others set on connections with it, or `None`.
struct Remotes(Vec<(u32, Option<u32>)>);

impl Remotes {
    /// Each single bit that is not ours, and all these bits together. Connections may also have bits that we use on
    /// packets only.
    fn new(ours: u32, of_connections: u32) -> Remotes {
        let single = |ours: u32| (0..32).map(|bit| 1 << bit).filter(move |bit| bit & ours == 0);
        let come = single(ours).chain([!ours]).map(|mark| (mark, None));
        let have = single(of_connections).chain([!of_connections, 100, 0x0100_0064 & !of_connections]);
        Remotes(come.chain(have.map(|mark| (0, Some(mark)))).collect())
    }

    fn number(place: usize) -> usize {
        FIRST + place
    }

    /// The nft tables of other programs. They set the marks, and record the marks of packets at several hooks.
    fn nft(&self, lower: &str, wan: &str, of_connections: u32) -> String {
        let element = |place: usize, mark: u32| {
            (
                format!("198.51.100.{} : {mark:#x}", Self::number(place)),
                format!("2001:db8:ffff::{} : {mark:#x}", Self::number(place)),
            )
        };
        let elements = self.0.iter().enumerate().filter(|(_, own)| own.0 != 0);
        let (v4, v6): (Vec<_>, Vec<_>) = elements.map(|(place, own)| element(place, own.0)).unzip();
        let (v4, v6) = (v4.join(", "), v6.join(", "));
        let connections =
            self.0.iter().enumerate().filter_map(|(place, own)| Some((Self::number(place), own.1?)));
        let (mut given, mut restored) = (String::new(), String::new());
        let theirs = !of_connections;
        for (number, mark) in connections {
            for (ip, address) in
                [("ip", format!("198.51.100.{number}")), ("ip6", format!("2001:db8:ffff::{number}"))]
            {
                given += &format!(
                    "        {ip} daddr {address} ct mark set ct mark & {of_connections:#x} | {mark:#x}\n"
                );
                restored += &format!(
                    "        iifname \"{wan}\" {ip} saddr {address} meta mark set ct mark & {theirs:#x}\n"
                );
            }
        }
        let sets: String = ["arrived", "restored", "passed", "left", "sent"]
            .iter()
            .map(|name| {
                format!(
                    "    set {name} {{ type ipv4_addr . mark; size 1000; flags dynamic; }}\n    set {name}6 {{ type ipv6_addr . mark; size 1000; flags dynamic; }}\n"
                )
            })
            .collect();
        let keep = |name: &str, from: &str, device: &str, end: &str| {
            format!(
                "        meta l4proto udp {from} \"{device}\" add @{name} {{ ip {end} . meta mark }}\n        meta l4proto udp {from} \"{device}\" add @{name}6 {{ ip6 {end} . meta mark }}\n"
            )
        };
        let (arrived, after) =
            (keep("arrived", "iifname", wan, "saddr"), keep("restored", "iifname", wan, "saddr"));
        let (passed, left) =
            (keep("passed", "iifname", wan, "saddr"), keep("left", "oifname", "br-lan", "saddr"));
        let sent = keep("sent", "oifname", wan, "daddr");
        format!(
            "table netdev below {{
    map came {{ type ipv4_addr : mark; elements = {{ {v4} }}; }}
    map came6 {{ type ipv6_addr : mark; elements = {{ {v6} }}; }}
    chain ingress {{
        type filter hook ingress device \"{lower}\" priority -500;
        meta mark set ip saddr map @came
        meta mark set ip6 saddr map @came6
    }}
}}
table netdev above {{
    counter seen {{ }}
    chain ingress {{
        type filter hook ingress device \"{wan}\" priority -500;
        counter name seen
    }}
}}
table inet watch {{
    map going {{ type ipv4_addr : mark; elements = {{ {v4} }}; }}
    map going6 {{ type ipv6_addr : mark; elements = {{ {v6} }}; }}
{sets}    chain raw {{
        type filter hook prerouting priority -450;
{arrived}    }}
    chain restore {{
        type filter hook prerouting priority -150;
{restored}{after}    }}
    chain forward {{
        type filter hook forward priority -150;
{passed}        oifname \"{wan}\" meta mark set ip daddr map @going
        oifname \"{wan}\" meta mark set ip6 daddr map @going6
{given}    }}
    chain output {{
        type route hook output priority -150;
        oifname \"{wan}\" meta mark set ip daddr map @going
        oifname \"{wan}\" meta mark set ip6 daddr map @going6
{given}    }}
    chain postrouting {{
        type filter hook postrouting priority 200;
{left}{sent}    }}
}}
"
        )
    }
}

/// All marks that a set recorded, by the number of the remote end.
fn kept(text: &str, name: &str) -> BTreeMap<usize, BTreeSet<u32>> {
    let (_, rest) = text.split_once(&format!("set {name} {{")).expect("a set");
    let (own, _) = rest.split_once("\n\t}").expect("its end");
    let mut found: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for element in own.split(['{', ',', '}', '\n']).filter(|element| element.contains(" . 0x")) {
        let (address, mark) = element.trim().split_once(" . 0x").expect("an address and a mark");
        // Other addresses belong to neighbours, not to remote ends.
        let Some(number) = address.rsplit(['.', ':']).next().and_then(|last| last.parse().ok()) else {
            continue;
        };
        let mark = u32::from_str_radix(mark.split(' ').next().expect("a mark"), 16).expect("a mark");
        found.entry(number).or_default().insert(mark);
    }
    found
}

/// The marks of connections with each remote end, as `conntrack -L` shows them.
fn connections(text: &str) -> BTreeMap<usize, BTreeSet<u32>> {
    let mut found: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for line in text.lines() {
        let word = |name: &str| line.split(' ').find_map(|word| word.strip_prefix(name));
        let number = word("dst=").and_then(|end| end.rsplit(['.', ':']).next()?.parse().ok());
        let mark = word("mark=").map_or(0, |mark| mark.parse().expect("a mark"));
        if let Some(number) = number {
            found.entry(number).or_default().insert(mark);
        }
    }
    found
}

/// The packets that a class has sent, by the name of the class.
fn packets(report: &Report, house: &House, variant: &str, direction: &str, class: &str) -> u64 {
    let id = house.model.leaves().into_iter().find(|leaf| leaf.name == class).expect("a class").id.value.0;
    let text = report.text(&format!("out/{variant}/{direction}.classes"));
    let id = qosc_compiler::tc::class_minor(id);
    let (_, rest) = text.split_once(&format!("class htb c05:{id:x} ")).expect("a class");
    rest.split_once(" bytes ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()).expect("packets")
}

#[test]
fn mark_bits_of_other_programs_stay_unchanged() {
    let mut houses = Vec::new();
    for (name, classes) in VARIANTS {
        let yaml = format!(
            "name: home\nlink: {{ device: eth1.7, profile: ethernet-vlan, up: 20mbit, down: 50mbit }}\n\
             lan: {{ device: br-lan, networks: [192.168.1.0/24] }}\n\
             hosts: {{ desk: {{ address: 192.168.1.10 }} }}\nclasses:\n{classes}  rest: {{ default: true }}\n"
        );
        let house = House::of("home", yaml.into_bytes());
        let marks = house.model.marks.as_ref();
        let ours = marks.map_or(0, |marks| marks.mask.value);
        // The flag is never set in a connection's mark.
        let of_connections =
            ours & !marks.and_then(|marks| marks.flag.as_ref()).map_or(0, |flag| flag.bit.value);
        houses.push((name, house, ours, of_connections));
    }
    let (_, first, ..) = &houses[0];
    let mut guest = first.guest("mark-bits").variable("VARIANTS", &VARIANTS.map(|(name, _)| name).join(" "));
    let mut last = 0;
    for (name, house, ours, of_connections) in &houses {
        let remotes = Remotes::new(*ours, *of_connections);
        last = last.max(Remotes::number(remotes.0.len() - 1));
        guest = guest.file(&format!("bits-{name}.sh"), house.script.as_str());
        guest = guest.file(&format!("bits-{name}.nft"), remotes.nft("eth1", "eth1.7", *of_connections));
    }
    let Some(report) = guest.variable("LAST", &last.to_string()).run("mark_bits.sh") else { return };
    for (name, house, ours, of_connections) in &houses {
        for step in ["start", "check", "stop"] {
            report.expect_code(&format!("{name}/{step}"), 0);
        }
        report.expect_same(&format!("out/{name}/before.state"), &format!("out/{name}/after.state"));
        let lost = report.text(&format!("out/{name}/lost"));
        assert!(!lost.contains("lost"), "{name}: {lost}");
        let watch = report.text(&format!("out/{name}/watch"));
        let (v4, v6) = (
            report.text(&format!("out/{name}/connections4")),
            report.text(&format!("out/{name}/connections6")),
        );
        let (v4, v6) = (connections(&v4), connections(&v6));
        for (place, (comes, has)) in Remotes::new(*ours, *of_connections).0.into_iter().enumerate() {
            let number = Remotes::number(place);
            for family in ["", "6"] {
                let seen = |set: &str| {
                    let kept = kept(&watch, &format!("{set}{family}"));
                    kept.get(&number).cloned().unwrap_or_default()
                };
                let says = |what: &str, found: BTreeSet<u32>, want: u32| {
                    assert_eq!(found, [want].into(), "{name}: {what} of {number}, family `{family}`");
                };
                says("the mark with which it came", seen("arrived"), comes);
                let later = has.map_or(comes, |mark| mark & !of_connections);
                for set in ["restored", "passed", "left"] {
                    says(set, seen(set), later);
                }
                let theirs =
                    |found: BTreeSet<u32>, ours: u32| found.iter().map(|mark| mark & !ours).collect();
                says("the mark of uploads", theirs(seen("sent"), *ours), comes);
                let connections = if family.is_empty() { &v4 } else { &v6 };
                let found = connections.get(&number).cloned().unwrap_or_default();
                says("the mark of the connection", theirs(found, *of_connections), has.unwrap_or(0));
            }
        }
        let said = report.text(&format!("out/{name}/start.err"));
        let named = "chain ingress of table netdev above at the ingress of eth1.7 sees no download";
        assert!(said.contains(named) || *name == "none", "{name}: {said}");
        // Packets that tc redirects to an ifb bypass nft chains on the same ingress hook.
        let above = report.text(&format!("out/{name}/above"));
        assert!(above.contains("packets 0 bytes 0"), "{name}: {above}");
        // The filter for a mark matches packets with this mark, and no others.
        let some = packets(&report, house, name, "down", "some");
        assert!(some > 0 || matches!(*name, "none" | "dscp" | "both"), "{name}: {some}");
        if *name == "all" {
            assert_eq!(
                some, 6,
                "three packets of each family on connections with mark 100, and of none with 0x01000064"
            );
        }
        let held = crate::observed::parse(
            &house.program.wan,
            &house.program.ifb,
            &report.out(&format!("{name}/dump-router")),
        );
        let differences = crate::observed::compare(&house.program.on(house.facts()), &held);
        assert!(differences.is_empty(), "{name}: {differences:?}");
    }
}
