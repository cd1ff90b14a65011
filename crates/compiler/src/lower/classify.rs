//! Sends packets to classes: turns the matches of the tree into one filter list per direction. The first match wins.

use super::alternative::obstacles;
use super::distinct::Distinct;
use super::frame::{framed, plain};
use super::hashed;
use super::host_classes::Hosts;
use super::limits::{COMPARED, TooLarge};
use super::match_set::{MatchSet, Needed};
use super::one_way;
use super::prepared::Prepared;
use super::rule::{Conjunction, Pick, Rule, runs, too_large};
use super::terms::{cut, dev, target, why};
use crate::diag::{Code, Diagnostic, Sink};
use crate::journey::UNTRUSTED_DSCP;
use crate::model::{Alternative, Class, Diffserv, Direction, Leaf, Model, in_match_order};
use crate::tc::{Action, CATCH_ALL_PREF, Classifier, Filter, FilterProtocol, Hook, MOST_IN_ROW, Selector};
use crate::units::{Dscp, Family};

/// Largest number of hash tables of a direction: their handles have two digits.
const TABLES: usize = 255;

/// First preference at a root qdisc.
const ROOT_PREF: u16 = 10;

/// Returns the rules of the tree in the order in which the kernel tries them. Reports matches that no packet can
/// satisfy and matches that are too large.
pub(super) fn rules<'a>(prepared: &Prepared<'a>, sink: &mut Sink) -> Vec<Rule<'a>> {
    let model = prepared.model;
    let leaves = in_match_order(&model.classes, &mut |class, matches, outer: Option<&Vec<_>>| {
        narrow(class, matches, outer.map(Vec::as_slice), prepared, sink)
    });
    let mut hosts = Hosts::new(prepared);
    let mut rules: Vec<Rule<'a>> =
        leaves.into_iter().map(|leaf| hosts.divide(leaf.class, leaf.leaf, leaf.packets, sink)).collect();
    rules.extend(hosts.of_hosts_without_match(sink));
    rules.extend(hosts.in_tunnels());
    rules
}

/// Intersects the matches of a class with those of its parents.
fn narrow<'a>(
    class: &Class,
    matches: &'a [Alternative],
    outer: Option<&[Conjunction<'a>]>,
    prepared: &Prepared<'_>,
    sink: &mut Sink,
) -> Vec<Conjunction<'a>> {
    let mut any = Vec::new();
    for alternative in matches {
        if prepared.is_over() {
            return Vec::new();
        }
        let Ok(match_set) = MatchSet::looked_up(alternative, prepared) else {
            sink.push(too_large(alternative.span));
            continue;
        };
        if match_set.is_nothing(None) {
            sink.push(cannot(alternative, &obstacles(alternative, prepared, None)));
            continue;
        }
        let all = match outer {
            Some(outer) => within(class, alternative, &match_set, outer, prepared),
            None => {
                count(class, &match_set, prepared);
                Ok(vec![Conjunction { parts: vec![alternative], host: None, match_set }])
            }
        };
        match all {
            Err(TooLarge) => sink.push(too_large(alternative.span)),
            _ if prepared.is_over() => return Vec::new(),
            // if the parents match nothing, that was already reported
            Ok(all) if all.is_empty() => {
                sink.extend(
                    outer.filter(|all| !all.is_empty()).map(|all| cannot_within(class, alternative, all)),
                );
            }
            Ok(all) => {
                sink.extend(one_way::finding(alternative, &all, prepared.model));
                any.extend(all);
            }
        }
        if any.len() > COMPARED {
            sink.push(too_large(alternative.span));
            return Vec::new();
        }
    }
    any
}

/// Counts the filters of a match set of a leaf. The filters of a parent class are those of its leaves.
fn count(class: &Class, match_set: &MatchSet, prepared: &Prepared<'_>) {
    prepared.add_steps(match_set.len());
    if class.leaf().is_some() {
        prepared.add_filters(match_set.len());
    }
}

fn within<'a>(
    class: &Class,
    alternative: &'a Alternative,
    match_set: &MatchSet,
    outer: &[Conjunction<'a>],
    prepared: &Prepared<'_>,
) -> Result<Vec<Conjunction<'a>>, TooLarge> {
    let mut found = Vec::new();
    let mut needed = Needed::default();
    for around in outer {
        let index = around.match_set.indices(match_set.longest());
        prepared.add_steps(1);
        prepared.add_cost(index.cost(match_set));
        if prepared.is_over() {
            return Ok(found);
        }
        let match_set = index.and(match_set)?;
        needed.add(&match_set)?;
        count(class, &match_set, prepared);
        if !match_set.is_nothing(None) {
            let parts = around.parts.iter().copied().chain([alternative]).collect();
            found.push(Conjunction { parts, host: None, match_set });
        }
    }
    Ok(found)
}

