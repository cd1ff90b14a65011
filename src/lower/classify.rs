//! Which class a packet meets: the matches of the tree as one list of filters for each direction, first match first.

use super::alternative::{COMPARED, MOST, MatchSet, Needed, TooLarge, obstacles};
use super::distinct::Distinct;
use super::frame::{framed, plain};
use super::hashed;
use super::host_classes::Hosts;
use super::{dev, target, why};
use crate::diag::{Code, Diagnostic, Sink, Span};
use crate::model::{
    Alternative, Class, ClassId, Diffserv, Direction, Host, Leaf, Model, PerDirection, Shape,
};
use crate::tc::{Action, CATCH_ALL_PREF, Classifier, Filter, FilterProtocol, Hook, Lone, Selector, Table};
use crate::units::{Dscp, Family};

/// Filters of one preference: u32 deals out 2048 handles in each.
const PER_PREF: usize = 2000;

/// The first preference at a root.
const ROOT_PREF: u16 = 10;

/// Alternatives that must all hold, from the outermost class to the innermost; and a host, where it is of one.
#[derive(Clone)]
pub(super) struct Conjunction<'a> {
    pub(super) parts: Vec<&'a Alternative>,
    pub(super) host: Option<&'a Host>,
    pub(super) match_set: MatchSet,
}

/// What goes to one leaf: to the classes of its hosts first, where some have one.
pub(super) struct Rule<'a> {
    pub(super) destinations: Vec<Destination<'a>>,
}

/// What goes to one class of the kernel's.
pub(super) struct Destination<'a> {
    /// The leaf.
    pub(super) class: &'a Class,
    pub(super) leaf: &'a Leaf,
    /// The name of the host's class, where it goes to that.
    pub(super) own: &'a str,
    /// The class, in the directions in which there is one.
    pub(super) to: PerDirection<Option<ClassId>>,
    pub(super) any: Vec<Conjunction<'a>>,
}

/// The rules of the tree in the order in which they are tried. Pushes what cannot be matched, and what is too large.
pub(super) fn rules<'a>(model: &'a Model, sink: &mut Sink) -> Vec<Rule<'a>> {
    let mut order = Order::default();
    order.walk(&model.classes, None, model, sink);
    let mut hosts = Hosts::new(model);
    let mut rules: Vec<Rule<'a>> =
        order.asked.into_iter().map(|asked| hosts.divide(asked.class, asked.leaf, asked.any, sink)).collect();
    rules.extend(hosts.of_hosts_without_match(sink));
    rules.extend(hosts.in_tunnels());
    rules
}

/// What goes to one leaf by matches.
struct Asked<'a> {
    class: &'a Class,
    leaf: &'a Leaf,
    any: Vec<Conjunction<'a>>,
}

/// Leaves in the order of the file, but what takes the rest of a match comes when all else inside that match was asked.
#[derive(Default)]
struct Order<'a> {
    asked: Vec<Asked<'a>>,
    rest: Vec<Asked<'a>>,
}

impl<'a> Order<'a> {
    fn walk(
        &mut self,
        classes: &'a [Class],
        outer: Option<&[Conjunction<'a>]>,
        model: &'a Model,
        sink: &mut Sink,
    ) {
        for class in classes {
            let Some(matches) = &class.matches else {
                match (&class.shape, outer) {
                    (Shape::Inner(children), _) => self.walk(children, outer, model, sink),
                    (Shape::Leaf(leaf), Some(outer)) => {
                        self.rest.push(Asked { class, leaf, any: outer.to_vec() });
                    }
                    // nothing but the default reaches it
                    (Shape::Leaf(_), None) => {}
                }
                continue;
            };
            let any = narrow(class, matches, outer, model, sink);
            match &class.shape {
                Shape::Leaf(leaf) => self.asked.push(Asked { class, leaf, any }),
                Shape::Inner(children) => {
                    let mut inside = Order::default();
                    inside.walk(children, Some(&any), model, sink);
                    self.asked.append(&mut inside.asked);
                    self.asked.append(&mut inside.rest);
                }
            }
        }
    }
}

/// The matches of a class, each and-ed with each of the classes around it.
fn narrow<'a>(
    class: &Class,
    matches: &'a [Alternative],
    outer: Option<&[Conjunction<'a>]>,
    model: &Model,
    sink: &mut Sink,
) -> Vec<Conjunction<'a>> {
    let mut any = Vec::new();
    for alternative in matches {
        let Ok(match_set) = MatchSet::looked_up(alternative, model) else {
            sink.push(too_large(alternative.span));
            continue;
        };
        if match_set.is_nothing(None) {
            sink.push(cannot(alternative, &obstacles(alternative, model, None)));
            continue;
        }
        let Some(outer) = outer else {
            any.push(Conjunction { parts: vec![alternative], host: None, match_set });
            continue;
        };
        match within(alternative, &match_set, outer, model) {
            Err(TooLarge) => sink.push(too_large(alternative.span)),
            // where the classes around it take nothing, that was said already
            Ok(conjunction) if conjunction.is_empty() && !outer.is_empty() => {
                sink.push(cannot_within(class, alternative, outer));
            }
            Ok(conjunction) => any.extend(conjunction),
        }
        if any.len() > COMPARED {
            sink.push(too_large(alternative.span));
            return Vec::new();
        }
    }
    any
}

