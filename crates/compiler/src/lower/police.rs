//! Lowers policers, which cap a rate without a queue. They sit at the hooks of the WAN device, before any shaping.

use super::alternative::obstacles;
use super::classify::{Prefs, cannot};
use super::distinct::Distinct;
use super::frame::framed;
use super::match_set::MatchSet;
use super::prepared::Prepared;
use super::rule::too_large;
use super::terms::{charge, flowid, why};
use crate::derive::POLICE_MTU;
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{ClassId, Direction, Exceed, Ingress, Model, Police};
use crate::tc::{
    Action, Classifier, Dev, EGRESS_PREF, Filter, FilterProtocol, Handle, Hook, INGRESS_LAST_PREF,
    INGRESS_PREF, PoliceStep, ROOT, Selector,
};
use crate::units::{Bytes, Family, Rate, fnv1a64};
use std::collections::{BTreeMap, BTreeSet};

/// Name of the policer for the whole link. It is empty, which a name in the YAML cannot be.
pub(super) const WHOLE_LINK: &str = "";

/// Returns the filters at the hook of a direction in the kernel's order. The policers come in the order of the file,
/// then the filter for all other downloads.
pub(super) fn filters(prepared: &Prepared<'_>, direction: Direction, sink: &mut Sink) -> Vec<Filter> {
    let model = prepared.model;
    let down = direction == Direction::Down;
    let (hook, first) = match direction {
        Direction::Up => (Hook::Egress, EGRESS_PREF),
        Direction::Down => (Hook::Ingress, INGRESS_PREF),
    };
    let indexes = indexes(model);
    let whole = indexes.get(WHOLE_LINK).copied().unwrap_or(1);
    let leaves = model.leaves().into_iter();
    let rests: BTreeMap<ClassId, ClassId> =
        leaves.map(|leaf| (leaf.id.value, leaf.rest(direction))).collect();
    // if marks are in use, the first preferences belong to the filters that restore the marks of downloads
    let first = if down && model.marks.is_some() { first + 2 } else { first };
    let mut prefs = [Prefs::new(first, Family::Ipv4), Prefs::new(first, Family::Ipv6)];
    let mut filters = Vec::new();
    if direction == Direction::Down {
        filters.extend(super::decrypted::passes(model, |family| match family {
            Family::Ipv4 => prefs[0].next(),
            Family::Ipv6 => prefs[1].next(),
        }));
        filters.extend(super::labels::filters(model, || prefs[1].next()));
    }
    let lan = model.lan.bypass();
    let lan = lan.as_ref().filter(|_| !down || model.link.ingress.value != Ingress::None);
    let lan = lan.map(|lan| ("lan", std::slice::from_ref(lan), vec![vec![past(direction)]]));
    let mut lists: Vec<_> = lan.into_iter().collect();
    for police in model.police.iter().filter(|police| police.direction == direction) {
        let index = indexes.get(police.name.as_str()).copied().unwrap_or(1);
        let Some(steps) = steps(police, index, whole, &rests, model, sink) else { continue };
        lists.push((police.name.as_str(), police.matches.as_slice(), steps));
    }
    let filter = |pref, (protocol, selector), actions, why| Filter {
        dev: Dev::Wan,
        hook,
        pref,
        protocol,
        selector,
        classifier: Classifier::U32,
        flowid: None,
        actions,
        with: None,
        why,
    };
    // These go before the first policer that takes any of them, so that a limit for pings does not take IPv6 away.
    let mut neighbours = super::selectors::neighbour_discovery();
    let is_shaped = down && model.link.ingress.value == Ingress::Shape;
    let unpoliced = if is_shaped { Action::Redirect(Dev::Ifb) } else { Action::Pass };
    for (name, matches, steps) in lists {
        let polices = steps.iter().flatten().any(|action| matches!(action, Action::Police(_)));
        let mut distinct = [Distinct::default(), Distinct::default()];
        for alternative in matches {
            if prepared.is_over() {
                return Vec::new();
            }
            let Ok(match_set) = MatchSet::one_by_one(alternative, prepared) else {
                sink.push(too_large(alternative.span));
                continue;
            };
            if match_set.is_nothing(Some(direction)) {
                sink.push(cannot(alternative, &obstacles(alternative, prepared, Some(direction))));
            }
            let families = [Family::Ipv4, Family::Ipv6].into_iter().zip(prefs.iter_mut().zip(&mut distinct));
            for (family, (prefs, distinct)) in families {
                for selector in match_set.get(direction, family) {
                    // at the WAN device, no packet arrives from another device
                    if selector.came_by.is_some() || !distinct.adds(selector) {
                        continue;
                    }
                    let takes = |own: &Selector| own.and(selector).is_some();
                    if polices && family == Family::Ipv6 && neighbours.iter().any(takes) {
                        filters.extend(std::mem::take(&mut neighbours).iter().map(|own| {
                            let why = why(model.name.value.as_str(), "neighbour discovery", None);
                            filter(prefs.next(), framed(model, family, own), vec![unpoliced.clone()], why)
                        }));
                    }
                    let framed = framed(model, family, selector);
                    prepared.add_filters(steps.len());
                    if prepared.is_over() {
                        return Vec::new();
                    }
                    for actions in &steps {
                        let why = why(name, &alternative.text, Some(alternative.span));
                        filters.push(filter(prefs.next(), framed.clone(), actions.clone(), why));
                    }
                }
            }
        }
    }
    filters.sort_by_key(|filter| filter.pref);
    if down {
        filters.extend(last(model, whole));
    }
    filters
}

