//! `classes`: the tree.

use super::derive::{self, Packet};
use super::ids::{self, Wanted};
use super::link::choice;
use super::matches::Scope;
use super::names;
use super::queues::{self, Sharers};
use super::rates::{self, Above, ClassRates};
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked};
use crate::model::{Asked, Class, ClassId, Direction, Leaf, PerDirection, Shape, Share, Val};
use crate::syntax::raw::RawClass;
use crate::units::Rate;
use std::collections::BTreeMap;

/// How deep classes can be: HTB takes eight levels (`TC_HTB_MAXDEPTH`), and the first is the whole tree's.
pub(super) const DEEPEST: usize = 7;
/// The priority of a class that says none, nor its parents: in the middle, so that others can be served before and
/// after it.
const PRIORITY: u8 = 3;

/// A set of classes that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set<'a> {
    /// The classes.
    pub list: &'a [RawClass],
    /// The place of the key that holds them.
    pub key: Span,
    /// Whether all of it could be read; otherwise what seems to be missing may be there.
    pub whole: bool,
}

/// The tree before rates are known: what the names of its classes stand for, and which leaf is the default.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) ids: BTreeMap<String, Val<ClassId>>,
    default: Option<Span>,
    /// How many leaves there are.
    pub(super) leaves: u64,
    /// Whether all of the set could be read.
    whole: bool,
}

/// What the whole tree is built with.
pub(super) struct Builder<'a> {
    /// Names for matches.
    pub scope: Scope<'a>,
    /// What packets cost.
    pub packet: Packet,
    /// What the classes share.
    pub tree: PerDirection<Rate>,
    /// Whether aggregates are kept from the shaper.
    pub split: PerDirection<bool>,
    /// Whether IPv4 hosts are behind NAT.
    pub nat: &'a Val<bool>,
    /// How many flows an fq_codel has that is told nothing.
    pub flows: &'a Val<u32>,
    /// Ids and the default.
    pub outline: &'a Outline,
}

/// All classes, those in others too, in the order of the file.
pub(super) fn flatten(list: &[RawClass]) -> Vec<&RawClass> {
    let mut stack: Vec<&RawClass> = list.iter().rev().collect();
    let mut all = Vec::new();
    while let Some(class) = stack.pop() {
        all.push(class);
        stack.extend(class.classes.iter().rev());
    }
    all
}

/// Gives ids, finds the default, and enters all names.
pub(super) fn outline(set: Set<'_>, into: &mut names::Names, sink: &mut Sink) -> Outline {
    let all = flatten(set.list);
    names::unique("class", all.iter().map(|class| &class.name), sink);
    let wanted: Vec<Wanted<'_>> =
        all.iter().map(|class| Wanted { name: &class.name, pinned: class.id }).collect();
    let ids = ids::assign(&wanted, set.key, sink);
    for class in &all {
        let id = ids.get(&class.name.value).map_or(ClassId(0), |id| id.value);
        into.classes.insert(class.name.value.clone(), names::Class { id, leaf: class.classes.is_empty() });
    }
    let leaves: Vec<&RawClass> = all.into_iter().filter(|class| class.classes.is_empty()).collect();
    let default = default(&leaves, set, sink);
    Outline { ids, default, leaves: leaves.len() as u64, whole: set.whole }
}

/// The place of the name of the default leaf.
fn default(leaves: &[&RawClass], set: Set<'_>, sink: &mut Sink) -> Option<Span> {
    let marked: Vec<(&RawClass, Span)> = leaves
        .iter()
        .filter_map(|leaf| leaf.default.filter(|default| default.value).map(|default| (*leaf, default.span)))
        .collect();
    match (marked.as_slice(), leaves) {
        ([(one, _)], _) => Some(one.name.span),
        ([], [only]) => Some(only.name.span),
        ([], _) if !set.whole => None,
        ([], []) => {
            let help = "write a class, or leave `classes` out for the set `home`";
            sink.push(Diagnostic::new(Code::NoDefault, set.key, "there are no classes").help(help));
            None
        }
        ([], _) => {
            let free: Vec<&&RawClass> = leaves.iter().filter(|leaf| leaf.matches.is_none()).collect();
            let help = match free.as_slice() {
                [only] => format!(
                    "write `default: true` in class {}, which has no `match`",
                    ticked(&only.name.value)
                ),
                _ => "write `default: true` in the class that takes what no `match` takes".to_owned(),
            };
            // One who writes `default: false` in a single class has probably meant this class.
            let refused: Vec<Span> = leaves.iter().filter_map(|leaf| Some(leaf.default?.span)).collect();
            let finding = match refused.as_slice() {
                [only] => Diagnostic::new(Code::NoDefault, *only, "no class is the default")
                    .also(set.key, "one of these classes must be"),
                _ => Diagnostic::new(Code::NoDefault, set.key, "no class is the default"),
            };
            sink.push(finding.help(help));
            None
        }
        ([(first, at), others @ ..], _) => {
            let Some((_, place)) = others.first() else { return Some(first.name.span) };
            let message = format!("{} classes are the default", marked.len());
            let finding = Diagnostic::new(Code::NoDefault, *place, message).also(*at, "the first of them");
            let finding = finding.also_at(others.iter().skip(1).map(|(_, place)| (*place, "and this")));
            sink.push(finding.help("what no `match` takes can go into one class only"));
            Some(first.name.span)
        }
    }
}

