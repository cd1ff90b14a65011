//! Resolves `classes`: the tree of classes.

use super::claims::Above;
use super::ids::{self, Wanted};
use super::link::choice;
use super::matches::Scope;
use super::names;
use super::queues::{self, Sharers};
use super::rates::{self, ClassRates};
use crate::derive::{self, Packet};
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, some_ticked, ticked};
use crate::model::{Asked, Class, ClassId, Direction, Leaf, PerDirection, Shape, Share, Val};
use crate::syntax::Raw;
use crate::syntax::raw::{RawClass, RawClasses};
use crate::terms::FileSection;
use crate::units::Rate;
use std::collections::BTreeMap;

/// Greatest depth of a class. HTB has eight levels (`TC_HTB_MAXDEPTH`), and the root class takes the first one.
pub(super) const DEEPEST: usize = 7;
/// Priority of a class if neither the class nor its parents give one. It lies in the middle, so that other classes can
/// come before and after it.
const PRIORITY: u8 = 3;

/// The classes of a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set<'a> {
    /// The classes.
    pub list: &'a [RawClass],
    /// Place of the key that holds the classes.
    pub key: Span,
    /// `true` if all classes could be read. Otherwise a class that seems to be missing may have been unreadable.
    pub whole: bool,
}

impl<'a> Set<'a> {
    /// Returns the classes of a file. `at` is the place for findings on a file without `classes`, and `with_errors` lists
    /// the sections with unreadable content.
    pub fn of(raw: &'a Raw, at: Span, with_errors: &[FileSection]) -> Self {
        let own = raw.sections.keys().iter().any(|(section, _)| *section == FileSection::Classes);
        let whole = !own || !with_errors.contains(&FileSection::Classes);
        match &raw.classes {
            Some(RawClasses { key, list }) => Set { list, key: *key, whole },
            None => Set { list: &[], key: at, whole: false },
        }
    }
}

/// The tree before its rates are known: class ids by name, and the default leaf.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) ids: BTreeMap<String, Val<ClassId>>,
    default: Option<Span>,
    /// Number of leaf classes.
    pub(super) leaves: u64,
    /// `true` if there are too many classes, so that none is built.
    pub(super) too_many: bool,
    /// `true` if the whole set could be read.
    whole: bool,
}

/// Inputs for building the tree.
pub(super) struct Builder<'a> {
    /// Names that matches refer to.
    pub scope: Scope<'a>,
    /// Cost of packets on the line.
    pub packet: Packet,
    /// Rates that the classes share.
    pub tree: PerDirection<Rate>,
    /// `true` if IPv4 hosts are behind NAT.
    pub nat: &'a Val<bool>,
    /// Default number of flows in an fq_codel queue.
    pub flows: &'a Val<u32>,
    /// Class ids and the default leaf.
    pub outline: &'a Outline,
}

/// Returns all classes including nested ones, in the order of the file.
pub(super) fn flatten(list: &[RawClass]) -> Vec<&RawClass> {
    let mut stack: Vec<&RawClass> = list.iter().rev().collect();
    let mut all = Vec::new();
    while let Some(class) = stack.pop() {
        all.push(class);
        stack.extend(class.classes.iter().rev());
    }
    all
}

/// Assigns ids, finds the default leaf and registers all names.
pub(super) fn outline(set: Set<'_>, into: &mut names::Names, sink: &mut Sink) -> Outline {
    let all = flatten(set.list);
    // The id follows from the path, so that no class changes because another one gets the same name.
    let paths: Vec<Spanned<String>> =
        all.iter().map(|class| Spanned::new(class.path.clone(), class.name.span)).collect();
    names::unique("class", &paths, sink);
    let wanted: Vec<Wanted<'_>> =
        all.iter().zip(&paths).map(|(class, name)| Wanted { name, pinned: class.id }).collect();
    let by_path = ids::assign(&wanted, set.key, sink);
    let too_many = wanted.len() > ids::MOST;
    let named = |class: &&RawClass| Some((class.name.value.clone(), by_path.get(&class.path)?.clone()));
    let ids: BTreeMap<String, Val<ClassId>> = all.iter().filter_map(named).collect();
    for class in &all {
        let bare = class.path.rsplit('/').next().unwrap_or_default();
        into.paths.entry(bare.to_owned()).or_default().insert(class.path.clone());
        into.named.insert(class.path.clone(), class.name.value.clone());
        let id = ids.get(&class.name.value).map_or(ClassId(0), |id| id.value);
        into.classes.insert(class.name.value.clone(), names::Class { id, leaf: class.classes.is_empty() });
    }
    let leaves: Vec<&RawClass> = all.into_iter().filter(|class| class.classes.is_empty()).collect();
    let default = default(&leaves, set, sink);
    Outline { ids, default, leaves: leaves.len() as u64, too_many, whole: set.whole }
}

