//! Random configurations of one link. One class, `normal`, keeps its place, its kind of queue and most of the line.
//! Everything else is random.

mod hosts;
mod line;
mod queues;

use crate::split_mix::SplitMix;
use hosts::Crowd;
pub use hosts::WATCHED;
use queues::{cake, fq_codel, shared};
use std::fmt::Write as _;

/// The class that keeps its place.
pub const KEPT: &str = "normal";
/// The local and the remote port of the streams in that class.
pub const PORTS: (u16, u16) = (5004, 6004);

/// The number of slots, which are places for other classes.
const SLOTS: usize = 7;
/// The number of seeds of a slot: for its presence and place, its numbers, its queue, and its matches.
const SLOT_PARTS: usize = 4;
/// The number of seeds before those of the slots.
const COMMON: usize = 12;
/// The index of the hosts' first seed.
const HOSTS: usize = COMMON + SLOTS * SLOT_PARTS;

/// A stream of numbers that depends only on its seed.
#[derive(Clone)]
pub struct Random(SplitMix);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(SplitMix(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// A number from `least` to `most`, both included.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// Returns true in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.next() % of.len() as u64).expect("small")]
    }
}

/// The places of the slots, and the hosts.
type Around<'a> = (&'a [Option<Option<usize>>], &'a Crowd);

/// A configuration. Each of its parts grows from a seed of its own, so that a part can change alone.
#[derive(Clone)]
pub struct Config {
    seeds: Vec<u64>,
    /// `normal` is in a class `group`, which keeps its place too.
    nested: bool,
}

impl Config {
    pub fn new(random: &mut Random, nested: bool) -> Self {
        let seeds = (0..HOSTS + hosts::CROWD * hosts::PARTS).map(|_| random.next()).collect();
        Config { seeds, nested }
    }

    /// Returns a neighbour: some parts have other seeds, or all have.
    pub fn next(&self, random: &mut Random) -> Self {
        if random.chance(25) {
            return Config::new(random, self.nested);
        }
        let mut next = self.clone();
        for _ in 0..random.within(1, 4) {
            let part = usize::try_from(random.next() % self.seeds.len() as u64).expect("small");
            next.seeds[part] = random.next();
        }
        next
    }

    fn part(&self, number: usize) -> Random {
        Random::new(self.seeds[number])
    }

    fn slot(&self, slot: usize, part: usize) -> Random {
        self.part(COMMON + slot * SLOT_PARTS + part)
    }

    /// Returns the configuration as YAML, for a device with this name.
    pub fn yaml(&self, name: &str, device: &str) -> String {
        let mut out = format!("name: {name}\n");
        self.link(device, &mut out);
        out += "lan: { device: br-lan, networks: [192.168.1.0/24], nat: false }\n";
        self.tuning(&mut out);
        let crowd = self.crowd();
        if !self.nested && self.part(0).chance(8) {
            crowd.yaml(&[], false, "", &mut out);
            out += "classes: { preset: home }\n";
        } else {
            crowd.yaml(&self.homes(), !self.kept_is_default(), &self.promised(), &mut out);
            self.classes(&crowd, &mut out);
        }
        self.police(&crowd, &mut out);
        out
    }

    fn crowd(&self) -> Crowd {
        let at = |host: usize| HOSTS + host * hosts::PARTS;
        Crowd::new(|host| (self.part(at(host)), self.part(at(host) + 1)))
    }

    /// The leaf classes in which host classes may appear and disappear. In the group, `normal` is one of them, because
    /// the class of the streams' host is in it and stays.
    fn homes(&self) -> Vec<String> {
        let parents = self.parents();
        let is_leaf = |slot: &usize| parents[*slot].is_some() && !parents.contains(&Some(Some(*slot)));
        let mut homes: Vec<String> = (0..SLOTS).filter(is_leaf).map(|slot| self.name(slot)).collect();
        if !self.kept_is_default() {
            homes.push("rest".to_owned());
        }
        if self.nested {
            homes.push(KEPT.to_owned());
        }
        homes
    }

    /// The promise to the streams' host. In the group, it always has one.
    fn promised(&self) -> String {
        if !self.nested {
            return String::new();
        }
        let mut random = self.part(8);
        let guarantee = format!("{{ up: {}%, down: {}% }}", random.within(20, 60), random.within(20, 60));
        let ceiling =
            if random.chance(40) { format!(", ceiling: {}%", random.within(97, 100)) } else { String::new() };
        format!(", class: {KEPT}, guarantee: {guarantee}{ceiling}")
    }

    fn trusts_dscp(&self) -> bool {
        self.part(4).chance(50)
    }

