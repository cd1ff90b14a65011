//! Reads the kernel's counters of classes and queues from the output of `tc -s`.

use super::dump::Dump;
use super::words;
use qosc_compiler::tc::{ROOT, class_minor};
use qosc_compiler::units::{Micros, Rate};
use std::collections::BTreeMap;

/// Counters of a class since the kernel created it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// `true` if the kernel has the class. The other fields are `None` if tc ran without `-s`.
    pub present: bool,
    /// Bytes sent.
    pub sent: Option<u64>,
    /// Packets sent. Those that CAKE dropped later are not in it.
    pub packets: Option<u64>,
    /// Packets dropped.
    pub dropped: Option<u64>,
    /// Backlog in bytes (as tc rounds them) and in packets.
    pub backlog: Option<(u64, u64)>,
    /// Sending rate since an earlier sample.
    pub rate: Option<Rate>,
    /// Packets dropped since an earlier sample.
    pub drops: Option<u64>,
    /// Dropped packets among 1000 packets since an earlier sample.
    pub lost: Option<u64>,
    /// Guarantee of a class, as tc rounds it.
    pub guarantee: Option<Rate>,
    /// Ceiling of a class, or bandwidth of a CAKE, as tc rounds it.
    pub ceiling: Option<Rate>,
    /// Average queueing delay, which only CAKE measures. It keeps its value while no packet comes.
    pub delay: Option<Micros>,
}

impl Seen {
    /// Returns `true` if there is any counter.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.sent.is_some() || self.dropped.is_some() || self.backlog.is_some()
    }

    /// Sets the rate and the drops since an earlier sample, which is `us` microseconds old. If something was created in
    /// between, its counters are lower, and it gets neither.
    fn since(&mut self, before: &Seen, us: u64) {
        let grown = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        let bits = grown(self.sent, before.sent).map(|bytes| u128::from(bytes) * 8_000_000);
        let rate = bits.and_then(|bits| bits.checked_div(u128::from(us)));
        self.rate = rate.and_then(|rate| u64::try_from(rate).ok()).map(Rate::from_bps);
        self.drops = grown(self.dropped, before.dropped);
        self.lost = self
            .drops
            .zip(grown(self.packets, before.packets))
            .and_then(|(drops, sent)| drops.saturating_mul(1000).checked_div(drops.saturating_add(sent)));
    }
}

/// What is counted on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The whole tree.
    Total,
    /// An HTB class, by the minor number of its id in slot a.
    Class(u16),
    /// A CAKE tin, by its number from 1.
    Tin(u16),
}

impl Subject {
    /// Returns the HTB class with this number.
    #[must_use]
    pub const fn class(number: u16) -> Subject {
        Subject::Class(class_minor(number))
    }
}

/// Counters of the tree on one device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted(BTreeMap<Subject, Seen>);

impl Counted {
    /// Returns the counters of a subject; none are known if the kernel lacks it.
    #[must_use]
    pub fn get(&self, subject: Subject) -> Seen {
        self.0.get(&subject).copied().unwrap_or_default()
    }

    /// Returns all subjects with their counters.
    pub fn iter(&self) -> impl Iterator<Item = (Subject, &Seen)> {
        self.0.iter().map(|(subject, seen)| (*subject, seen))
    }

    /// Returns the counters of a device from a dump; `None` if the device has no tree of the script.
    #[must_use]
    pub fn of(dump: &Dump<'_>, device: &str) -> Option<Counted> {
        let mut counted = Counted::default();
        for object in ["qdisc", "class"] {
            let mut at = At::Elsewhere;
            let show = format!("tc {object} show dev {device}");
            for line in dump.all(&show).flat_map(|(_, lines)| lines) {
                counted.read_line(line, &mut at);
            }
        }
        counted.get(Subject::Total).present.then_some(counted)
    }

    /// Sets the rates and drops since an earlier sample, which is `us` microseconds old.
    pub fn since(&mut self, before: &Counted, us: u64) {
        for (subject, seen) in &mut self.0 {
            seen.since(&before.get(*subject), us);
        }
    }

    fn at(&mut self, subject: Subject) -> &mut Seen {
        self.0.entry(subject).or_default()
    }