/// What a class takes from those above it.
#[derive(Debug, Clone, Copy)]
struct Inherited {
    /// How many classes it is in.
    depth: usize,
    /// The priority that one of them gives.
    priority: Option<Spanned<u8>>,
    /// Whether one of them has a `match`.
    matched: bool,
}

impl Builder<'_> {
    /// Builds the tree.
    pub fn build(&self, set: Set<'_>, tree: &PerDirection<Val<Rate>>, sink: &mut Sink) -> Vec<Class> {
        let above = rates::whole(tree, set.key);
        self.level(set.list, &above, Inherited { depth: 0, priority: None, matched: false }, sink)
    }

    fn level(&self, list: &[RawClass], above: &Above, from: Inherited, sink: &mut Sink) -> Vec<Class> {
        if from.depth == DEEPEST
            && let Some(first) = list.first()
        {
            let message = format!("class {} is in {DEEPEST} others", ticked(&first.name.value));
            sink.push(
                Diagnostic::new(Code::TooDeep, first.name.span, message)
                    .label(format!("level {}", DEEPEST + 1))
                    .help(format!("the kernel takes {DEEPEST} levels of classes: take one away above it")),
            );
            return Vec::new();
        }
        if from.matched && self.outline.whole {
            second_rest(list, sink);
        }
        let parts = rates::share_out(above, list, sink);
        list.iter()
            .zip(parts)
            .map(|(raw, rates_of_class)| self.class(raw, rates_of_class, from, sink))
            .collect()
    }

    fn class(&self, raw: &RawClass, rates_of_class: ClassRates, from: Inherited, sink: &mut Sink) -> Class {
        let name = ticked(&raw.name.value);
        let matches = raw.matches.as_ref().map(|list| self.scope.alternatives(list, sink));
        let priority = raw.priority.or(from.priority);
        let inner = !raw.classes.is_empty();
        let shape = if inner {
            leaf_only(raw, &name, sink);
            let above = Above {
                name: Some(raw.name.value.clone()),
                span: raw.name.span,
                guarantee: PerDirection::from_fn(|d| rates_of_class.guarantee.get(d).value),
                ceiling: PerDirection::from_fn(|d| rates_of_class.ceiling.get(d).value),
            };
            let matched = from.matched || raw.matches.is_some();
            let from = Inherited { depth: from.depth + 1, priority, matched };
            Shape::Inner(self.level(&raw.classes, &above, from, sink))
        } else {
            Shape::Leaf(self.leaf(raw, &rates_of_class, sink))
        };
        let scheduling = PerDirection::from_fn(|d| {
            let (guarantee, ceiling) =
                (rates_of_class.guarantee.get(d).value, rates_of_class.ceiling.get(d).value);
            derive::scheduling(self.packet, guarantee, ceiling, *self.split.get(d))
        });
        Class {
            name: raw.name.value.clone(),
            span: raw.name.span,
            id: self
                .outline
                .ids
                .get(&raw.name.value)
                .cloned()
                .unwrap_or_else(|| Val::default(ClassId(0), "none")),
            priority: match (raw.priority, from.priority) {
                (Some(own), _) => Val::given(own.value, own.span),
                (None, Some(above)) => {
                    Val::derived(above.value, "that of the class it is in", Some(above.span))
                }
                (None, None) => Val::default(PRIORITY, "the middle"),
            },
            asked: Asked {
                guarantee: PerDirection::from_fn(|d| rates::of(&raw.guarantee, d).map(|given| given.value)),
                ceiling: PerDirection::from_fn(|d| rates::of(&raw.ceiling, d).map(|given| given.value)),
            },
            guarantee: rates_of_class.guarantee,
            ceiling: rates_of_class.ceiling,
            scheduling,
            matches,
            shape,
        }
    }

    fn leaf(&self, raw: &RawClass, rates_of_class: &ClassRates, sink: &mut Sink) -> Leaf {
        let share = choice(raw.share, Share::PerFlow);
        let sharers = Sharers { share: &share, nat: self.nat, flows: self.flows };
        if let Some(queue) = &raw.queue {
            queues::check(queue, &share, sink);
        }
        let default = self.outline.default == Some(raw.name.span);
        if default {
            default_borrows(raw, rates_of_class, sink);
        }
        Leaf {
            default,
            queue: PerDirection::from_fn(|d| {
                let given = raw.queue.as_ref().map(|queue| &queue.value);
                queues::resolve(
                    given,
                    self.packet,
                    (*self.tree.get(d), rates_of_class.ceiling.get(d).value),
                    sharers,
                )
            }),
            share,
            set_dscp: raw.set_dscp.map(|dscp| Val::given(dscp.value, dscp.span)),
            hosts: PerDirection { up: None, down: None },
        }
    }
}