    /// The place of each slot: below an earlier slot, below `group`, or at the top. `None` is a slot without a class.
    fn parents(&self) -> Vec<Option<Option<usize>>> {
        let above = if self.nested { Some(SLOTS) } else { None };
        let mut parents: Vec<Option<Option<usize>>> = Vec::new();
        for slot in 0..SLOTS {
            let mut random = self.slot(slot, 0);
            let there = random.chance(75);
            let below = match random.within(0, 5) {
                0 | 1 if slot > 0 => {
                    let other = usize::try_from(random.next() % slot as u64).expect("small");
                    // Three levels at most.
                    parents[other].and_then(|up| match up {
                        Some(up) if up != SLOTS && parents[up].flatten().is_some() => None,
                        _ => Some(other),
                    })
                }
                2 => above,
                _ => None,
            };
            parents.push(there.then_some(below));
        }
        parents
    }

    fn classes(&self, crowd: &Crowd, out: &mut String) {
        out.push_str("classes:\n");
        let parents = self.parents();
        let front = self.part(6).chance(50);
        if front {
            self.kept((&parents, crowd), out);
        }
        for slot in 0..SLOTS {
            if parents[slot] == Some(None) {
                self.class(slot, (&parents, crowd), 2, out);
            }
        }
        if !front {
            self.kept((&parents, crowd), out);
        }
        let mut rest = self.part(7);
        if !self.kept_is_default() {
            let _ = writeln!(
                out,
                "  rest:\n    default: true\n    priority: {}\n    {}",
                rest.within(0, 7),
                shared(&mut rest).join("\n    ")
            );
        }
    }

    fn kept_is_default(&self) -> bool {
        !self.nested && self.part(8).chance(30)
    }

    fn kept(&self, (parents, crowd): Around<'_>, out: &mut String) {
        let (mut numbers, mut leaf, mut group) = (self.part(9), self.part(10), self.part(11));
        let mut indent = 2;
        if self.nested {
            let _ = write!(out, "  group:\n    guarantee: {}%\n", group.within(40, 55));
            if group.chance(50) {
                let _ = writeln!(out, "    ceiling: {}%", group.within(85, 100));
            }
            out.push_str("    classes:\n");
            indent = 6;
        }
        let pad = " ".repeat(indent);
        let _ = writeln!(out, "{pad}{KEPT}:\n{pad}  priority: {}", numbers.within(0, 7));
        if numbers.chance(70) {
            let _ = writeln!(
                out,
                "{pad}  guarantee: {{ up: {}%, down: {}% }}",
                numbers.within(10, 40),
                numbers.within(10, 40)
            );
        }
        if numbers.chance(60) {
            // The streams need at least 70 % of the line, and the class above may have only 85 % of it.
            let least = if self.nested { 85 } else { 70 };
            let _ = writeln!(
                out,
                "{pad}  ceiling: {{ up: {}%, down: {}% }}",
                numbers.within(least, 100),
                numbers.within(least, 100)
            );
        }
        if numbers.chance(20) {
            let _ = writeln!(out, "{pad}  set_dscp: {}", numbers.pick(&["af21", "cs2", "le"]));
        }
        // If the machine delays the guest, every packet is late. The long target or round-trip time avoids drops for
        // that reason. At the top, hosts share the class, as by default. In the group, it has host classes with its own
        // kind of queue.
        if self.nested {
            let patient = format!("target: {}ms, interval: {}ms", leaf.within(60, 90), leaf.within(600, 900));
            let _ = writeln!(out, "{pad}  queue: {}", fq_codel(&mut leaf, &patient));
        } else {
            let rtt = leaf.within(600, 900);
            let _ =
                writeln!(out, "{pad}  share: per-host\n{pad}  queue: {}", cake(&mut leaf, rtt, "besteffort"));
        }
        if self.kept_is_default() {
            let _ = writeln!(out, "{pad}  default: true");
        } else {
            let what = numbers.pick(&[
                "protocol: udp, local_port: 5004",
                "protocol: udp, remote_port: 6000-6010",
                "protocol: [udp, tcp], local_port: 5000-5010, remote_port: 6004",
                "protocol: udp, local: 192.168.1.10",
                "protocol: udp, host: desk",
            ]);
            let _ = writeln!(out, "{pad}  match: [{{ {what} }}]");
        }
        for slot in 0..SLOTS {
            if self.nested && parents[slot] == Some(Some(SLOTS)) {
                self.class(slot, (parents, crowd), indent, out);
            }
        }
    }

