//! The output of `tc` as one direction of a shaper, with the meaning that the kernel gives it.

use super::read::{Filter, Place, after};
use super::root::Link;
use super::selector::{self, hex, matched};
use crate::cake;
use crate::config::Match;
use crate::proof::packet::Test;
use crate::proof::side::{Id, List, Node, Rule, Side, TOP};
use qosc_compiler::terms::{Direction, Layer};
use qosc_compiler::units::{Dscp, Family};
use std::collections::BTreeMap;

/// Returns a direction of a link; `None` if it has no shaper.
pub(super) fn side(link: &Link<'_>, direction: Direction) -> Option<Side> {
    let (root, device) = (link.root(direction)?, (*link.devices.get(direction))?);
    let mut side = Side::default();
    let ptm = root.cake.as_ref().is_some_and(|cake| cake.layer == Layer::Ptm);
    let whole = if ptm { root.rate.scale(64, 65) } else { root.rate };
    let node = |parent, rate, name: &str| Node {
        parent,
        rate,
        ceil: rate,
        prio: 0,
        name: name.to_owned(),
        span: Some(root.span()),
    };
    side.add(TOP, node(None, whole, ""));
    if root.qdisc.kind != "htb" {
        side.add((1, 1), node(Some(TOP), whole, "1:1"));
        side.default = Some((1, 1));
    }
    let own = root.qdisc.id.map_or(1, |id| id.0);
    let top = root.whole.filter(|_| device.classes.len() > 1).map(|class| class.id);
    for class in device.classes.iter().filter(|class| class.id.0 == own && Some(class.id) != top) {
        // A class without a parent cannot borrow.
        let parent =
            class.parent.filter(|parent| parent.1 != 0 && Some(*parent) != top && *parent != class.id);
        let is_free = class.parent.is_none_or(|parent| parent.1 == 0);
        let ceil = if is_free { class.rate } else { class.ceil };
        let name = format!("{:x}:{:x}", class.id.0, class.id.1);
        let (parent, prio) = (Some(parent.unwrap_or(TOP)), class.prio.unwrap_or(0));
        side.add(class.id, Node { parent, rate: class.rate, ceil, prio, name, span: Some(class.span) });
    }
    if root.qdisc.kind == "htb" {
        let minor = after(&root.qdisc.words, "default").and_then(hex).and_then(|own| u16::try_from(own).ok());
        side.default = minor.map(|minor| (own, minor));
    }
    let mut sorted: Vec<&Filter> = device.filters.iter().collect();
    sorted.sort_by_key(|filter| filter.pref);
    for filter in &sorted {
        let Place::Class(place) = filter.place else { continue };
        let list = side.lists.entry(place.filter(|place| place.1 != 0).unwrap_or(TOP)).or_default();
        let tin = selector::priority(filter).filter(|_| root.cake.is_some()).map(|tin| (1, tin.1));
        if let Some(to) = filter.flowid.or(tin) {
            list.add(rule(filter, direction, to));
        } else if filter.kind == "fw" && filter.handle.is_none() {
            // Without handles, the mark is the id of the class (`cls_fw.c`: `fw_classify`).
            for class in device.classes.iter().filter(|class| class.id.0 == own) {
                let test = Test::Words(Vec::new(), (mark_of_class(class.id), u32::MAX));
                list.add(Rule { test, ..rule(filter, direction, class.id) });
            }
        }
        if let Some(tin) = tin {
            side.add(tin, node(Some(TOP), whole, &format!("tin {}", tin.1)));
        }
    }
    let tins = root.cake.as_ref().filter(|_| side.lists.is_empty() && !link.has_htb(direction.other()));
    if let Some(cake) = tins.filter(|_| direction == Direction::Up || !super::restores(link)) {
        let mut by_tin: BTreeMap<u16, Vec<Dscp>> = BTreeMap::new();
        for (dscp, tin) in (0..).filter_map(Dscp::new).zip(cake::kernel_tins(cake.tins).bytes()) {
            by_tin.entry(u16::from(tin - b'0') + 1).or_default().push(dscp);
        }
        for (tin, dscp) in by_tin.into_iter().filter(|(tin, _)| *tin != 1) {
            let test = Test::Fields(Box::new(Match { dscp, ..Match::default() }), direction);
            let rule = Rule { family: None, test, to: (1, tin), span: Some(root.span()) };
            side.lists.entry(TOP).or_default().add(rule);
            side.add((1, tin), node(Some(TOP), whole, &format!("tin {tin}")));
        }
    }
    side.entry = (direction == Direction::Down).then(|| entry(link, direction)).flatten();
    Some(side)
}

/// Returns the filters that redirect downloads.
fn entry(link: &Link<'_>, direction: Direction) -> Option<List> {
    let redirects =
        |filter: &&Filter| filter.place == Place::Ingress && selector::redirected(filter).is_some();
    let mut list = List::default();
    for filter in link.filters(Direction::Up).filter(redirects) {
        list.add(rule(filter, direction, (1, 1)));
    }
    (!list.rules.is_empty()).then_some(list)
}

/// Returns the mark that leads to a class through `fw` without handles.
pub(super) fn mark_of_class((major, minor): Id) -> u32 {
    u32::from(major) << 16 | u32::from(minor)
}

fn rule(filter: &Filter, direction: Direction, to: Id) -> Rule {
    let (family, known) = match filter.protocol.as_str() {
        "ip" => (Some(Family::Ipv4), true),
        "ipv6" => (Some(Family::Ipv6), true),
        other => (None, other == "all"),
    };
    let test = match filter.kind.as_str() {
        _ if !known => None,
        "u32" => words(filter),
        "matchall" => Some(Test::Words(Vec::new(), (0, 0))),
        _ => matched(filter, direction).ok().map(|one| match one.mark.first() {
            Some(mark) if filter.kind == "fw" => Test::Words(Vec::new(), (mark.value, mark.mask)),
            _ => Test::Fields(Box::new(one), direction),
        }),
    };
    Rule { family, test: test.unwrap_or(Test::Never), to, span: Some(filter.span) }
}

/// Returns the words of a filter of u32. One behind `nexthdr` is in the IP header: no filter leads here with `offset`, and
/// the kernel counts from the last one that does (`cls_u32.c`: `u32_classify`).
fn words(filter: &Filter) -> Option<Test> {
    let (mut words, mut mark) = (Vec::new(), (0, 0));
    for line in &filter.more {
        let line: Vec<&str> = line.iter().map(|word| word.text.as_str()).collect();
        match line.as_slice() {
            ["match", word, "at", at, ..] => {
                let (value, mask) = word.split_once('/')?;
                let (value, mask) = (hex(value)?, hex(mask)?);
                if mask != 0 {
                    words.push((at.trim_start_matches("nexthdr+").parse().ok()?, (value, mask)));
                }
            }
            ["mark", value, mask, ..] => mark = (hex(value)?, hex(mask)?),
            ["input", ..] => return None,
            _ => {}
        }
    }
    Some(Test::Words(words, mark))
}