/// Pushes a default class that only borrows. What no match takes is more than anybody means: ARP, DHCP and neighbour
/// discovery are in it, and without these there is no line at all.
fn default_borrows(raw: &RawClass, rates_of_class: &ClassRates, sink: &mut Sink) {
    let borrows = |direction: &Direction| derive::borrows(rates_of_class.guarantee.get(*direction).value);
    let directions: Vec<Direction> = Direction::BOTH.into_iter().filter(borrows).collect();
    let Some(direction) = directions.first() else { return };
    let own = rates::of(&raw.guarantee, *direction).filter(|given| given.value.is_nothing());
    // Less than nothing is a stand-in for what has been found wrong.
    let inherited = rates_of_class.guarantee.get(*direction).value == derive::BORROWING
        && rates::of(&raw.guarantee, *direction).is_none();
    let (place, help) = match own {
        Some(given) => (
            given.span,
            "write `guarantee: 20%`, or leave `guarantee` out: then the class gets what the others leave",
        ),
        None if inherited => (
            raw.name.span,
            "give the class around it a `guarantee` above `0%`, or take the default class out of it",
        ),
        None => return,
    };
    let label = match directions.as_slice() {
        [direction] => format!("nothing {}", direction.as_str()),
        _ => "nothing in either direction".to_owned(),
    };
    let message = format!("the default class {} only borrows", ticked(&raw.name.value));
    sink.push(
        Diagnostic::new(Code::RateTooLow, place, message)
            .label(label)
            .help(help)
            .help("what no `match` takes includes ARP, DHCP and neighbour discovery, which the line needs"),
    );
}

/// Pushes fields of a class with children that mean something for a queue only.
fn leaf_only(raw: &RawClass, name: &str, sink: &mut Sink) {
    let fields = [
        ("share", raw.share.as_ref().map(|share| share.span)),
        ("queue", raw.queue.as_ref().map(|queue| queue.span)),
        ("default", raw.default.filter(|default| default.value).map(|default| default.span)),
        ("set_dscp", raw.set_dscp.as_ref().map(|dscp| dscp.span)),
    ];
    for (field, span) in fields {
        let Some(span) = span else { continue };
        let message = format!("`{field}` in class {name}, which has classes in it");
        sink.push(
            Diagnostic::new(Code::LeafOnly, span, message)
                .also(raw.name.span, "packets go into the classes in it, never into itself")
                .help(format!("write `{field}` in one of the classes in it")),
        );
    }
}

/// Whether a class takes what its siblings leave of their parent's `match`: it says no `match`, nor do all in it.
fn takes_the_rest(class: &RawClass) -> bool {
    class.matches.is_none() && (class.classes.is_empty() || class.classes.iter().any(takes_the_rest))
}

/// Pushes a second class that would take the rest of a parent's `match`: nothing would reach it.
fn second_rest(list: &[RawClass], sink: &mut Sink) {
    let mut rest = list.iter().filter(|class| takes_the_rest(class));
    let Some(first) = rest.next() else { return };
    for second in rest {
        let message = format!("nothing is left for class {}", ticked(&second.name.value));
        sink.push(
            Diagnostic::new(Code::SecondRest, second.name.span, message)
                .also(
                    first.name.span,
                    "takes all that the `match` of their parent holds and no sibling takes",
                )
                .help("give one of them a `match`"),
        );
    }
}