    fn class(&self, slot: usize, around: Around<'_>, indent: usize, out: &mut String) {
        let (parents, crowd) = around;
        let pad = " ".repeat(indent);
        let mut numbers = self.slot(slot, 1);
        let (mut leaf, mut what) = (self.slot(slot, 2), self.slot(slot, 3));
        let children: Vec<usize> = (0..SLOTS).filter(|child| parents[*child] == Some(Some(slot))).collect();
        let _ = writeln!(out, "{pad}{}:", self.name(slot));
        if numbers.chance(40) {
            let _ = writeln!(out, "{pad}  guarantee: {}%", numbers.within(2, 6));
        }
        if numbers.chance(40) {
            let _ = writeln!(
                out,
                "{pad}  ceiling: {{ up: {}%, down: {}% }}",
                numbers.within(50, 100),
                numbers.within(50, 100)
            );
        }
        if children.is_empty() {
            let _ = writeln!(out, "{pad}  priority: {}", numbers.within(0, 7));
            let _ = writeln!(out, "{pad}  {}", shared(&mut leaf).join(&format!("\n{pad}  ")));
            if numbers.chance(15) {
                let _ = writeln!(out, "{pad}  set_dscp: {}", numbers.pick(&["ef", "cs1", "af41"]));
            }
            let alternatives: Vec<String> =
                (0..what.within(1, 3)).map(|_| self.alternative(slot, crowd, &mut what)).collect();
            let _ = writeln!(out, "{pad}  match: [{}]", alternatives.join(", "));
        } else {
            let _ = writeln!(out, "{pad}  classes:");
            for child in children {
                self.class(child, around, indent + 4, out);
            }
        }
    }

    fn name(&self, slot: usize) -> String {
        let name = if self.slot(slot, 0).next().is_multiple_of(8) { "other" } else { "class" };
        format!("{name}-{slot}")
    }

    /// Returns a match that never covers the streams of `normal`.
    fn alternative(&self, slot: usize, crowd: &Crowd, random: &mut Random) -> String {
        let port = 1000 + 100 * slot as u64 + random.within(0, 90);
        let hosts = if random.chance(25) { crowd.some(random) } else { None };
        if let Some(hosts) = hosts {
            return match random.within(0, 3) {
                0 => format!("{{ host: {hosts} }}"),
                1 => format!("{{ host: {hosts}, protocol: tcp, remote_port: {port} }}"),
                2 => format!("{{ host: {hosts}, length: \"<{}\" }}", random.within(60, 200)),
                _ => format!("{{ host: {hosts}, direction: {} }}", random.pick(&["up", "down"])),
            };
        }
        match random.within(0, 7) {
            0 => format!("{{ protocol: tcp, remote_port: {port} }}"),
            1 => format!("{{ protocol: [udp, tcp], remote_port: {}-{port} }}", port - random.within(0, 30)),
            2 => format!("{{ protocol: udp, port: {port} }}"),
            3 => format!("{{ remote: 203.0.113.{}/{} }}", 16 * random.within(0, 15), 28),
            4 => format!("{{ local: \"2001:db8:1:{port}::/64\", protocol: tcp }}"),
            5 => {
                let direction = if self.trusts_dscp() { "" } else { ", direction: up" };
                format!("{{ dscp: {}{direction} }}", random.within(1, 63))
            }
            6 => {
                let ecn = if port.is_multiple_of(2) { ", ecn: [ect1, ce]" } else { "" };
                format!("{{ length: \"<{}\", protocol: {}{ecn} }}", random.within(60, 200), 200 + slot)
            }
            _ => format!("{{ mark: {:#x}/0xff, direction: up }}", random.within(1, 255)),
        }
    }

    fn police(&self, crowd: &Crowd, out: &mut String) {
        let mut all = String::new();
        for number in 0..2 {
            let mut random = self.slot(number, 2);
            let mut random = Random::new(random.next());
            if !random.chance(40) {
                continue;
            }
            let direction = random.pick(&["up", "down"]);
            let hosts = if random.chance(50) { crowd.some(&mut random) } else { None };
            let what = match hosts {
                Some(hosts) => format!("host: {hosts}"),
                None => format!("protocol: {}", random.pick(&[210, 211, 212])),
            };
            let rate = random.within(100, 900);
            let exceed =
                random.pick(&["", ", exceed: drop", ", exceed: reclassify normal", ", bypass: true"]);
            let _ = writeln!(
                all,
                "  police-{number}: {{ direction: {direction}, match: [{{ {what} }}], rate: {rate}kbit{exceed} }}"
            );
        }
        if !all.is_empty() {
            let _ = write!(out, "police:\n{all}");
        }
    }
}
