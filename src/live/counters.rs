//! Reads the kernel's counters of classes and queues from the output of `tc -s`.

use super::dump::{Dump, is_show};
use super::words;
use crate::tc::{ROOT, class_minor};
use crate::units::{Micros, Rate};
use std::collections::BTreeMap;

/// Counters of a class since the kernel created it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// `true` if the kernel has the class. The other fields are `None` if tc ran without `-s`.
    pub present: bool,
    /// Bytes sent.
    pub sent: Option<u64>,
    /// Packets dropped.
    pub dropped: Option<u64>,
    /// Backlog in bytes (as tc rounds them) and in packets.
    pub backlog: Option<(u64, u64)>,
    /// Current sending rate, if it was measured.
    pub rate: Option<Rate>,
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

    /// Sets the rate since an earlier sample, which is `us` microseconds old. A class that was created in between has a
    /// lower counter and gets no rate.
    fn since(&mut self, before: &Seen, us: u64) {
        if let (Some(now), Some(then)) = (self.sent, before.sent) {
            let bits = now.checked_sub(then).map(|bytes| u128::from(bytes) * 8_000_000);
            let rate = bits.and_then(|bits| bits.checked_div(u128::from(us)));
            self.rate = rate.and_then(|rate| u64::try_from(rate).ok()).map(Rate::from_bps);
        }
    }
}

/// Counters of the tree on one device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// Counters of the whole tree.
    pub total: Seen,
    /// Counters of HTB classes, by the minor number of the class id.
    pub classes: BTreeMap<u16, Seen>,
    /// Counters of CAKE tins, by tin number from 1.
    pub tins: BTreeMap<u16, Seen>,
}

impl Counted {
    /// Returns the counters of the HTB class with this number.
    #[must_use]
    pub fn class(&self, number: u16) -> Option<Seen> {
        self.classes.get(&class_minor(number)).copied()
    }

    /// Returns the counters of a device from a dump; `None` if the device has no tree of the script.
    #[must_use]
    pub fn of(dump: &Dump<'_>, device: &str) -> Option<Counted> {
        let mut counted = Counted::default();
        let mut at = At::Elsewhere;
        for line in dump.lines_of(|words| is_show(words, "qdisc", device)) {
            counted.line(line, &mut at);
        }
        if !counted.total.present {
            return None;
        }
        for line in dump.lines_of(|words| is_show(words, "class", device)) {
            counted.line(line, &mut at);
        }
        Some(counted)
    }

    /// Sets the rates since an earlier sample, which is `us` microseconds old.
    pub fn since(&mut self, before: &Counted, us: u64) {
        self.total.since(&before.total, us);
        for (now, then) in [(&mut self.classes, &before.classes), (&mut self.tins, &before.tins)] {
            for (id, seen) in now {
                if let Some(then) = then.get(id) {
                    seen.since(then, us);
                }
            }
        }
    }

    fn line(&mut self, line: &str, at: &mut At) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["qdisc", kind, handle, rest @ ..] => {
                *at = match (parent(rest), *handle, *kind) {
                    (Some(class), _, _) => At::Queue(class),
                    (None, "c05:", "cake") => At::Cake,
                    (None, "c05:", _) => At::Root,
                    _ => At::Elsewhere,
                };
                self.total.present |= matches!(at, At::Root | At::Cake);
                if *at == At::Cake {
                    self.total.ceiling = rate_after("bandwidth", rest);
                }
            }
            ["class", "htb", id, rest @ ..] => {
                *at = minor(id).map_or(At::Elsewhere, At::Class);
                if let At::Class(class) = at {
                    let seen = self.classes.entry(*class).or_default();
                    seen.present = true;
                    seen.ceiling = rate_after("ceil", rest);
                }
            }
            ["class", ..] => *at = At::Elsewhere,
            ["Sent", bytes, "bytes", _, "pkt", rest @ ..] => self.sent(*at, bytes, dropped(rest)),
            ["backlog", size, packets, ..] if packets.ends_with('p') => {
                self.backlog(*at, waiting(size, packets));
            }
            ["rate", _, _, "backlog", size, packets, ..] => self.backlog(*at, waiting(size, packets)),
            [what @ ("bytes" | "drops" | "backlog" | "av_delay"), values @ ..] if *at == At::Cake => {
                self.tins(what, values);
            }
            ["av_delay", values @ ..] => self.delay(*at, values),
            _ => {}
        }
    }

    /// Stores bytes and drops. The class itself counts the bytes sent; its queue counts drops and backlog.
    fn sent(&mut self, at: At, bytes: &str, dropped: Option<u64>) {
        let bytes = bytes.parse().ok();
        match at {
            At::Root | At::Cake => (self.total.sent, self.total.dropped) = (bytes, dropped),
            At::Queue(class) => self.classes.entry(class).or_default().dropped = dropped,
            At::Class(class) => self.classes.entry(class).or_default().sent = bytes,
            At::Elsewhere => {}
        }
    }

    fn backlog(&mut self, at: At, waiting: Option<(u64, u64)>) {
        match at {
            At::Root | At::Cake => self.total.backlog = waiting,
            At::Queue(class) => self.classes.entry(class).or_default().backlog = waiting,
            At::Class(_) | At::Elsewhere => {}
        }
    }

    /// Stores the largest delay among the tins of a leaf's queue.
    fn delay(&mut self, at: At, values: &[&str]) {
        if let At::Queue(class) = at {
            self.classes.entry(class).or_default().delay =
                values.iter().filter_map(|value| words::time(value)).max();
        }
    }

    /// Stores a row of CAKE's table, which has one value per tin.
    fn tins(&mut self, what: &str, values: &[&str]) {
        for (number, value) in (1..).zip(values) {
            let tin = self.tins.entry(number).or_default();
            tin.present = true;
            match what {
                "bytes" => tin.sent = value.parse().ok(),
                "drops" => tin.dropped = value.parse().ok(),
                "av_delay" => tin.delay = words::time(value),
                // For the backlog of a tin, CAKE prints only bytes and no packets.
                _ => {}
            }
        }
    }
}

/// Object that the following lines belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Root,
    Cake,
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
    words::rate(words.get(at + 1)?)
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