/// Returns the actions of each filter of a policer. There is one list of actions, and a second one if packets above the
/// rate go to a class. `whole` is the index of the cap of all downloads, and `rests` has the class of each leaf for
/// packets that belong to no host class.
fn steps(
    police: &Police,
    index: u32,
    whole: u32,
    rests: &BTreeMap<ClassId, ClassId>,
    model: &Model,
    sink: &mut Sink,
) -> Option<Vec<Vec<Action>>> {
    let ingress = model.link.ingress.value;
    let down = police.direction == Direction::Down;
    let mut actions = Vec::new();
    let (conform, then) = match (police.direction, police.bypass, ingress) {
        (Direction::Down, false, Ingress::Shape) => (PoliceStep::Pipe, Some(Action::Redirect(Dev::Ifb))),
        (Direction::Down, false, Ingress::Police) => (PoliceStep::Pipe, Some(whole_link(model, whole))),
        (Direction::Up, true, _) => (PoliceStep::Pipe, Some(past(Direction::Up))),
        (Direction::Down, _, _) | (Direction::Up, false, _) => (PoliceStep::Ok, None),
    };
    let exceed = match police.exceed {
        Exceed::Drop => PoliceStep::Drop,
        Exceed::Reclassify(_) => PoliceStep::Continue,
    };
    actions.push(action(model, index, police.rate.value, police.burst.value, conform, exceed));
    actions.extend(then);
    let Exceed::Reclassify(class) = police.exceed else { return Some(vec![actions]) };
    let class = rests.get(&class).copied().unwrap_or(class);
    let mut beyond = vec![Action::Priority(flowid(class))];
    if down && ingress != Ingress::Shape {
        let message = "`reclassify` is not possible, because downloads have no classes";
        let finding = Diagnostic::new(Code::BadChoice, police.span, message);
        sink.push(finding.help("write `exceed: drop`, or `ingress: shape` under `link`"));
        return None;
    }
    if down {
        beyond.push(Action::Redirect(Dev::Ifb));
    }
    Some(vec![actions, beyond])
}

/// Returns the action for packets that bypass the shaper. HTB sends a packet with the priority of its root without
/// a class (sch_htb: `htb_classify`). A download that passes the hook is not redirected to the ifb.
const fn past(direction: Direction) -> Action {
    match direction {
        Direction::Up => Action::Priority(Handle { major: ROOT, minor: 0 }),
        Direction::Down => Action::Pass,
    }
}

fn action(
    model: &Model,
    index: u32,
    rate: Rate,
    burst: Bytes,
    conform: PoliceStep,
    exceed: PoliceStep,
) -> Action {
    let charge = charge(&model.link);
    Action::Police(crate::tc::Police { index, rate, burst, mtu: POLICE_MTU, charge, conform, exceed })
}

/// Returns the cap of all downloads, for a link that polices them instead of shaping.
fn whole_link(model: &Model, index: u32) -> Action {
    let rate = model.link.tree.down.value;
    action(model, index, rate, model.link.ingress_burst.value, PoliceStep::Ok, PoliceStep::Drop)
}

/// Returns the filter for downloads that no policer matched.
fn last(model: &Model, whole: u32) -> Option<Filter> {
    let action = match model.link.ingress.value {
        Ingress::Shape => Action::Redirect(Dev::Ifb),
        Ingress::Police => whole_link(model, whole),
        Ingress::None => return None,
    };
    Some(Filter {
        dev: Dev::Wan,
        hook: Hook::Ingress,
        pref: INGRESS_LAST_PREF,
        protocol: FilterProtocol::All,
        selector: Selector::default(),
        classifier: Classifier::U32,
        flowid: None,
        actions: vec![action],
        with: None,
        why: why(model.name.value.as_str(), "all downloads", model.link.shaped.down.span()),
    })
}

/// Returns the index of each policer in the kernel, by name.
///
/// An index is a hash of the names of link and policer, so that two links do not collide, and of all its parameters.
/// The reason for the parameters is that a filter with an existing index reuses the existing policer. The kernel may
/// still be removing an old filter's policer when the next filter arrives. If two names of a link have the same hash,
/// the alphabetically later one gets the next odd number.
pub(super) fn indexes(model: &Model) -> BTreeMap<&str, u32> {
    let charge = charge(&model.link);
    let mut wishes: Vec<(&str, String)> = (model.police.iter())
        .map(|p| (p.name.as_str(), format!("{} {} {:?} {}", p.rate.value, p.burst.value, p.exceed, p.bypass)))
        .collect();
    let (rate, burst) = (model.link.tree.down.value, model.link.ingress_burst.value);
    wishes.push((WHOLE_LINK, format!("{rate} {burst}")));
    wishes.sort_unstable();
    let mut taken = BTreeSet::new();
    let mut indexes = BTreeMap::new();
    for (name, does) in wishes {
        let whole = format!("{}/{name}/{does}/{charge:?}", model.name.value.as_str());
        let mut index = u32::try_from(fnv1a64(whole.as_bytes()) & 0x7fff_ffff).unwrap_or(0) | 1;
        while !taken.insert(index) {
            index = (index + 2) & 0x7fff_ffff;
        }
        indexes.insert(name, index);
    }
    indexes
}

#[cfg(test)]
#[path = "police_tests.rs"]
mod tests;
