//! Compares the sections that describe one thing: the link, the local network and the tuning.

use super::change::{At, Comparison};
use super::fields::{self, Field};
use super::price;
use super::section::Pair;
use super::side::Side;
use qosc_compiler::model::{
    Direction, FileSection, Ingress, Link, LinkDevice, Model, Networks, PerDirection,
};
use serde_json::{Value, json};

/// Records the differences in `name` and `link`.
pub(super) fn link(found: &mut Comparison, old: &Model, new: &Model) {
    compare(found, FileSection::Link, (old, new), written);
    for direction in Direction::BOTH {
        let views = (derived(direction, old, new), derived(direction, new, old));
        let place = At { area: FileSection::Link, name: "", line: None };
        let price = |field: &Field<'_>| price::price(FileSection::Link, field);
        let view = |link: &Link| json!({ "shaped": { direction.as_str(): link.shaped.get(direction) } });
        let is_given = gives_shaped(direction, old, new);
        fields::compare(found, place, (&view(&old.link), &view(&new.link)), !is_given, price);
        fields::compare(found, place, (&views.0, &views.1), true, price);
    }
}

fn written(model: &Model) -> Value {
    let Model { name, link, .. } = model;
    json!({
        "name": name,
        "device": link.device,
        "profile": link.profile,
        "": PerDirection::from_fn(|direction| link.line_rate(direction)),
        "margin": PerDirection::from_fn(|direction| link.margin(direction)),
        "overhead": link.overhead,
        "mpu": link.mpu,
        "layer": link.layer,
        "mtu": link.mtu,
        "ingress": link.ingress,
        "engine": link.engine,
        "frames": link.frames,
        "trust_dscp": link.trust_dscp,
        "wash": link.wash,
        "devices": devices(link),
    })
}

fn devices(link: &Link) -> String {
    let one = |own: &LinkDevice| match &own.up {
        Some(up) => format!("{} (up {})", own.device.value, up.value),
        None => own.device.value.to_string(),
    };
    let all: Vec<String> = link.devices.iter().map(one).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// Returns `true` if one of the files gives the shaped rate, so that a difference is a change and does not follow.
fn gives_shaped(direction: Direction, old: &Model, new: &Model) -> bool {
    [old, new].iter().any(|model| model.link.margin(direction).is_none())
}

/// Returns the numbers of one direction that follow from the others.
fn derived(direction: Direction, model: &Model, other: &Model) -> Value {
    let link = &model.link;
    // If no policer bypasses the shaper, the tree's rate equals the shaped rate and needs no second entry.
    let bypassed = |link: &Link| link.tree.get(direction).value != link.shaped.get(direction).value;
    let policed = |model: &Model| direction == Direction::Down && model.link.ingress.value == Ingress::Police;
    json!({ direction.as_str(): {
        "what the classes share": (bypassed(link) || bypassed(&other.link)).then(|| link.tree.get(direction)),
        "": link.scheduling.get(direction),
        "policer burst": (policed(model) && policed(other)).then_some(&link.ingress_burst),
    }})
}

/// Records the differences in `lan`.
pub(super) fn lan(found: &mut Comparison, old: &Model, new: &Model) {
    compare(found, FileSection::Lan, (old, new), |Model { lan, .. }| {
        let networks = match &lan.networks {
            Networks::Auto => json!("auto"),
            Networks::List(list) => json!(list),
        };
        let ipv6 = lan.nat_ipv6.value.then_some(true);
        json!({ "device": lan.devices, "networks": networks, "nat": lan.nat, "nat of IPv6": ipv6, "shaped": lan.shaped })
    });
}

/// Records the differences in `tuning` and `script`.
pub(super) fn tuning(found: &mut Comparison, old: &Model, new: &Model) {
    compare(found, FileSection::Tuning, (old, new), |Model { tuning, .. }| {
        let tcp = tuning.tcp.as_ref();
        json!({
            "offloads": tuning.offloads,
            "txqueuelen": tuning.txqueuelen,
            "bql": tuning.bql,
            "tcp.rtt": tcp.map(|tcp| &tcp.rtt),
            "ecn": tuning.ecn,
            "mark_mask": tuning.mark_mask,
            "tcp send buffer": tcp.map(|tcp| &tcp.send),
            "tcp receive buffer": tcp.map(|tcp| &tcp.receive),
            "aggregates kept from the shaper": tuning.split,
        })
    });
    let calls = |model: &Model| json!({ "calls": (!model.calls.is_empty()).then_some(&model.calls) });
    compare(found, FileSection::Script, (old, new), calls);
}

/// Records a change of the default class, which receives all traffic that no match selects.
pub(super) fn default(found: &mut Comparison, pair: &Pair<'_>) {
    let view = |side: &Side<'_>| {
        let leaf = side.model.default_leaf();
        let name =
            leaf.map(|leaf| json!({ "value": side.class(leaf.id.value), "origin": { "given": leaf.span } }));
        json!({ "default": name })
    };
    let place = At { area: FileSection::Classes, name: "", line: None };
    let views = (view(&pair.old), view(&pair.new));
    fields::compare(found, place, (&views.0, &views.1), false, |field| price::price(place.area, field));
}

fn compare(
    found: &mut Comparison,
    area: FileSection,
    (old, new): (&Model, &Model),
    view: impl Fn(&Model) -> Value,
) {
    let place = At { area, name: "", line: None };
    fields::compare(found, place, (&view(old), &view(new)), false, |field| match area {
        FileSection::Link => price::of_link(&old.link, &new.link, field),
        _ => price::price(area, field),
    });
}