    fn read_line(&mut self, line: &str, at: &mut At) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (*at, words.as_slice()) {
            (_, ["qdisc", _, handle, rest @ ..]) => {
                *at = match parent(rest) {
                    Some(class) => At::Queue(class),
                    None if *handle == "c05:" => At::Root,
                    None => At::Elsewhere,
                };
                if *at == At::Root {
                    let total = self.at(Subject::Total);
                    (total.present, total.ceiling) = (true, rate_after("bandwidth", rest));
                }
            }
            (_, ["class", kind, id, rest @ ..]) => {
                *at = minor(id).filter(|_| *kind == "htb").map_or(At::Elsewhere, At::Class);
                if let At::Class(class) = *at {
                    let seen = self.at(Subject::Class(class));
                    (seen.present, seen.ceiling) = (true, rate_after("ceil", rest));
                    seen.guarantee = rate_after("rate", rest);
                }
            }
            // The class itself counts the bytes sent; its queue counts drops and backlog.
            (At::Root, ["Sent", bytes, "bytes", packets, "pkt", rest @ ..]) => {
                let total = self.at(Subject::Total);
                total.packets = packets.parse().ok();
                (total.sent, total.dropped) = (bytes.parse().ok(), dropped(rest));
            }
            (At::Class(class), ["Sent", bytes, "bytes", packets, ..]) => {
                let seen = self.at(Subject::Class(class));
                (seen.sent, seen.packets) = (bytes.parse().ok(), packets.parse().ok());
            }
            (At::Queue(class), ["Sent", _, "bytes", _, "pkt", rest @ ..]) => {
                self.at(Subject::Class(class)).dropped = dropped(rest);
            }
            (
                At::Root | At::Queue(_),
                ["backlog", size, packets, ..] | ["rate", _, _, "backlog", size, packets, ..],
            ) if packets.ends_with('p') => {
                let subject = if let At::Queue(class) = *at { Subject::Class(class) } else { Subject::Total };
                self.at(subject).backlog = waiting(size, packets);
            }
            (At::Root, [what, values @ ..]) => self.tins(what, values),
            // A leaf has the largest delay among the tins of its queue.
            (At::Queue(class), ["av_delay", values @ ..]) => {
                self.at(Subject::Class(class)).delay =
                    values.iter().filter_map(|value| words::time(value)).max();
            }
            _ => {}
        }
    }

    /// Stores a row of CAKE's table, which has one value per tin. For the backlog of a tin, CAKE prints no packets.
    fn tins(&mut self, what: &str, values: &[&str]) {
        if !matches!(what, "pkts" | "bytes" | "drops" | "av_delay") {
            return;
        }
        for (number, value) in (1..).zip(values) {
            let tin = self.at(Subject::Tin(number));
            tin.present = true;
            match what {
                "bytes" => tin.sent = value.parse().ok(),
                "pkts" => tin.packets = value.parse().ok(),
                "drops" => {
                    tin.dropped = value.parse().ok();
                    tin.packets = tin.packets.zip(tin.dropped).and_then(|(all, lost)| all.checked_sub(lost));
                }
                _ => tin.delay = words::time(value),
            }
        }
    }
}

/// Object that the following lines belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Root,
    Queue(u16),
    Class(u16),
    Elsewhere,
}

/// Returns the minor number of the class that a qdisc is attached to.
fn parent(words: &[&str]) -> Option<u16> {
    let at = words.iter().position(|word| *word == "parent")?;
    minor(words.get(at + 1)?)
}

/// Returns the minor number in slot a of a class id of the script's root.
fn minor(word: &str) -> Option<u16> {
    let handle = words::handle(word)?;
    (handle.major == ROOT && handle.minor != 0).then_some(handle.minor)
}

fn rate_after(name: &str, words: &[&str]) -> Option<Rate> {
    let at = words.iter().position(|word| *word == name)?;
    words::rate(words.get(at + 1)?).filter(|rate| rate.bps() > 0)
}

/// Reads `(dropped 7, overlimits ...`.
fn dropped(words: &[&str]) -> Option<u64> {
    match words {
        ["(dropped", number, ..] => number.trim_end_matches(',').parse().ok(),
        _ => None,
    }
}

fn waiting(size: &str, packets: &str) -> Option<(u64, u64)> {
    Some((words::size(size)?.get(), packets.strip_suffix('p')?.parse().ok()?))
}

#[cfg(test)]
#[path = "counters_tests.rs"]
mod tests;
