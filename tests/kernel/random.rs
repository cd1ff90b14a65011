//! Random configurations of one link in which one class, `normal`, keeps its place, its kind of queue and most of the
//! line; everything else may be as it likes.

use std::fmt::Write as _;

/// The class that keeps its place.
pub const KEPT: &str = "normal";
/// The port of the house's end of what is in that class, and of the other.
pub const PORTS: (u16, u16) = (5004, 6004);

/// Where else a class may be.
const SLOTS: usize = 7;
/// Seeds of a slot: whether it is there and where; its numbers; its queue; what it matches.
const SLOT_PARTS: usize = 4;
/// Seeds of everything but the slots.
const COMMON: usize = 12;

/// A stream of numbers that is the same for the same seed: SplitMix64.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `least` to `most`, both included.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.next() % of.len() as u64).expect("small")]
    }
}

/// One configuration: each part of it grows from a seed of its own, so that a part can change alone.
#[derive(Clone)]
pub struct Config {
    seeds: Vec<u64>,
    /// `normal` is in a class `group`, which keeps its place, too.
    nested: bool,
}

impl Config {
    pub fn new(random: &mut Random, nested: bool) -> Self {
        let seeds = (0..COMMON + SLOTS * SLOT_PARTS).map(|_| random.next()).collect();
        Config { seeds, nested }
    }

    /// A neighbour: some parts are others, or all.
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

    /// The configuration as YAML, for a device of this name.
    pub fn yaml(&self, name: &str, device: &str) -> String {
        let mut out = format!("name: {name}\n");
        self.link(device, &mut out);
        out += "lan: { device: br-lan, networks: [192.168.1.0/24], nat: false }\n";
        self.tuning(&mut out);
        if !self.nested && self.part(0).chance(8) {
            out += "classes: { preset: home }\n";
        } else {
            self.classes(&mut out);
        }
        self.police(&mut out);
        out
    }

    fn link(&self, device: &str, out: &mut String) {
        let (mut rates, mut wire, mut extras) = (self.part(1), self.part(2), self.part(3));
        let (up, down) = (rates.within(4000, 4500), rates.within(4000, 4500));
        let _ = write!(out, "link: {{ device: {device}, up: {up}kbit, down: {down}kbit");
        if wire.chance(50) {
            let profile = wire.pick(&["docsis", "ethernet", "ethernet-vlan", "fibre", "vdsl2-pppoe", "raw"]);
            let _ = write!(out, ", profile: {profile}");
        } else {
            // Below 14 only a size table on the root can say it, so such a step builds the tree anew.
            let overhead = if wire.chance(12) { wire.within(0, 13) } else { wire.within(14, 48) };
            let layer = wire.pick(&["ethernet", "ethernet", "ptm", "atm"]);
            let mpu = wire.pick(&[0, 0, 64, 84]);
            let _ = write!(out, ", overhead: {overhead}, layer: {layer}, mpu: {mpu}");
        }
        if extras.chance(50) {
            let _ =
                write!(out, ", margin: {{ up: {}%, down: {}% }}", extras.within(0, 8), extras.within(0, 8));
        }
        if extras.chance(30) {
            let _ = write!(out, ", wash: {}", extras.pick(&["up", "down", "both"]));
        }
        let _ = writeln!(out, ", trust_dscp: {} }}", self.trusts_dscp());
    }

    fn trusts_dscp(&self) -> bool {
        self.part(4).chance(50)
    }

    fn tuning(&self, out: &mut String) {
        let mut random = self.part(5);
        let mut words = Vec::new();
        if random.chance(30) {
            words.push(format!("offloads: {}", random.pick(&["auto", "keep"])));
        }
        if random.chance(30) {
            words.push(format!("txqueuelen: {}", random.within(100, 2000)));
        }
        if random.chance(30) {
            words.push(format!("tcp: {{ rtt: {}ms }}", random.within(10, 100)));
        }
        if random.chance(20) {
            words.push(format!("ecn: {}", random.pick(&["true", "false"])));
        }
        if !words.is_empty() {
            let _ = writeln!(out, "tuning: {{ {} }}", words.join(", "));
        }
    }