/// Returns the filters at the root qdisc of a direction in the kernel's order: the rules, then the filters for the
/// rest.
pub(super) fn filters(model: &Model, rules: &[Rule<'_>], direction: Direction) -> Vec<Filter> {
    let mut filters = Vec::new();
    // a single tin needs no filters
    if model.cake.get(direction).as_ref().is_some_and(|cake| cake.diffserv.value == Diffserv::Besteffort) {
        return filters;
    }
    let mut tables = TABLES;
    for family in [Family::Ipv4, Family::Ipv6] {
        let mut prefs = Prefs::new(ROOT_PREF, family);
        let picks = rules.iter().flat_map(|rule| picks(model, rule, direction, family)).collect();
        for run in runs(picks, &mut tables) {
            let whole = (!run.classifier.is_u32()).then(|| prefs.whole());
            for pick in run.picks {
                let pref = whole.unwrap_or_else(|| prefs.next());
                filters.push(pick.filter(model, direction, pref, run.classifier));
            }
        }
    }
    filters.sort_by_key(|filter| filter.pref);
    filters.extend(catch_all(model, direction));
    filters
}

/// Returns the selectors of a rule for one family in the kernel's order. A selector that an earlier one covers is
/// omitted.
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
            for selector in conjunction.match_set.get(direction, family) {
                let (protocol, selector) = framed(model, family, selector);
                picks.push(Pick { destination, to, conjunction, family, protocol, selector });
            }
        }
    }
    // The order of two hosts only matters if one of them is a part of the other. The smaller one has the longer prefix
    // and so another kind.
    if rule
        .destinations
        .iter()
        .flat_map(|destination| &destination.any)
        .all(|conjunction| conjunction.parts.is_empty())
    {
        hashed::gather(&mut picks, |pick| pick.selector.masks());
    }
    // packets that a host's class has matched never reach the class of the rest
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
        let parts = conjunction.parts.iter().map(|part| cut(&part.text));
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

/// Returns the DSCP that the filters of a leaf set: its own, or 0 if the link is washed. `None` if they set none.
fn set_dscp(model: &Model, leaf: &Leaf, direction: Direction) -> Option<Dscp> {
    // CAKE washes by itself, and `check` has already rejected the rest
    if model.cake.get(direction).is_some() {
        return None;
    }
    let washed = model.link.wash.get(direction).then(|| Dscp::new(0)).flatten();
    leaf.set_dscp.as_ref().map(|dscp| dscp.value).or(washed)
}

/// Returns the filters for all packets that no rule matched. They go to the default leaf. If their DSCP is set, IPv4
/// and IPv6 need separate filters.
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

/// Assigns preferences. Each holds filters of one family, and IPv4 and IPv6 alternate. The order between the families
/// has no meaning, because no packet belongs to both.
pub(super) struct Prefs {
    first: u16,
    dealt: usize,
}

impl Prefs {
    /// Starts at `first` for IPv4 and at the next preference for IPv6.
    pub(super) const fn new(first: u16, family: Family) -> Prefs {
        let first = match family {
            Family::Ipv4 => first,
            Family::Ipv6 => first + 1,
        };
        Prefs { first, dealt: 0 }
    }

    /// Returns the preference of the next filter.
    pub(super) fn next(&mut self) -> u16 {
        let turn = u16::try_from(self.dealt / MOST_IN_ROW).unwrap_or(u16::MAX);
        self.dealt += 1;
        self.first.saturating_add(turn.saturating_mul(2))
    }

    /// Returns a preference that no other filter gets.
    fn whole(&mut self) -> u16 {
        self.dealt = self.dealt.next_multiple_of(MOST_IN_ROW);
        let pref = self.next();
        self.dealt = self.dealt.next_multiple_of(MOST_IN_ROW);
        pref
    }
}

/// Returns the finding that no packet can satisfy an alternative.
pub(super) fn cannot(alternative: &Alternative, obstacles: &[String]) -> Diagnostic {
    let finding = Diagnostic::new(Code::CannotMatch, alternative.span, "no packet can meet this match")
        .label(obstacles.join("; "));
    if obstacles.iter().any(|text| text.contains(UNTRUSTED_DSCP)) {
        finding.help(
            "remove `direction`, or write `trust_dscp: true` under `link` to trust the DSCP of the sender",
        )
    } else if !alternative.devices.is_empty() {
        finding.help("remove `device`, or write `direction: down` and no `tunnel` or `mark` beside it")
    } else {
        finding
    }
}

fn cannot_within(class: &Class, alternative: &Alternative, outer: &[Conjunction<'_>]) -> Diagnostic {
    let contradicts = outer.first().and_then(|conjunction| conjunction.parts.last());
    Diagnostic::new(
        Code::CannotMatch,
        alternative.span,
        "no packet can meet this match and that of the parent class",
    )
    .label(format!("class `{}` gets only packets that its parent classes match", class.name))
    .also_at(contradicts.map(|part| (part.span, "this match contradicts it")))
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
