//! The samples so far as rows: each class with its present figures and its past rates.

use super::record::Record;
use super::sample::{SampleError, read};
use crate::live::{Counted, Dump, Seen};
use crate::terms::Direction;
use crate::units::{Micros, Rate};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Number of past rates that are kept of each class.
pub(super) const KEPT: usize = 120;

/// Present figures of a class, and its past rates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Name, safe to show.
    pub name: String,
    /// Number of classes above it.
    pub depth: usize,
    /// `false` if the kernel has no such class.
    pub present: bool,
    /// Rate since the previous sample; `None` without one, or if the counter began again.
    pub rate: Option<Rate>,
    /// Ceiling of the class. A tin has none: its threshold limits its priority and not its rate.
    pub ceiling: Option<Rate>,
    /// Packets dropped since the previous sample.
    pub drops: Option<u64>,
    /// Backlog in bytes and in packets.
    pub backlog: Option<(u64, u64)>,
    /// Queueing delay: CAKE's own average, otherwise the backlog divided by the rate.
    pub delay: Option<Micros>,
    /// Past rates, the last one the present rate.
    pub past: VecDeque<Option<Rate>>,
}

/// All classes of a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Direction of the traffic.
    pub direction: Direction,
    /// Device of the classes.
    pub device: String,
    /// The whole direction, then its classes or tins; empty if the device has no tree of the script.
    pub rows: Vec<Row>,
}

impl Table {
    /// Returns the rate of the whole direction, the scale of its charts.
    #[must_use]
    pub fn full(&self) -> Option<Rate> {
        self.rows.first().and_then(|row| row.ceiling)
    }
}

/// A link and its classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkView {
    /// Name of the link, safe to show.
    pub name: String,
    /// Directions that the script shapes.
    pub tables: Vec<Table>,
}

/// State after a sample.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Links in the order of their names.
    pub links: Vec<LinkView>,
    /// Time since the previous sample; `None` without one.
    pub elapsed: Option<Micros>,
    /// Number of samples before this one.
    pub samples: u64,
}

/// Samples of one router.
#[derive(Debug, Default)]
pub struct Watch {
    records: Vec<Record>,
    samples: u64,
    /// Time of the last sample in microseconds.
    uptime: Option<u64>,
    /// Counters of the last sample, by device.
    before: BTreeMap<String, Counted>,
    past: BTreeMap<(String, Key), VecDeque<Option<Rate>>>,
}

/// Names a row of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Total,
    Class(u16),
    Tin(u16),
}