    fn classes(&self, out: &mut String) {
        out.push_str("classes:\n");
        let above = if self.nested { Some(SLOTS) } else { None };
        // Who stands where: a slot is below an earlier one, below `group`, or at the top.
        let mut parents: Vec<Option<Option<usize>>> = Vec::new();
        for slot in 0..SLOTS {
            let mut random = self.slot(slot, 0);
            let there = random.chance(75);
            let below = match random.within(0, 5) {
                0 | 1 if slot > 0 => {
                    let other = usize::try_from(random.next() % slot as u64).expect("small");
                    // Three deep at most.
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
        let front = self.part(6).chance(50);
        if front {
            self.kept(&parents, out);
        }
        for slot in 0..SLOTS {
            if parents[slot] == Some(None) {
                self.class(slot, &parents, 2, out);
            }
        }
        if !front {
            self.kept(&parents, out);
        }
        let mut rest = self.part(7);
        if !self.kept_is_default() {
            let _ = writeln!(
                out,
                "  rest: {{ default: true, priority: {}, queue: {} }}",
                rest.within(0, 7),
                queue(&mut rest)
            );
        }
    }

    fn kept_is_default(&self) -> bool {
        !self.nested && self.part(8).chance(30)
    }

    fn kept(&self, parents: &[Option<Option<usize>>], out: &mut String) {
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
            // Of the line it must be 70 % at least, and the class above may have 85 % of that.
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
        // A guest that its host keeps waiting is late with everything: that is no reason to drop.
        let patient = format!("target: {}ms, interval: {}ms", leaf.within(60, 90), leaf.within(600, 900));
        let _ = writeln!(out, "{pad}  queue: {}", fq_codel(&mut leaf, &patient));
        if self.kept_is_default() {
            let _ = writeln!(out, "{pad}  default: true");
        } else {
            let what = numbers.pick(&[
                "protocol: udp, local_port: 5004",
                "protocol: udp, remote_port: 6000-6010",
                "protocol: [udp, tcp], local_port: 5000-5010, remote_port: 6004",
                "protocol: udp, local: 192.168.1.10",
            ]);
            let _ = writeln!(out, "{pad}  match: [{{ {what} }}]");
        }
        for slot in 0..SLOTS {
            if self.nested && parents[slot] == Some(Some(SLOTS)) {
                self.class(slot, parents, indent, out);
            }
        }
    }

    fn class(&self, slot: usize, parents: &[Option<Option<usize>>], indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        let (mut place, mut numbers) = (self.slot(slot, 0), self.slot(slot, 1));
        let (mut leaf, mut what) = (self.slot(slot, 2), self.slot(slot, 3));
        let name = if place.next() % 8 == 0 { "other" } else { "class" };
        let children: Vec<usize> = (0..SLOTS).filter(|child| parents[*child] == Some(Some(slot))).collect();
        let _ = writeln!(out, "{pad}{name}-{slot}:");
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
            let _ = writeln!(out, "{pad}  queue: {}", queue(&mut leaf));
            if numbers.chance(15) {
                let _ = writeln!(out, "{pad}  set_dscp: {}", numbers.pick(&["ef", "cs1", "af41"]));
            }
            let alternatives: Vec<String> =
                (0..what.within(1, 3)).map(|_| self.alternative(slot, &mut what)).collect();
            let _ = writeln!(out, "{pad}  match: [{}]", alternatives.join(", "));
        } else {
            let _ = writeln!(out, "{pad}  classes:");
            for child in children {
                self.class(child, parents, indent + 4, out);
            }
        }
    }

    /// Whatever it is, it takes nothing of the class that keeps its place.
    fn alternative(&self, slot: usize, random: &mut Random) -> String {
        let port = 1000 + 100 * slot as u64 + random.within(0, 90);
        match random.within(0, 7) {
            0 => format!("{{ protocol: tcp, remote_port: {port} }}"),
            1 => format!("{{ protocol: [udp, tcp], remote_port: {}-{port} }}", port - random.within(0, 30)),
            2 => format!("{{ protocol: udp, port: {port} }}"),
            3 => format!("{{ remote: 203.0.113.{}/{} }}", 16 * random.within(0, 15), 28),
            4 => format!("{{ local: \"2001:db8:1:{port}::/64\", protocol: tcp }}"),
            5 => {
                let way = if self.trusts_dscp() { "" } else { ", direction: up" };
                format!("{{ dscp: {}{way} }}", random.within(1, 63))
            }
            6 => format!("{{ length: \"<{}\", protocol: {} }}", random.within(60, 200), 200 + slot),
            _ => format!("{{ mark: {:#x}/0xff, direction: up }}", random.within(1, 255)),
        }
    }

    fn police(&self, out: &mut String) {
        let mut all = String::new();
        for number in 0..2 {
            let mut random = self.slot(number, 2);
            let mut random = Random::new(random.next());
            if !random.chance(40) {
                continue;
            }
            let direction = random.pick(&["up", "down"]);
            let what = format!("protocol: {}", random.pick(&[210, 211, 212]));
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

/// Any kind of queue.
fn queue(random: &mut Random) -> String {
    match random.within(0, 5) {
        0 => format!("{{ kind: fifo, limit: {} }}", random.within(20, 500)),
        1 => format!(
            "{{ kind: cake, rtt: {}ms, diffserv: {}, ack_filter: {}, wash: {} }}",
            random.within(20, 200),
            random.pick(&["besteffort", "diffserv3", "diffserv4", "diffserv8"]),
            random.pick(&["true", "false"]),
            random.pick(&["true", "false"])
        ),
        _ => fq_codel(random, ""),
    }
}

/// With these times, or with any, and any number of flows, which can only be told when the queue is made.
fn fq_codel(random: &mut Random, times: &str) -> String {
    let mut words = vec!["kind: fq_codel".to_owned()];
    if !times.is_empty() {
        words.push(times.to_owned());
    } else {
        if random.chance(40) {
            words.push(format!("target: {}ms", random.within(5, 20)));
            words.push(format!("interval: {}ms", random.within(100, 300)));
        }
        if random.chance(30) {
            words.push(format!("flows: {}", random.pick(&[64, 256, 512])));
        }
    }
    if random.chance(40) {
        words.push(format!("limit: {}", random.within(200, 2000)));
    }
    if random.chance(40) {
        words.push(format!("quantum: {}", random.within(300, 1514)));
    }
    if random.chance(40) {
        words.push(format!("ecn: {}", random.pick(&["true", "false"])));
    }
    if random.chance(30) {
        words.push(format!("memory: {}MiB", random.within(1, 8)));
    }
    format!("{{ {} }}", words.join(", "))
}
