//! Conversations of real sockets between the hosts of a house, its router and the internet. The kernel counts their
//! packets in the class that `explain --packet` names. If a match asks for a conversation and does not get it, `check`
//! has a finding.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::counters::Counters;
use crate::house::House;
use crate::random::Random;
use qosc_compiler::compile::Options;
use qosc_compiler::model::{Alternative, Direction, Model, TunnelKind};
use qosc_compiler::units::{Address, Family, Mac, PortSet, Protocol};
use qosc_preview::explain::packet::{End, Packet as Described, answer, meet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv6Addr};

/// Messages of a conversation in each direction.
const MESSAGES: u64 = 20;
/// Packets that may be in another class: the first of a connection from outside, and those of a tunnel's session.
const FIRST: u64 = 1;
const SESSION: u64 = 3;
/// Pairs of a random match and a conversation for each file, beside two for each match and one for each forwarded port.
const PAIRS: usize = 30;

/// The files by name, and the seeds of their conversations. The ifb of a file is called `ifb-` and that name.
const LEGS: [(&str, &[u8], u64); 6] = [
    ("nat4", include_bytes!("journey/nat4.yaml"), 4),
    ("nat66", include_bytes!("journey/nat66.yaml"), 66),
    ("tunnels", include_bytes!("journey/tunnels.yaml"), 8),
    ("inside", include_bytes!("journey/inside.yaml"), 9),
    ("routed", include_bytes!("journey/routed.yaml"), 1),
    ("bridge", include_bytes!("journey/bridge.yaml"), 2),
];

/// Findings on a match that are not about packets which it misses because nothing shows what it asks for.
const OTHERS: [&str; 2] = ["Q0513", "Q0515"];

/// A file, a class and a direction: `up` or `down`.
type Where<'a> = (&'a str, &'a str, &'a str);