/// Returns the place of the default leaf's name.
fn default(leaves: &[&RawClass], set: Set<'_>, sink: &mut Sink) -> Option<Span> {
    let marked: Vec<(&RawClass, Span)> = leaves
        .iter()
        .filter_map(|leaf| leaf.default.filter(|default| default.value).map(|default| (*leaf, default.span)))
        .collect();
    match (marked.as_slice(), leaves) {
        ([(one, _)], _) => Some(one.name.span),
        ([], [only]) => {
            // an unreadable class may be another one
            sink.extend(only_class(only).filter(|_| set.whole));
            Some(only.name.span)
        }
        ([], _) if !set.whole => None,
        ([], []) => {
            let help = "write a class, or remove `classes` to use the preset `home`";
            sink.push(Diagnostic::new(Code::NoDefault, set.key, "`classes` has no class").help(help));
            None
        }
        ([], _) => {
            let free: Vec<&&RawClass> = leaves.iter().filter(|leaf| leaf.matches.is_none()).collect();
            let help = match free.as_slice() {
                [only] => format!(
                    "write `default: true` in class {}, which has no `match`",
                    ticked(&only.name.value)
                ),
                _ => "write `default: true` in the class for all packets that no `match` matches".to_owned(),
            };
            // Somebody who writes `default: false` in a single class has probably meant this class.
            let refused: Vec<Span> = leaves.iter().filter_map(|leaf| Some(leaf.default?.span)).collect();
            let finding = match refused.as_slice() {
                [only] => Diagnostic::new(Code::NoDefault, *only, "no class has `default: true`")
                    .also(set.key, "one of these classes must have it"),
                _ => Diagnostic::new(Code::NoDefault, set.key, "no class has `default: true`"),
            };
            sink.push(finding.help(help));
            None
        }
        ([(first, at), others @ ..], _) => {
            let Some((_, place)) = others.first() else { return Some(first.name.span) };
            let names: Vec<&str> = marked.iter().map(|(leaf, _)| leaf.path.as_str()).collect();
            let message =
                format!("{} classes have `default: true`: {}", marked.len(), some_ticked(&names, 8));
            let finding = Diagnostic::new(Code::NoDefault, *place, message).also(*at, "the first one");
            let finding = finding.also_at(others.iter().skip(1).map(|(_, place)| (*place, "another one")));
            sink.push(finding.help("keep `default: true` in one class, and remove it from the others"));
            Some(first.name.span)
        }
    }
}

/// Reports an only class that is not meant to get all packets, but does.
fn only_class(only: &RawClass) -> Option<Diagnostic> {
    let refused = only.default.map(|default| (default.span, "`default: false` has no effect"));
    let matched = only
        .matches
        .as_ref()
        .and_then(|all| all.first())
        .map(|first| (first.span, "this `match` has no effect"));
    let (place, label) = refused.or(matched).filter(|(place, _)| place.is_own())?;
    let message = format!("class {} is the only one, so it gets all packets", ticked(&only.name.value));
    let help = "write a class for all other packets, such as `rest: { default: true }`, or leave this out";
    Some(Diagnostic::new(Code::OnlyClass, place, message).label(label).help(help))
}

/// Values that a class inherits from its parents.
#[derive(Debug, Clone, Copy)]
struct Inherited {
    /// Number of parents.
    depth: usize,
    /// Priority of the nearest parent that gives one.
    priority: Option<Spanned<u8>>,
    /// `true` if one of the parents has a `match`.
    matched: bool,
}

