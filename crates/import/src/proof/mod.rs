//! Compares what the source and the result of an import do with witness packets.

pub(crate) mod packet;
pub(crate) mod program;
pub(crate) mod side;
mod witness;

use crate::config::{Compared, Config, each};
use crate::report::ImportReport;
use crate::yaml;
use packet::Packet;
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::Direction;
use side::{Id, Outcome, Side, Sides};
use std::collections::{BTreeMap, HashMap};

/// Largest number of steps of a comparison.
const STEPS: usize = 1 << 24;

/// Packets with the same difference: the first one, and their number.
type Differences<'a> =
    BTreeMap<(Kind, Option<u32>, Option<Id>, Option<Id>), (&'a Packet, Outcome, Outcome, usize)>;

/// For each class the one with which it has most packets in common, and their number.
type Best<'a> = HashMap<&'a Id, (usize, &'a Id)>;

/// Kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The source does not limit the packet.
    Unlimited,
    /// The packet has another class or another limit.
    Limit,
    /// The same for a packet that a file cannot match.
    Unmatched,
}

/// Compiles a configuration, and compares both directions with the source. Classes that get packets of others have a
/// comment afterwards. A configuration with errors is not compared.
pub(crate) fn proven(config: &mut Config, source: &Sides, report: &mut ImportReport) {
    // Packets are compared where their addresses are visible, so without NAT.
    let visible = Config { nat: Some(false), ..config.clone() };
    let compiled = compile(yaml::text(&visible, &[]), &Options::of("imported.yaml"));
    let Some((_, program)) = compiled.into_finished() else { return };
    let (before, unread) = (report.count(), report.has_errors());
    let (mut packets, mut equal, mut comments) = (0, true, Vec::new());
    for direction in Direction::BOTH {
        let new = program::side(&program, direction);
        let (Some(old), Some(new)) = (source.get(direction), &new) else { continue };
        let mut comparison = Comparison { old, new, direction, report, comments: &mut comments };
        let (number, same) = comparison.run();
        (packets, equal) = (packets + number, equal && same);
    }
    let equal = equal && report.count() == before;
    config.compared = (!unread).then_some(Compared { packets, equal });
    each(&mut config.classes, &mut |class| {
        let own = comments.iter().filter(|(name, _)| *name == class.name);
        class.about.extend(own.map(|(_, text)| text.clone()));
    });
}

/// Comparison of a direction.
struct Comparison<'a> {
    old: &'a Side,
    new: &'a Side,
    direction: Direction,
    report: &'a mut ImportReport,
    /// Classes with their comments.
    comments: &'a mut Vec<(String, String)>,
}

