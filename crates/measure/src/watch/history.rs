//! The samples so far as rows: each class with its present figures and its past rates.

use super::record::Record;
use super::sample::read;
use qosc_compiler::terms::Direction;
use qosc_compiler::units::{Micros, Rate};
use qosc_preview::live::{Counted, Dump, Seen, Subject};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Number of past rates that are kept of each class.
pub(super) const KEPT: usize = 120;

/// Present figures of a class, and its past rates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassHistory {
    /// Name, safe to show.
    pub name: String,
    /// Number of classes above it.
    pub depth: usize,
    /// Present figures, with the rate and the drops since the previous sample.
    pub seen: Seen,
    /// Past rates, the last one the present rate.
    pub past: VecDeque<Option<Rate>>,
}

impl ClassHistory {
    /// Returns the queueing delay of a class that sends. CAKE measures it. Otherwise it follows from Little's law: a
    /// packet waits on average as long as the rate needs for the backlog.
    #[must_use]
    pub fn delay(&self) -> Option<Micros> {
        let rate = self.seen.rate?.bps();
        if rate == 0 {
            return None;
        }
        self.seen.delay.or_else(|| {
            let bits = u128::from(self.seen.backlog?.0) * 8_000_000;
            u64::try_from(bits.checked_div(u128::from(rate))?).ok().map(Micros::from_us)
        })
    }
}

/// All classes of a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Direction of the traffic.
    pub direction: Direction,
    /// Device of the classes.
    pub device: String,
    /// The whole direction, then its classes or tins; empty if the device has no tree of the script.
    pub rows: Vec<ClassHistory>,
}

impl Table {
    /// Returns the rate of the whole direction, the scale of its charts.
    #[must_use]
    pub fn full(&self) -> Option<Rate> {
        self.rows.first().and_then(|row| row.seen.ceiling)
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
    past: BTreeMap<(String, Subject), VecDeque<Option<Rate>>>,
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
    /// Fails if the text is not a sample; the error is a message for people.
    pub fn add(&mut self, text: &str) -> Result<View, String> {
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

    fn rows(
        &mut self,
        record: &Record,
        direction: Direction,
        device: &str,
        counted: &Counted,
    ) -> Vec<ClassHistory> {
        subjects(record, direction, counted)
            .into_iter()
            .map(|(subject, depth, name)| {
                let mut seen = counted.get(subject);
                if subject == Subject::Total {
                    // The root class has the ceiling of the whole direction.
                    let root = root(record, direction).map(|root| counted.get(root));
                    seen.ceiling = root.and_then(|root| root.ceiling).or(seen.ceiling);
                    seen.guarantee = seen.ceiling;
                }
                let past = self.past.entry((device.to_owned(), subject)).or_default();
                past.push_back(seen.rate);
                if past.len() > KEPT {
                    past.pop_front();
                }
                ClassHistory { name, depth, seen, past: past.clone() }
            })
            .collect()
    }
}

fn root(record: &Record, direction: Direction) -> Option<Subject> {
    let root = record.classes.get(direction).iter().find(|class| class.depth == 0)?;
    Some(Subject::Class(root.id))
}

/// Returns the subjects of the rows of a direction with their depths and names. The root qdisc stands for the root
/// class, because it counts what all classes drop.
fn subjects(record: &Record, direction: Direction, counted: &Counted) -> Vec<(Subject, usize, String)> {
    let mut found = vec![(Subject::Total, 0, format!("all {}", direction.loads()))];
    let is_class = |subject: Subject| matches!(subject, Subject::Class(_));
    if !counted.iter().any(|(subject, _)| is_class(subject)) {
        let tins = counted.iter().filter_map(|(subject, _)| match subject {
            Subject::Tin(number) => Some(number),
            _ => None,
        });
        let tins: Vec<u16> = tins.collect();
        found.extend(tins.iter().rev().map(|tin| (Subject::Tin(*tin), 1, tin_name(*tin, tins.len()))));
    }
    let root = root(record, direction);
    let classes = record.classes.get(direction).iter();
    let named = classes.map(|class| (Subject::Class(class.id), class.depth, class.name.clone()));
    found.extend(named.filter(|(class, ..)| Some(*class) != root));
    // Classes that the record does not name: somebody else made them, or a start is at work.
    let known: BTreeSet<Subject> = found.iter().map(|(subject, ..)| *subject).chain(root).collect();
    found.extend(counted.iter().filter_map(|(subject, seen)| match subject {
        Subject::Class(id) if seen.present && !known.contains(&subject) => {
            Some((subject, 1, format!("class c05:{id:x}")))
        }
        _ => None,
    }));
    found
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
