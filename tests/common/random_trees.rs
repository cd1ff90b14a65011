//! Random trees of HTB with filters, as commands of tc and as tc prints them, and the class that the kernel gives a packet.

use crate::split_mix::SplitMix;
use std::fmt::Write as _;

/// A stream of numbers that depends only on its seed.
pub struct Random(pub SplitMix);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0.next() % most
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).expect("small")]
    }
}

/// Fields of a packet of IPv4 or IPv6 that filters look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fields {
    pub v6: bool,
    pub protocol: u8,
    /// Last two bytes of the addresses 10.0.x.x and 2001:db8::x.
    pub source: u16,
    pub target: u16,
    pub from: u16,
    pub to: u16,
    pub mark: u32,
}

/// A filter: what a packet must have, and the class.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub v6: Option<bool>,
    pub protocol: Option<u8>,
    /// Value and number of leading bits.
    pub source: Option<(u16, u32)>,
    pub target: Option<(u16, u32)>,
    pub from: Option<u16>,
    pub to: Option<u16>,
    pub mark: Option<u32>,
    pub class: u16,
}

/// A class with its parent, `rate` and `ceil` in Mbit/s, and priority.
#[derive(Debug, Clone, Copy)]
pub struct Class {
    pub minor: u16,
    pub parent: u16,
    pub rate: u64,
    pub ceil: u64,
    pub prio: u64,
}

#[derive(Debug, Clone)]
pub struct Tree {
    pub default: u16,
    pub classes: Vec<Class>,
    pub filters: Vec<Filter>,
}

impl Filter {
    fn random(random: &mut Random, classes: &[Class]) -> Self {
        let mut one = Filter { class: random.pick(classes).minor, ..Filter::default() };
        if random.below(30) == 0 {
            one.class = 0x777;
        }
        match random.below(8) {
            0 => return Filter { mark: Some(u32::try_from(random.below(4)).unwrap() + 1), ..one },
            1 if random.below(4) == 0 => return one,
            _ => {}
        }
        one.v6 = Some(random.below(3) == 0);
        let chance = |random: &mut Random| random.below(3) == 0;
        if chance(random) {
            one.source = Some((random.pick(&[0x100, 0x105, 0x203]), random.pick(&[8, 14, 16])));
        }
        if chance(random) {
            one.target = Some((random.pick(&[0x101, 0x208, 0x2ff]), random.pick(&[8, 14, 16])));
        }
        if chance(random) || one.source.is_none() && one.target.is_none() {
            one.protocol = Some(random.pick(&[6, 17]));
            if random.below(2) == 0 {
                one.to = Some(random.pick(&[53, 80, 443]));
            }
            if chance(random) {
                one.from = Some(random.pick(&[5000, 5001]));
            }
        }
        one
    }

    fn takes(&self, packet: &Fields) -> bool {
        let prefix = |own: Option<(u16, u32)>, value: u16| {
            own.is_none_or(|(own, bits)| (own ^ value) >> (16 - bits) == 0)
        };
        self.v6.is_none_or(|v6| v6 == packet.v6)
            && self.protocol.is_none_or(|own| own == packet.protocol)
            && prefix(self.source, packet.source)
            && prefix(self.target, packet.target)
            && self.from.is_none_or(|own| own == packet.from)
            && self.to.is_none_or(|own| own == packet.to)
            && self.mark.is_none_or(|own| own == packet.mark)
    }

    /// Offsets, values and masks of the words.
    fn words(&self) -> Vec<(u32, u32, u32)> {
        let v6 = self.v6 == Some(true);
        let mut words = Vec::new();
        if let Some(protocol) = self.protocol.map(u32::from) {
            words.push(if v6 { (4, protocol << 8, 0xff00) } else { (8, protocol << 16, 0xff_0000) });
        }
        for (own, at, high) in [(self.source, [8, 12], 0), (self.target, [24, 16], 0)] {
            if let Some((value, bits)) = own {
                let mask = u32::from(!(u16::MAX.checked_shr(bits).unwrap_or(0)));
                let value = u32::from(value) & mask | high;
                if v6 {
                    words.push((at[0], 0x2001_0db8, u32::MAX));
                    words.extend([(at[0] + 4, 0, u32::MAX), (at[0] + 8, 0, u32::MAX)]);
                    words.push((at[0] + 12, value, mask | 0xffff_0000));
                } else {
                    words.push((at[1], 0x0a00_0000 | value, mask | 0xffff_0000));
                }
            }
        }
        let at = if v6 { 40 } else { 20 };
        words.extend(self.from.map(|port| (at, u32::from(port) << 16, 0xffff_0000)));
        words.extend(self.to.map(|port| (at, u32::from(port), 0xffff)));
        words
    }

    const fn protocol_name(&self) -> &'static str {
        match self.v6 {
            None => "all",
            Some(false) => "ip",
            Some(true) => "ipv6",
        }
    }
}