impl Builder<'_> {
    /// Builds the tree.
    ///
    /// `line` says for each direction how its rate follows from the line rate.
    pub fn build(&self, set: Set<'_>, line: PerDirection<String>, sink: &mut Sink) -> Vec<Class> {
        if self.outline.too_many {
            return Vec::new();
        }
        let above = rates::whole(self.tree, line, set.key);
        self.level(set.list, &above, Inherited { depth: 0, priority: None, matched: false }, sink)
    }

    fn level(&self, list: &[RawClass], above: &Above, from: Inherited, sink: &mut Sink) -> Vec<Class> {
        if from.depth == DEEPEST
            && let Some(first) = list.first()
        {
            let message = format!("class {} is nested inside {DEEPEST} classes", ticked(&first.name.value));
            sink.push(
                Diagnostic::new(Code::TooDeep, first.name.span, message)
                    .label(format!("level {}", DEEPEST + 1))
                    .help(format!("HTB allows {DEEPEST} levels of classes: remove a level above this class")),
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
                line: None,
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
            derive::scheduling(self.packet, guarantee, ceiling, true)
        });
        Class {
            name: raw.name.value.clone(),
            path: raw.path.clone(),
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
                guarantee: PerDirection::from_fn(|d| raw.guarantee.get(d).map(|given| given.value)),
                ceiling: PerDirection::from_fn(|d| raw.ceiling.get(d).map(|given| given.value)),
            },
            guarantee: rates_of_class.guarantee,
            ceiling: rates_of_class.ceiling,
            scheduling,
            matches,
            shape,
        }
    }

    fn leaf(&self, raw: &RawClass, rates_of_class: &ClassRates, sink: &mut Sink) -> Leaf {
        let share = PerDirection::from_fn(|d| choice(*raw.share.get(d), Share::PerFlow));
        queues::check(&raw.queue, &share, sink);
        let default = self.outline.default == Some(raw.name.span);
        if default {
            default_borrows(raw, rates_of_class, sink);
        }
        Leaf {
            default,
            queue: PerDirection::from_fn(|d| {
                let sharers = Sharers { share: share.get(d), nat: self.nat, flows: self.flows };
                let rates = (*self.tree.get(d), rates_of_class.ceiling.get(d).value);
                queues::resolve(&raw.queue, d, self.packet, rates, sharers)
            }),
            share,
            set_dscp: raw.set_dscp.map(|dscp| Val::given(dscp.value, dscp.span)),
            hosts: PerDirection { up: None, down: None },
        }
    }
}

/// Reports a default class that only borrows. Traffic without a match includes ARP, DHCP and neighbour discovery, and
/// without them the line does not work at all.
fn default_borrows(raw: &RawClass, rates_of_class: &ClassRates, sink: &mut Sink) {
    let borrows = |direction: &Direction| derive::borrows(rates_of_class.guarantee.get(*direction).value);
    let directions: Vec<Direction> = Direction::BOTH.into_iter().filter(borrows).collect();
    let Some(direction) = directions.first() else { return };
    let own = raw.guarantee.get(*direction).filter(|given| given.value.is_nothing());
    // A rate below `BORROWING` is a placeholder after an error that was already reported.
    let inherited = rates_of_class.guarantee.get(*direction).value == derive::BORROWING
        && raw.guarantee.get(*direction).is_none();
    let (place, help) = match own {
        Some(given) => (
            given.span,
            "write `guarantee: 20%`, or remove `guarantee`: then the class gets a share of what the other guarantees leave",
        ),
        None if inherited => (
            raw.name.span,
            "write a `guarantee` above `0%` in its parent class, or move the default class out of that class",
        ),
        None => return,
    };
    let label = match directions.as_slice() {
        [direction] => format!("no guarantee {}", direction.as_str()),
        _ => "no guarantee in either direction".to_owned(),
    };
    let message = format!("the default class {} only borrows spare bandwidth", ticked(&raw.name.value));
    sink.push(Diagnostic::new(Code::RateTooLow, place, message).label(label).help(help).help(
        "the default class carries ARP, DHCP and neighbour discovery, and the line fails without them",
    ));
}

/// Reports fields of a parent class that only make sense for a queue.
fn leaf_only(raw: &RawClass, name: &str, sink: &mut Sink) {
    let fields = [
        ("share", raw.share.up.or(raw.share.down).map(|share| share.span)),
        ("queue", raw.queue.up.as_ref().or(raw.queue.down.as_ref()).map(|queue| queue.span)),
        ("default", raw.default.filter(|default| default.value).map(|default| default.span)),
        ("set_dscp", raw.set_dscp.as_ref().map(|dscp| dscp.span)),
    ];
    for (field, span) in fields {
        let Some(span) = span else { continue };
        let message = format!("`{field}` is not possible in class {name}, which contains classes");
        sink.push(
            Diagnostic::new(Code::LeafOnly, span, message)
                .also(raw.name.span, "packets go to the leaf classes inside, never to this class")
                .help(format!("write `{field}` in a leaf class inside")),
        );
    }
}

/// Returns `true` if the class gets the traffic of its parent's `match` that no sibling matches. This is so if the
/// class, one of its leaves and all classes between them have no `match`.
fn takes_the_rest(class: &RawClass) -> bool {
    class.matches.is_none() && (class.classes.is_empty() || class.classes.iter().any(takes_the_rest))
}

/// Reports a second class that would get the rest of a parent's `match`, because no packet would reach it.
fn second_rest(list: &[RawClass], sink: &mut Sink) {
    let mut rest = list.iter().filter(|class| takes_the_rest(class));
    let Some(first) = rest.next() else { return };
    for second in rest {
        let message = format!("no packets are left for class {}", ticked(&second.name.value));
        sink.push(
            Diagnostic::new(Code::SecondRest, second.name.span, message)
                .also(
                    first.name.span,
                    "this class gets all packets of the parent class that no sibling matches",
                )
                .help("write a `match` in one of the two classes"),
        );
    }
}
