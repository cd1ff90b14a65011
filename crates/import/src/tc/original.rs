//! The output of `tc` as one direction of a shaper, with the meaning that the kernel gives it.

use super::read::{Filter, HtbClass, Place, after};
use super::root::Link;
use super::selector::{self, BY_HAND, hex};
use crate::proof::packet::Test;
use crate::proof::side::{Id, List, Node, Rule, Side, TOP};
use crate::report::ImportReport;
use qosc_compiler::terms::{Diffserv, Direction, Layer};

/// Returns a direction of a link; `None` if it has no shaper.
pub(super) fn side(link: &Link<'_>, direction: Direction, report: &mut ImportReport) -> Option<Side> {
    let (root, device) = (link.root(direction)?, (*link.devices.get(direction))?);
    let tins = match &root.cake {
        // the classes are those of the other direction
        Some(cake) if !link.has_htb(direction.other()) => cake.tins,
        _ => Diffserv::Besteffort,
    };
    let restored = direction == Direction::Down && link.restores() && tins != Diffserv::Besteffort;
    let ptm = root.cake.as_ref().is_some_and(|cake| cake.layer == Layer::Ptm);
    let whole = if ptm { root.rate.scale(64, 65) } else { root.rate };
    let node = |parent, name: &str| Node { span: Some(root.qdisc.span), ..Node::new(parent, whole, name) };
    let mut side = Side::default();
    if root.qdisc.kind == "htb" {
        side.add(TOP, node(None, ""));
    } else {
        side = Side::cake(whole, tins, root.qdisc.span);
    }
    let own = root.qdisc.id.map_or(1, |id| id.0);
    let top = root.whole.filter(|_| device.classes.len() > 1).map(|class| class.id);
    for class in device.classes.iter().filter(|class| class.id.0 == own && Some(class.id) != top) {
        // A class without a parent cannot borrow.
        let parent =
            class.parent.filter(|parent| parent.1 != 0 && Some(*parent) != top && *parent != class.id);
        let is_free = class.parent.is_none_or(|parent| parent.1 == 0);
        let ceil = if is_free { class.rate } else { class.ceil };
        if class.ceil > ceil {
            let said = "has no parent, so it cannot borrow, and its `rate` is its ceiling";
            report.other(class.span, format!("the class {:x} {said}", class.id.1), "");
        }
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
    let first = sorted.iter().find(|filter| matches!(filter.place, Place::Class(_)));
    if let (Some(_), Some(filter)) = (&root.cake, first) {
        report.bad(filter.span, "filters at CAKE are not converted", BY_HAND);
    }
    for filter in &sorted {
        let Place::Class(place) = filter.place else { continue };
        let list = side.lists.entry(place.filter(|place| place.1 != 0).unwrap_or(TOP)).or_default();
        add(list, filter, filter.flowid, &device.classes);
    }
    side.entry = (direction == Direction::Down).then(|| entry(link)).flatten();
    // The DSCP of a connection that another program stored is in no packet.
    (!restored).then_some(side)
}

/// Returns the filters that redirect downloads.
fn entry(link: &Link<'_>) -> Option<List> {
    let mut list = List::default();
    for filter in link.filters(Direction::Up).filter(|filter| filter.place == Place::Ingress) {
        if selector::redirected(filter).is_some() {
            add(&mut list, filter, Some((1, 1)), &[]);
        }
    }
    (!list.rules.is_empty()).then_some(list)
}

/// Returns the mark that leads to a class through `fw` without handles.
pub(super) fn mark_of((major, minor): Id) -> u32 {
    u32::from(major) << 16 | u32::from(minor)
}

/// Adds a filter that leads to `to`.
fn add(list: &mut List, filter: &Filter, to: Option<Id>, classes: &[HtbClass]) {
    // no packet of a comparison has another protocol
    let Some(family) = filter.family() else { return };
    let mut add = |family, test, to| list.add(Rule { family, test, to, span: Some(filter.span) });
    match (filter.kind.as_str(), to) {
        // Without handles, the mark is the id of the class (`cls_fw.c`: `fw_classify`).
        ("fw", None) if filter.handle.is_none() => classes.iter().for_each(|class| {
            add(family, Test { mark: (mark_of(class.id), !0), ..Test::default() }, class.id)
        }),
        // A filter without an equivalent is reported.
        (_, Some(to)) => selector::test(filter).into_iter().for_each(|test| add(family, test, to)),
        _ => {}
    }
}