impl Tree {
    pub fn random(random: &mut Random) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        if random.below(4) > 0 {
            classes.push(Class { minor: 1, parent: 0, rate: 100, ceil: 100, prio: 0 });
        }
        for number in 0..2 + random.below(5) {
            let inner = classes.iter().filter(|class| class.minor < 4).map(|class| class.minor);
            let parent =
                random.pick(&inner.chain(classes.first().map_or(Some(0), |_| None)).collect::<Vec<_>>());
            // classes 2 and 3 may have children
            let minor = u16::try_from(if number < 2 { 2 + number } else { 0x10 * number }).unwrap();
            let rate = 1 + random.below(20);
            classes.push(Class {
                minor,
                parent,
                rate,
                ceil: rate + random.below(2) * 30,
                prio: random.below(4),
            });
        }
        let filters = (0..random.below(7)).map(|_| Filter::random(random, &classes)).collect();
        let default = if random.below(6) == 0 { 0 } else { random.pick(&classes).minor };
        Tree { default, classes, filters }
    }

    fn is_leaf(&self, minor: u16) -> bool {
        self.classes.iter().any(|class| class.minor == minor)
            && !self.classes.iter().any(|class| class.parent == minor)
    }

    /// The class of a packet, as `htb_classify` finds it; `None` if the packet bypasses the classes.
    pub fn class(&self, packet: &Fields) -> Option<u16> {
        let found = self.filters.iter().find(|filter| filter.takes(packet)).map(|filter| filter.class);
        [found, Some(self.default)].into_iter().flatten().find(|class| self.is_leaf(*class))
    }

    /// Packets that filters take or nearly take.
    pub fn packets(&self, random: &mut Random, count: usize) -> Vec<Fields> {
        let mut out = Vec::new();
        for _ in 0..count {
            let mut one = Fields {
                v6: random.below(2) == 0,
                protocol: random.pick(&[6, 17]),
                source: random.pick(&[0x100, 0x105, 0x203, 0x909]),
                target: random.pick(&[0x101, 0x208, 0x2ff, 0x909]),
                from: random.pick(&[5000, 5001, 4444]),
                to: random.pick(&[53, 80, 443, 4444]),
                mark: random.pick(&[0, 0, 1, 2, 4]),
            };
            if let Some(filter) = self.filters.get(usize::try_from(random.below(8)).unwrap()) {
                one.v6 = filter.v6.unwrap_or(one.v6);
                one.protocol = filter.protocol.unwrap_or(one.protocol);
                one.source = filter.source.map_or(one.source, |own| own.0);
                one.target = filter.target.map_or(one.target, |own| own.0);
                one.to = filter.to.unwrap_or(one.to);
            }
            out.push(one);
        }
        out
    }

    /// Commands of tc that set the tree up at a device.
    pub fn commands(&self, device: &str) -> String {
        let mut out = format!("qdisc add dev {device} root handle 1: htb default {:x}\n", self.default);
        for Class { minor, parent, rate, ceil, prio } in &self.classes {
            let parent = if *parent == 0 { "1:".to_owned() } else { format!("1:{parent:x}") };
            let _infallible = writeln!(
                out,
                "class add dev {device} parent {parent} classid 1:{minor:x} htb rate {rate}mbit ceil {ceil}mbit prio {prio}"
            );
        }
        for (pref, filter) in (1..).zip(&self.filters) {
            let head =
                format!("filter add dev {device} parent 1: protocol {} pref {pref}", filter.protocol_name());
            let words: String = (filter.words().iter())
                .map(|(at, value, mask)| format!(" match u32 {value:#x} {mask:#x} at {at}"))
                .collect();
            let class = format!("1:{:x}", filter.class);
            let _infallible = match filter.mark {
                Some(mark) => writeln!(out, "{head} handle {mark:#x} fw flowid {class}"),
                None if words.is_empty() => writeln!(out, "{head} matchall flowid {class}"),
                None => writeln!(out, "{head} u32{words} flowid {class}"),
            };
        }
        out
    }

    /// The tree as tc prints it.
    pub fn dump(&self, device: &str) -> String {
        let mut out = format!(
            "==> tc -d qdisc show dev {device}\nqdisc htb 1: root refcnt 2 r2q 10 default {:#x} direct_packets_stat 0\n==> tc -d class show dev {device}\n",
            self.default
        );
        for Class { minor, parent, rate, ceil, prio } in &self.classes {
            let place = if *parent == 0 { "root".to_owned() } else { format!("parent 1:{parent:x}") };
            let prio = if self.is_leaf(*minor) { format!("prio {prio} ") } else { String::new() };
            let _infallible = writeln!(
                out,
                "class htb 1:{minor:x} {place} {prio}rate {rate}Mbit ceil {ceil}Mbit linklayer ethernet burst 1600b/1 mpu 0b cburst 1600b/1 mpu 0b level 0"
            );
        }
        let _infallible = writeln!(out, "==> tc -d filter show dev {device}");
        for (pref, filter) in (1..).zip(&self.filters) {
            let (head, class) =
                (format!("filter parent 1: protocol {} pref {pref}", filter.protocol_name()), filter.class);
            let table = 0x7ff + pref;
            let words = filter.words();
            let _infallible = match filter.mark {
                Some(mark) => writeln!(out, "{head} fw chain 0 handle {mark:#x} classid 1:{class:x}"),
                None if words.is_empty() => {
                    writeln!(out, "{head} matchall chain 0 handle 0x1 flowid 1:{class:x}")
                }
                None => writeln!(
                    out,
                    "{head} u32 chain 0 fh {table:x}::800 order 2048 key ht {table:x} bkt 0 flowid 1:{class:x} not_in_hw"
                ),
            };
            for (at, value, mask) in words {
                let _infallible = writeln!(out, "  match {value:08x}/{mask:08x} at {at}");
            }
        }
        out
    }
}