/// A place in the house: its namespace, its MAC address, and an address of each family.
struct Place {
    space: &'static str,
    mac: &'static str,
    addresses: [&'static str; 2],
}

const fn place(space: &'static str, mac: &'static str, v4: &'static str, v6: &'static str) -> Place {
    Place { space, mac, addresses: [v4, v6] }
}

const LAN: &str = "02:00:5e:10:00:10";
const GUEST: &str = "02:00:5e:10:00:09";
const PLACES: [Place; 8] = [
    place("router", "", "198.51.100.2", "2001:db8:ffff::2"),
    place("lan", LAN, "192.168.1.10", "2001:db8:1::10"),
    place("lan", LAN, "192.168.1.20", "2001:db8:1::20"),
    place("lan", LAN, "192.168.1.30", "2001:db8:1::30"),
    place("lan", LAN, "192.168.1.40", "2001:db8:1::40"),
    place("phone", "02:00:5e:10:00:77", "192.168.1.77", "2001:db8:1::77"),
    place("guest", GUEST, "192.168.9.5", "2001:db8:9::5"),
    place("guest", GUEST, "192.168.9.6", "2001:db8:9::6"),
];
const REMOTE: [[&str; 4]; 2] = [
    ["198.51.100.1", "203.0.113.10", "203.0.113.20", "203.0.113.130"],
    ["2001:db8:ffff::1", "2001:db8:cafe::10", "2001:db8:beef::20", "2001:db8:cafe::10"],
];
/// Other ends in tunnels that the file declares.
const INSIDE: [(&str, &str); 3] = [("vps", "10.7.0.5"), ("office", "10.8.0.5"), ("phones", "10.9.0.5")];

/// Ports of the router that are forwarded: the port outside, the index of the host, the port there.
const FORWARDS: [(u16, usize, u16); 8] = [
    (443, 3, 8443),
    (8080, 3, 8080),
    (2222, 4, 22),
    (2223, 5, 22),
    (51413, 1, 51413),
    (5000, 5, 5060),
    (5060, 2, 5060),
    (9000, 6, 5050),
];
const LOCAL_PORTS: [u16; 9] = [22, 443, 8443, 8080, 5060, 51413, 1194, 5050, 45000];
const REMOTE_PORTS: [u16; 9] = [53, 80, 443, 5060, 5223, 6881, 1194, 8080, 5050];

const fn family(v6: bool) -> Family {
    if v6 { Family::Ipv6 } else { Family::Ipv4 }
}

/// Draws the port of a client.
fn any_port(random: &mut Random) -> u16 {
    u16::try_from(random.within(40_000, 49_999)).expect("a port")
}

/// A conversation between the house and the internet.
#[derive(Debug, Clone)]
struct Conversation {
    place: usize,
    v6: bool,
    tcp: bool,
    local_port: u16,
    remote: &'static str,
    remote_port: u16,
    /// True if the internet begins it.
    inward: bool,
    /// The port of the router that is forwarded to the local port.
    outside: Option<u16>,
    tunnel: Option<&'static str>,
}

impl Conversation {
    /// Draws any conversation that the house's router lets through.
    fn drawn(random: &mut Random, model: &Model) -> Self {
        loop {
            let place = usize::try_from(random.within(0, PLACES.len() as u64 - 1)).expect("small");
            let tunnels: Vec<(&str, &str)> = INSIDE
                .into_iter()
                .filter(|(name, _)| model.tunnels.iter().any(|own| own.name == *name))
                .collect();
            let tunnel = (!tunnels.is_empty() && random.chance(60)).then(|| random.pick(&tunnels));
            let v6 = random.chance(40);
            let inward = random.chance(50);
            // A client has any port, more often than not.
            let port = |random: &mut Random, known: &[u16], client: bool| {
                if random.chance(if client { 70 } else { 10 }) {
                    any_port(random)
                } else {
                    random.pick(known)
                }
            };
            let mut talk = Conversation {
                place,
                v6,
                tcp: random.chance(50),
                local_port: port(random, &LOCAL_PORTS, !inward),
                remote: tunnel.map_or(random.pick(&REMOTE[usize::from(v6)]), |(_, remote)| remote),
                remote_port: port(random, &REMOTE_PORTS, inward),
                inward,
                outside: None,
                tunnel: tunnel.map(|(name, _)| name),
            };
            let nat = model.lan.translates(talk.family()) && tunnel.is_none();
            if tunnel.is_some() && (v6 || talk.by_router() || PLACES[place].space == "guest") {
                continue;
            }
            if inward && nat {
                let forwards: Vec<(u16, usize, u16)> =
                    FORWARDS.into_iter().filter(|(_, host, _)| *host == place).collect();
                if talk.by_router() {
                    if FORWARDS.iter().any(|(outside, ..)| *outside == talk.local_port) {
                        continue;
                    }
                } else if forwards.is_empty() {
                    continue;
                } else {
                    let (outside, _, inside) = random.pick(&forwards);
                    (talk.local_port, talk.outside) = (inside, Some(outside));
                }
            }
            return talk;
        }
    }

    fn family(&self) -> Family {
        family(self.v6)
    }

    fn by_router(&self) -> bool {
        PLACES[self.place].space == "router"
    }

    fn local(&self) -> &'static str {
        PLACES[self.place].addresses[usize::from(self.v6)]
    }