impl Watch {
    /// Returns `true` before the first sample.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.uptime.is_none()
    }

    /// Adds a sample, and returns the state after it.
    ///
    /// # Errors
    /// Fails if the text is not a sample.
    pub fn add(&mut self, text: &str) -> Result<View, SampleError> {
        let sample = read(text)?;
        if let Some(records) = sample.records {
            self.records = records;
        }
        // After a reboot the clock and the counters begin again.
        let elapsed = self.uptime.and_then(|then| sample.uptime.checked_sub(then)).filter(|us| *us > 0);
        let mut now = BTreeMap::new();
        // A dump without a section is refused, and a router without our devices has none.
        if let Ok(dump) = Dump::read(sample.text) {
            let devices = self.records.iter().flat_map(|record| [&record.devices.up, &record.devices.down]);
            for device in devices.flatten() {
                if let Some(mut counted) = Counted::of(&dump, device) {
                    if let (Some(us), Some(before)) = (elapsed, self.before.get(device)) {
                        counted.since(before, us);
                    }
                    now.insert(device.clone(), counted);
                }
            }
        }
        let records = std::mem::take(&mut self.records);
        let links = records.iter().map(|record| self.link(record, &now)).collect();
        self.records = records;
        self.past.retain(|(device, _), _| now.contains_key(device));
        self.before = now;
        self.uptime = Some(sample.uptime);
        let view = View { links, elapsed: elapsed.map(Micros::from_us), samples: self.samples };
        self.samples += 1;
        Ok(view)
    }

    fn link(&mut self, record: &Record, now: &BTreeMap<String, Counted>) -> LinkView {
        let mut tables = Vec::new();
        for direction in Direction::BOTH {
            let Some(device) = record.devices.get(direction) else { continue };
            let rows = now.get(device).map(|counted| self.rows(record, direction, device, counted));
            tables.push(Table { direction, device: device.clone(), rows: rows.unwrap_or_default() });
        }
        LinkView { name: record.name.clone(), tables }
    }

    fn rows(&mut self, record: &Record, direction: Direction, device: &str, counted: &Counted) -> Vec<Row> {
        let before = self.before.get(device).cloned().unwrap_or_default();
        let classes = record.classes.get(direction);
        // The root class has the ceiling of the whole direction, and the root qdisc counts what all classes drop.
        let root = classes.iter().find(|class| class.depth == 0);
        let seen = root.and_then(|root| counted.classes.get(&root.id)).copied().unwrap_or_default();
        let total = Seen { ceiling: seen.ceiling.or(counted.total.ceiling), ..counted.total };
        let name = format!("all {}", direction.loads());
        let mut rows = vec![row(&name, 0, &total, &before.total)];
        let mut keys = vec![Key::Total];
        if counted.classes.is_empty() {
            for (number, tin) in counted.tins.iter().rev() {
                let name = tin_name(*number, counted.tins.len());
                rows.push(row(&name, 1, tin, before.tins.get(number).unwrap_or(&Seen::default())));
                keys.push(Key::Tin(*number));
            }
        }
        for class in classes.iter().filter(|class| root.is_none_or(|root| root.id != class.id)) {
            let seen = counted.classes.get(&class.id).copied().unwrap_or_default();
            let old = before.classes.get(&class.id).copied().unwrap_or_default();
            rows.push(row(&class.name, class.depth, &seen, &old));
            keys.push(Key::Class(class.id));
        }
        // Classes that the record does not name: somebody else made them, or a start is at work.
        let named: BTreeSet<u16> = classes.iter().map(|class| class.id).collect();
        for (id, seen) in counted.classes.iter().filter(|(id, seen)| seen.present && !named.contains(id)) {
            let old = before.classes.get(id).copied().unwrap_or_default();
            rows.push(row(&format!("class c05:{id:x}"), 1, seen, &old));
            keys.push(Key::Class(*id));
        }
        for (row, key) in rows.iter_mut().zip(keys) {
            let past = self.past.entry((device.to_owned(), key)).or_default();
            past.push_back(row.rate);
            while past.len() > KEPT {
                past.pop_front();
            }
            row.past.clone_from(past);
        }
        rows
    }
}

fn row(name: &str, depth: usize, seen: &Seen, before: &Seen) -> Row {
    let drops = seen.dropped.zip(before.dropped).and_then(|(now, then)| now.checked_sub(then));
    Row {
        name: name.to_owned(),
        depth,
        present: seen.present,
        rate: seen.rate,
        ceiling: seen.ceiling.filter(|rate| rate.bps() > 0),
        drops,
        backlog: seen.backlog,
        delay: delay(seen),
        past: VecDeque::new(),
    }
}

/// Returns the queueing delay of a class that sends. CAKE measures it. Otherwise it follows from Little's law: a packet
/// waits on average as long as the rate needs for the backlog.
fn delay(seen: &Seen) -> Option<Micros> {
    let rate = seen.rate?.bps();
    if rate == 0 {
        return None;
    }
    seen.delay.or_else(|| {
        let bits = u128::from(seen.backlog?.0) * 8_000_000;
        u64::try_from(bits.checked_div(u128::from(rate))?).ok().map(Micros::from_us)
    })
}

/// Returns the name that tc gives to a tin.
fn tin_name(number: u16, of: usize) -> String {
    let names: &[&str] = match of {
        3 => &["Bulk", "Best Effort", "Voice"],
        4 => &["Bulk", "Best Effort", "Video", "Voice"],
        _ => &[],
    };
    let at = usize::from(number).checked_sub(1);
    let name = at.and_then(|at| names.get(at));
    name.map_or_else(|| format!("tin {number}"), |name| format!("tin {number}, {name}"))
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