impl Comparison<'_> {
    /// Compares witness packets. Returns their number, and whether none differs.
    fn run(&mut self) -> (usize, bool) {
        let (old, new) = (self.old, self.new);
        let all = witness::witnesses(old.rules().chain(new.rules()));
        let cost: usize = [old, new].iter().flat_map(|side| side.lists.values()).map(side::List::cost).sum();
        let step = (all.len() * cost).div_ceil(STEPS).max(1);
        let outcomes: Vec<(&Packet, Outcome, Outcome)> = all
            .iter()
            .step_by(step)
            .map(|packet| (packet, old.outcome(packet), new.outcome(packet)))
            .collect();
        let counterpart = counterparts(&outcomes);
        let mut differences = Differences::new();
        for (packet, was, is) in &outcomes {
            let same = was.path.len() == is.path.len()
                && was.path.iter().zip(&is.path).all(|pair| counterpart.contains_key(&pair));
            let near = match (was.limit, is.limit) {
                (Some(was), Some(is)) => was.bps().abs_diff(is.bps()) <= was.bps() / 500 + 1000,
                (was, is) => was.is_none() && is.is_none(),
            };
            if same && near {
                continue;
            }
            let kind = match was.limit {
                None => Kind::Unlimited,
                Some(_) if !packet.is_whole() => Kind::Unmatched,
                Some(_) => Kind::Limit,
            };
            let line = was.span.filter(|_| kind == Kind::Limit).map(|span| span.line);
            let of = |path: &[Id]| path.first().copied().filter(|_| kind == Kind::Limit);
            let key = (kind, line, of(&was.path), of(&is.path));
            differences.entry(key).or_insert_with(|| (packet, was.clone(), is.clone(), 0)).3 += 1;
        }
        let equal = differences.is_empty();
        let has_limit = differences.keys().any(|(kind, ..)| *kind == Kind::Limit);
        for ((kind, ..), (packet, was, is, count)) in differences {
            // the cause is already reported
            if kind == Kind::Unmatched && has_limit {
                continue;
            }
            self.say(kind, packet, (&was, &is), count);
        }
        self.numbers(&counterpart);
        (outcomes.len(), equal)
    }

    /// Reports packets that the source and the result treat differently.
    fn say(&mut self, kind: Kind, packet: &Packet, (was, is): (&Outcome, &Outcome), count: usize) {
        let (old, new) = (self.old, self.new);
        let class = |side: &Side, outcome: &Outcome| {
            let node = outcome.path.first().and_then(|id| side.node(*id));
            match (node, outcome.limit) {
                (Some(node), Some(limit)) => format!("has class {} with at most {limit}", ticked(&node.name)),
                (None, Some(limit)) => format!("has at most {limit}"),
                (_, None) => "is not limited".to_owned(),
            }
        };
        let more = match count {
            1 => String::new(),
            _ => format!(" ({count} packets of the comparison differ in this way)"),
        };
        let text = packet.text(self.direction);
        let (had, has) = (class(old, was), class(new, is));
        let said = format!("the packet `{text}` {had} in the source, and in the result it {has}{more}");
        let node = was.path.first().and_then(|id| old.node(*id));
        let span = self.report.place(was.span.or(node.and_then(|node| node.span)));
        match kind {
            Kind::Unlimited => {
                let help =
                    "a file limits all packets: give the class a `guarantee`, or pass them with `police`";
                self.report.lost(span, said, help);
            }
            Kind::Unmatched => self.report.other(span, said, "no match of a file holds for such packets"),
            Kind::Limit => {
                let help =
                    "write a `match` for such packets in the class that they had, before other classes";
                self.report.differs(span, said, help);
                let comment = format!("DIFFERS from line {} of the source: `{text}` {had} there.", span.line);
                let node = is.path.first().and_then(|id| new.node(*id));
                self.comments.extend(node.map(|node| (node.name.clone(), comment)));
            }
        }
    }

    /// Reports classes whose guarantee or priority differs.
    fn numbers(&mut self, counterpart: &BTreeMap<(&Id, &Id), usize>) {
        let (old, new) = (self.old, self.new);
        for (id, is) in counterpart.keys() {
            let (Some(was), Some(is)) = (old.node(**id), new.node(**is)) else { continue };
            // Guarantees of more than the parent has were reduced, which has been reported.
            let whole = was.parent.and_then(|parent| Some(old.node(parent)?.rate.bps() / 100 * 98));
            let reduced = was.parent.is_some_and(|parent| Some(old.inside(parent)) > whole);
            let rates = !reduced && was.rate.bps().abs_diff(is.rate.bps()) > was.rate.bps() / 50 + 8000;
            // Only leaf classes have a priority, and it matters beside other classes.
            let priorities = was.prio != is.prio && old.is_leaf(**id) && old.classes().nth(1).is_some();
            for (key, differs, was_own, is_own) in [
                ("guarantee", rates, was.rate.to_string(), is.rate.to_string()),
                ("priority", priorities, was.prio.to_string(), is.prio.to_string()),
            ] {
                if differs {
                    let name = ticked(&was.name);
                    let said =
                        format!("the {key} of class {name} is {was_own} in the source, and {is_own} here");
                    self.report.lost(was.span, said, &format!("write the `{key}` that you want"));
                }
            }
        }
    }
}

/// Returns the classes that stand for each other: those that have most packets in common.
fn counterparts<'a>(outcomes: &'a [(&Packet, Outcome, Outcome)]) -> BTreeMap<(&'a Id, &'a Id), usize> {
    let mut count: BTreeMap<(&Id, &Id), usize> = BTreeMap::new();
    for (_, was, is) in outcomes.iter().filter(|(packet, ..)| packet.is_whole()) {
        for pair in was.path.iter().zip(&is.path).filter(|_| was.path.len() == is.path.len()) {
            *count.entry(pair).or_default() += 1;
        }
    }
    let (mut of_old, mut of_new) = (Best::new(), Best::new());
    for ((was, is), number) in &count {
        let best = of_old.entry(was).or_insert((*number, is));
        *best = (*best).max((*number, is));
        let best = of_new.entry(is).or_insert((*number, was));
        *best = (*best).max((*number, was));
    }
    count.retain(|(was, is), _| {
        of_old.get(was).is_some_and(|best| best.1 == *is) && of_new.get(is).is_some_and(|best| best.1 == *was)
    });
    count
}