    /// The upload in the words of `explain --packet`.
    fn words(&self) -> String {
        let end = |address: &str, port: u16| {
            if self.v6 { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
        };
        let mut words = format!(
            "up {} {} > {} length 100",
            if self.tcp { "tcp" } else { "udp" },
            end(self.local(), self.local_port),
            end(self.remote, self.remote_port)
        );
        match PLACES[self.place].mac {
            "" => words.push_str(" by the router"),
            mac => {
                let _ = write!(words, " mac {mac}");
            }
        }
        if let Some(tunnel) = self.tunnel {
            let _ = write!(words, " in {tunnel}");
        }
        if let Some(outside) = self.outside {
            let _ = write!(words, " at {outside}");
        }
        words
    }

    /// A line for `conversations`.
    fn line(&self) -> String {
        let kind = if self.tcp { "tcp" } else { "udp" };
        let (local, remote) = (self.local(), self.remote);
        let (local_port, remote_port) = (self.local_port, self.remote_port);
        let space = PLACES[self.place].space;
        if self.inward {
            let router = PLACES[0].addresses[usize::from(self.v6)];
            let (target, port) = self.outside.map_or((local, local_port), |port| (router, port));
            format!("{kind} net/{remote} {remote_port} {space}/{local} {local_port} {target} {port}\n")
        } else {
            format!("{kind} {space}/{local} {local_port} net/{remote} {remote_port} {remote} {remote_port}\n")
        }
    }
}

/// True if a match asks for a conversation, as its author reads it. A match without `tunnel` asks for no packet in one.
fn asks(model: &Model, asked: &Alternative, direction: Direction, talk: &Conversation) -> bool {
    let any = |set: &Option<PortSet>, ports: &[u16]| {
        let has = |set: &PortSet| {
            set.ranges().iter().any(|own| ports.iter().any(|port| (own.first..=own.last).contains(port)))
        };
        set.as_ref().is_none_or(has)
    };
    let (local, remote): (IpAddr, IpAddr) =
        (talk.local().parse().expect("an address"), talk.remote.parse().expect("an address"));
    let is_one = |list: &[Address], address| list.is_empty() || list.iter().any(|own| has(*own, address));
    let is_host = |index: &usize| {
        let host = &model.hosts[*index];
        let mac = PLACES[talk.place].mac.parse::<Mac>().ok();
        host.is_router && talk.by_router()
            || host.addresses.iter().any(|own| has(own.value, local))
            || host.mac.iter().any(|own| Some(own.value) == mac)
    };
    let is_in = |index: &usize| {
        let tunnel = &model.tunnels[*index];
        match tunnel.kind {
            // The outer packets are the conversation.
            TunnelKind::Openvpn => {
                talk.tunnel.is_none() && any(&tunnel.port, &[talk.local_port, talk.remote_port])
            }
            _ => talk.tunnel == Some(&tunnel.name),
        }
    };
    // Behind a forward, a host has both ports. A match without one reads the line alone.
    let near = match talk.outside {
        None => vec![talk.local_port],
        Some(outside) if asked.hosts.is_empty() && asked.local.is_empty() => vec![outside],
        Some(outside) => vec![outside, talk.local_port],
    };
    asked.direction.is_none_or(|only| only == direction)
        && asked.family.is_none_or(|only| only == talk.family())
        && (asked.protocol.is_empty()
            || asked.protocol.contains(if talk.tcp { &Protocol::TCP } else { &Protocol::UDP }))
        && any(&asked.local_port, &near)
        && any(&asked.remote_port, &[talk.remote_port])
        && any(&asked.port, &[&near[..], &[talk.remote_port]].concat())
        && is_one(&asked.local, local)
        && is_one(&asked.remote, remote)
        && (asked.hosts.is_empty() || asked.hosts.iter().any(is_host))
        && if asked.tunnels.is_empty() { talk.tunnel.is_none() } else { asked.tunnels.iter().any(is_in) }
}

fn has(list: Address, address: IpAddr) -> bool {
    match (list, address) {
        (Address::V4(net), IpAddr::V4(address)) => net.contains(&address),
        (Address::V6(net), IpAddr::V6(address)) => net.contains(&address),
        (Address::V6Interface { part, bits }, IpAddr::V6(address)) => {
            let mask = u128::MAX >> (128 - bits);
            Ipv6Addr::from_bits(address.to_bits() & mask) == part
        }
        _ => false,
    }
}

/// The place of the first match that asks for a conversation, and its class.
fn first<'a>(model: &'a Model, direction: Direction, talk: &Conversation) -> Option<(u32, &'a str)> {
    model.leaves().into_iter().find_map(|class| {
        let own = class.matches.iter().flatten().find(|own| asks(model, own, direction, talk))?;
        Some((own.span.line, class.name.as_str()))
    })
}

/// Returns the lines of the hosts that a match names.
fn hosts_of(model: &Model, line: u32) -> impl Iterator<Item = u32> {
    let own = model.alternatives().into_iter().filter(move |(_, own)| own.span.line == line);
    own.flat_map(|(_, own)| &own.hosts).map(|index| model.hosts[*index].span.line)
}

const DIRECTIONS: [Direction; 2] = [Direction::Up, Direction::Down];

/// The class that has all packets of a conversation except `few`; empty if there is none.
fn holder(landed: &BTreeMap<String, u64>, few: u64) -> &str {
    let most = landed.iter().max_by_key(|(_, count)| **count);
    let others = |own: u64| landed.values().sum::<u64>() - own;
    most.filter(|(_, own)| **own + few >= MESSAGES && others(**own) <= few).map_or("", |(name, _)| name)
}