fn within<'a>(
    alternative: &'a Alternative,
    match_set: &MatchSet,
    outer: &[Conjunction<'a>],
    model: &Model,
) -> Result<Vec<Conjunction<'a>>, TooLarge> {
    let mut found = Vec::new();
    let mut needed = Needed::default();
    for around in outer {
        let match_set = around.match_set.and(match_set)?;
        needed.add(&match_set, model)?;
        if !match_set.is_nothing(None) {
            let parts = around.parts.iter().copied().chain([alternative]).collect();
            found.push(Conjunction { parts, host: None, match_set });
        }
    }
    Ok(found)
}

/// The filters at the root of a direction, first asked first: the rules, then what takes the rest.
pub(super) fn filters(model: &Model, rules: &[Rule<'_>], direction: Direction) -> Vec<Filter> {
    let mut filters = Vec::new();
    // one tin takes everything
    if model.cake.get(direction).as_ref().is_some_and(|cake| cake.diffserv.value == Diffserv::Besteffort) {
        return filters;
    }
    for family in [Family::Ipv4, Family::Ipv6] {
        let mut prefs = Prefs::new(ROOT_PREF, family);
        for rule in rules {
            for run in hashed::runs(picks(model, rule, direction, family)) {
                let whole = (!run.classifier.is_u32()).then(|| prefs.whole());
                for pick in run.picks {
                    let pref = whole.unwrap_or_else(|| prefs.next());
                    filters.push(pick.filter(model, direction, pref, run.classifier));
                }
            }
        }
    }
    filters.sort_by_key(|filter| filter.pref);
    filters.extend(catch_all(model, direction));
    filters
}

/// A selector of a rule, as the packets of a family carry it, and where it sends them.
pub(super) struct Pick<'r, 'a> {
    destination: &'r Destination<'a>,
    to: ClassId,
    conjunction: &'r Conjunction<'a>,
    family: Family,
    protocol: FilterProtocol,
    selector: Selector,
}

impl Pick<'_, '_> {
    /// As what it would be looked up in a hash table, if it can be.
    pub(super) fn table(&self) -> Option<Table> {
        self.selector.lone(self.protocol).map(Lone::table)
    }
}

/// What a rule asks of a family, first asked first, without what an earlier one takes whole.
fn picks<'r, 'a>(
    model: &Model,
    rule: &'r Rule<'a>,
    direction: Direction,
    family: Family,
) -> Vec<Pick<'r, 'a>> {
    let mut picks = Vec::new();
    for destination in &rule.destinations {
        let Some(to) = *destination.to.get(direction) else { continue };
        for conjunction in &destination.any {
            let from = picks.len();
            for selector in conjunction.match_set.get(direction, family) {
                let (protocol, selector) = framed(model, family, selector);
                picks.push(Pick { destination, to, conjunction, family, protocol, selector });
            }
            // they all go the same way
            hashed::gather(picks.get_mut(from..).unwrap_or_default(), Pick::table);
        }
    }
    // which of two hosts is asked first means nothing, but for one that is a part of the other, which has the longer prefix
    if rule
        .destinations
        .iter()
        .flat_map(|destination| &destination.any)
        .all(|conjunction| conjunction.parts.is_empty())
    {
        hashed::gather(&mut picks, Pick::table);
    }
    // what a host's class has taken never comes to that of the rest
    let mut distinct = Distinct::default();
    picks.retain(|pick| distinct.adds(&pick.selector));
    picks
}

impl Pick<'_, '_> {
    fn filter(&self, model: &Model, direction: Direction, pref: u16, classifier: Classifier) -> Filter {
        let Pick { destination, to, conjunction, family, protocol, .. } = *self;
        let name =
            if to == destination.class.rest(direction) { &destination.class.name } else { destination.own };
        let host = conjunction.host.map(|host| format!("host {}", host.name));
        let parts = conjunction.parts.iter().map(|part| part.text.as_str());
        let mut what: Vec<&str> = host.as_deref().into_iter().chain(parts).collect();
        if what.is_empty() {
            what.push("tunnels");
        }
        let span = conjunction.parts.last().map(|part| part.span).or(conjunction.host.map(|host| host.span));
        let (flowid, priority) = target(model, direction, to);
        let dscp = set_dscp(model, destination.leaf, direction).map(|dscp| Action::SetDscp { family, dscp });
        let with = self.selector.came_by.clone();
        Filter {
            dev: dev(direction),
            hook: Hook::Root,
            pref,
            protocol,
            classifier,
            selector: self.selector.clone(),
            flowid,
            actions: dscp.into_iter().chain(priority).collect(),
            with,
            why: why(name, &what.join(" and "), span),
        }
    }
}

/// The DSCP that packets get in a leaf, if they get one: its own, or none where the link is washed.
fn set_dscp(model: &Model, leaf: &Leaf, direction: Direction) -> Option<Dscp> {
    // CAKE washes by itself, and `check` has refused the rest
    if model.cake.get(direction).is_some() {
        return None;
    }
    let washed = model.link.wash.get(direction).then(|| Dscp::new(0)).flatten();
    leaf.set_dscp.as_ref().map(|dscp| dscp.value).or(washed)
}

/// What takes everything that no rule took: for the default leaf, and for IPv4 and IPv6 apart where their DSCP is set.
fn catch_all(model: &Model, direction: Direction) -> Vec<Filter> {
    let default = model.default_leaf().and_then(|class| class.leaf().map(|leaf| (class, leaf)));
    let mut filters = Vec::new();
    if let Some((class, leaf)) = default {
        let (flowid, priority) = target(model, direction, class.rest(direction));
        let filter = |pref: u16, protocol: FilterProtocol, actions: Vec<Action>| Filter {
            dev: dev(direction),
            hook: Hook::Root,
            pref,
            protocol,
            classifier: Classifier::U32,
            selector: Selector::default(),
            flowid,
            actions,
            with: None,
            why: why(&class.name, "everything else", Some(class.span)),
        };
        if let Some(dscp) = set_dscp(model, leaf, direction) {
            for (before, family) in [(2, Family::Ipv4), (1, Family::Ipv6)] {
                let action = Action::SetDscp { family, dscp };
                filters.push(filter(CATCH_ALL_PREF - before, plain(family), vec![action]));
            }
        }
        filters.push(filter(CATCH_ALL_PREF, FilterProtocol::All, priority.into_iter().collect()));
    }
    filters
}

/// Deals out preferences: each holds filters of one family, and IPv4 and IPv6 take turns. How the two lie to each
/// other means nothing, since no packet is both.
pub(super) struct Prefs {
    first: u16,
    dealt: usize,
}

impl Prefs {
    /// From `first` upwards, which IPv4 gets; IPv6 gets the next.
    pub(super) const fn new(first: u16, family: Family) -> Prefs {
        let first = match family {
            Family::Ipv4 => first,
            Family::Ipv6 => first + 1,
        };
        Prefs { first, dealt: 0 }
    }

    /// The preference of the next filter.
    pub(super) fn next(&mut self) -> u16 {
        let turn = u16::try_from(self.dealt / PER_PREF).unwrap_or(u16::MAX);
        self.dealt += 1;
        self.first.saturating_add(turn.saturating_mul(2))
    }

    /// A preference of which nobody else gets anything.
    fn whole(&mut self) -> u16 {
        self.dealt = self.dealt.next_multiple_of(PER_PREF);
        let pref = self.next();
        self.dealt = self.dealt.next_multiple_of(PER_PREF);
        pref
    }
}

/// The finding that a match needs too many filters.
pub(super) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new(Code::MatchTooLarge, span, format!("this match needs more than {COMPARED} filters"))
        .label("every combination of its values is a filter of its own")
        .help(format!(
            "write aligned ranges and prefixes, such as 6880-6911 or 10.0.0.0/24, or split it into classes; hosts alone, \
             without ports or protocols, can be {MOST}"
        ))
}

/// The finding that no packet can meet an alternative.
pub(super) fn cannot(alternative: &Alternative, obstacles: &[String]) -> Diagnostic {
    let finding = Diagnostic::new(Code::CannotMatch, alternative.span, "no packet can meet this match")
        .label(obstacles.join("; "));
    if obstacles.iter().any(|text| text.starts_with("downwards")) {
        finding.help(
            "leave out the direction, or write `trust_dscp: true` under `link` to take the sender's word",
        )
    } else {
        finding
    }
}

fn cannot_within(class: &Class, alternative: &Alternative, outer: &[Conjunction<'_>]) -> Diagnostic {
    let contradicts = outer.first().and_then(|conjunction| conjunction.parts.last());
    Diagnostic::new(Code::CannotMatch, alternative.span, "no packet can meet this match within its parent's")
        .label(format!("`{}` gets only what the classes around it match", class.name))
        .also_at(contradicts.map(|part| (part.span, "and this contradicts it")))
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