/// Draws a conversation that a match asks for in one direction at least, and no earlier match in that direction.
fn intended(random: &mut Random, model: &Model, line: u32) -> Conversation {
    let is_first = |talk: &Conversation| {
        DIRECTIONS.into_iter().any(|way| first(model, way, talk).is_some_and(|found| found.0 == line))
    };
    let drawn = (0..50_000).map(|_| Conversation::drawn(random, model)).find(is_first);
    drawn.unwrap_or_else(|| panic!("line {line}: no conversation is meant for this match"))
}

/// Draws a conversation for each forwarded port, family and protocol.
fn forwarded(random: &mut Random, model: &Model) -> Vec<Conversation> {
    let mut all = Vec::new();
    for v6 in [false, true].into_iter().filter(|v6| model.lan.translates(family(*v6))) {
        for (outside, place, local_port) in FORWARDS {
            for tcp in [false, true] {
                all.push(Conversation {
                    place,
                    v6,
                    tcp,
                    local_port,
                    remote: random.pick(&REMOTE[usize::from(v6)]),
                    remote_port: any_port(random),
                    inward: true,
                    outside: Some(outside),
                    tunnel: None,
                });
            }
        }
    }
    all
}

/// The translation of addresses for a file, and the ports that it forwards.
fn translation(model: &Model) -> String {
    let (mut from, mut to) = (String::new(), String::new());
    for (v6, ip, router) in [(false, "ip", PLACES[0].addresses[0]), (true, "ip6", PLACES[0].addresses[1])] {
        if !model.lan.translates(family(v6)) {
            continue;
        }
        let _ =
            writeln!(from, "meta nfproto {} oifname \"eth1\" masquerade", if v6 { "ipv6" } else { "ipv4" });
        for (outside, host, inside) in FORWARDS {
            let host = PLACES[host].addresses[usize::from(v6)];
            let host = if v6 { format!("[{host}]") } else { host.to_owned() };
            let _ = writeln!(
                to,
                "{ip} daddr {router} meta l4proto {{ tcp, udp }} th dport {outside} dnat {ip} to {host}:{inside}"
            );
        }
    }
    for (name, device) in [("office", "wg1"), ("phones", "wg0"), ("vps", "t-ipip")] {
        if model.tunnels.iter().any(|tunnel| tunnel.name == name && tunnel.nat.value) {
            let _ = writeln!(from, "oifname \"{device}\" masquerade");
        }
    }
    format!(
        "table inet translation {{
chain postrouting {{ type nat hook postrouting priority 100; {from} }}
chain prerouting {{ type nat hook prerouting priority -100; {to} }}
}}
"
    )
}

/// The class of a packet.
fn class_of(house: &House, packet: &Described) -> String {
    match meet(&house.model, &house.program, packet).end {
        End::Class { name, .. } => name,
        other => format!("{other:?}"),
    }
}

/// The counters of both devices, between which tc shows the qdisc of another one.
fn counters(house: &House, text: &str) -> Counters {
    let (up, rest) = text.split_once("qdisc noqueue").expect("two devices");
    let (_, down) = rest.split_once("\nclass").expect("the classes of downloads");
    Counters::of(&house.program, &format!("{up}== ifb\nclass{down}"))
}

#[test]
fn conversations_are_counted_in_the_explained_class() {
    let legs = LEGS.map(|(name, yaml, seed)| {
        let house = House::of(name, yaml.to_vec());
        assert_eq!(house.program.ifb.as_str(), format!("ifb-{name}"));
        let mut random = Random::new(seed);
        let lines: Vec<u32> = house.model.alternatives().iter().map(|(_, own)| own.span.line).collect();
        let mut pairs: Vec<(u32, Conversation)> = Vec::new();
        for line in lines.iter().chain(&lines) {
            pairs.push((*line, intended(&mut random, &house.model, *line)));
        }
        for talk in forwarded(&mut random, &house.model) {
            pairs.push((random.pick(&lines), talk));
        }
        for _ in 0..PAIRS {
            let line = random.pick(&lines);
            let talk = match random.chance(70) {
                true => intended(&mut random, &house.model, line),
                false => Conversation::drawn(&mut random, &house.model),
            };
            pairs.push((line, talk));
        }
        (name, yaml, house, pairs)
    });
    let (_, _, first_house, _) = &legs[0];
    let mut guest = first_house.guest("journey").variable("LEGS", &LEGS.map(|(name, ..)| name).join(" "));
    for (name, _, house, pairs) in &legs {
        guest = guest
            .file(&format!("legs/{name}.sh"), house.script.as_str())
            .file(&format!("legs/{name}.nft"), translation(&house.model))
            .file(
                &format!("legs/{name}.talks"),
                pairs.iter().map(|(_, talk)| talk.line()).collect::<String>(),
            );
    }
    let Some(report) = guest.run("journey.sh") else { return };

    let mut wrong = Vec::new();
    let (mut count, mut reached, mut missed, mut found) = (0, 0, 0, 0);
    // The number of conversations, and an example.
    let mut silent: BTreeMap<Where<'_>, (usize, String)> = BTreeMap::new();
    let mut different: BTreeMap<(Where<'_>, &str), (usize, String)> = BTreeMap::new();
    for (name, yaml, house, pairs) in &legs {
        let known: BTreeSet<&str> = house.program.classes.iter().map(|own| own.why.name.as_str()).collect();
        let named = |class: &str| known.get(class).copied().unwrap_or("none");
        for step in ["start", "check", "stop"] {
            report.expect_code(&format!("{name}/{step}"), 0);
        }
        let lost = report.text(&format!("out/{name}/lost"));
        if !lost.is_empty() {
            wrong.push(format!("{name}: {lost}"));
        }
        // Lines of the file with a finding. QUIC that a match misses and bits that it needs are other matters.
        let findings = qosc_compiler::compile(yaml, &Options::of(format!("{name}.yaml"))).findings;
        let findings = findings.iter().filter(|finding| !OTHERS.contains(&finding.code.to_string().as_str()));
        let lines: BTreeSet<u32> =
            findings.filter_map(|finding| Some(finding.labels.first()?.span.line)).collect();

        let text = report.text(&format!("out/{name}/counters"));
        let mut readings = text.split_terminator("== next\n").map(|text| counters(house, text));
        let mut before = readings.next().expect("the first reading");
        for (line, talk) in pairs {
            count += 1;
            let after =
                readings.next().unwrap_or_else(|| panic!("{name}: no counters after {}", talk.line()));
            let words = talk.words();
            let packet =
                Described::read(&words, &house.model).unwrap_or_else(|error| panic!("{words}: {error}"));
            let ways = [("up", packet.clone()), ("down", answer(&packet))];
            for (direction, (way, packet)) in DIRECTIONS.into_iter().zip(ways) {
                let class = class_of(house, &packet);
                let landed = after.since(&before, direction == Direction::Up);
                let example = format!("{words}: {}", talk.line());
                let session = if talk.tunnel.is_some() { SESSION } else { 0 };
                let counted = holder(&landed, session + if talk.inward { FIRST } else { 0 });
                if counted.is_empty() {
                    wrong.push(format!("{name} {way}: {class}, but {landed:?}: {example}"));
                } else if counted != class {
                    let place = (*name, named(&class), way);
                    let entry = different.entry((place, named(counted))).or_default();
                    *entry = (entry.0 + 1, example.clone());
                }
                let Some((of, meant)) = first(&house.model, direction, talk) else { continue };
                if of != *line {
                    continue;
                }
                let has_finding =
                    lines.contains(line) || hosts_of(&house.model, *line).any(|own| lines.contains(&own));
                // A host may have a class of its own in there.
                if class.split('/').next() == Some(meant) {
                    reached += 1;
                    continue;
                }
                missed += 1;
                found += usize::from(has_finding);
                if !has_finding {
                    let entry = silent.entry((name, meant, way)).or_default();
                    *entry = (entry.0 + 1, format!("{class}: {example}"));
                }
            }
            before = after;
        }
    }
    eprintln!(
        "{count} pairs; of the directions of intended ones, {reached} reach their match, and {missed} do not, {found} of \
         them with a finding"
    );
    for (place, (times, example)) in &silent {
        wrong.push(format!("silent: {place:?} {times} times, as in {example}"));
    }
    for (place, (times, example)) in &different {
        wrong.push(format!("different: {place:?} {times} times, as in {example}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
