//! Compares the link, the local network and the tuning.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use super::shared::{scheduling, some};
use super::written::{truth, word};
use crate::diag::Span;
use crate::diff::Price;
use crate::model::FileSection;
use crate::model::{Direction, Frames, Ingress, Link, LinkDevice, Model, Networks, Tuning, Val};
use serde::Serialize;

/// Bytes above IP that the kernel counts for a packet on an Ethernet device. `PPPOE` is the same for an Ethernet device
/// that carries PPPoE frames.
const ETHERNET: u32 = 14;
const PPPOE: u32 = 22;

const CLASSES: &str = "classes can change while packets pass";

/// Records the differences in `name` and `link`.
pub(super) fn link(found: &mut Comparison, old: &Model, new: &Model) {
    let place = At { area: FileSection::Link, name: "", line: new.name.span().and_then(Span::own_line) };
    let names = (old.name.value.to_string(), new.name.value.to_string());
    let price = match old.link.device.value == new.link.device.value {
        true => Price::rebuild(format!(
            "`start` refuses until the old link is stopped, such as by `/etc/qosc/{was}.sh stop`; `name: {was}` keeps its state",
            was = names.0
        )),
        false => Price::rebuild(
            "the name selects another script, and both trees exist until the old one is stopped",
        ),
    };
    found.field(&place, "name", names, price);

    let (was, is) = (&old.link, &new.link);
    let mut one = Values { found, by_profile: was.profile.value != is.profile.value };
    one.val("device", (&was.device, &is.device), Price::rebuild("the other device gets its own tree"));
    one.val(
        "profile",
        (&was.profile, &is.profile),
        Price::in_place("a profile is a name for the values below"),
    );
    for direction in Direction::BOTH {
        one.val(
            direction.as_str(),
            (was.line.get(direction), is.line.get(direction)),
            Price::in_place(CLASSES),
        );
    }
    for direction in Direction::BOTH {
        let field = format!("margin {}", direction.as_str());
        one.val(&field, (was.margin.get(direction), is.margin.get(direction)), Price::in_place(CLASSES));
    }
    one.val("overhead", (&was.overhead, &is.overhead), overhead(was, is));
    one.val("mpu", (&was.mpu, &is.mpu), Price::in_place(CLASSES));
    one.val("layer", (&was.layer, &is.layer), Price::in_place(CLASSES));
    one.val("mtu", (&was.mtu, &is.mtu), Price::in_place(CLASSES));
    one.val("ingress", (&was.ingress, &is.ingress), ingress(was.ingress.value, is.ingress.value));
    for direction in Direction::BOTH {
        let field = format!("engine {}", direction.as_str());
        one.val(
            &field,
            (was.engine.get(direction), is.engine.get(direction)),
            Price::rebuild("another engine needs another root"),
        );
    }
    one.val("frames", (&was.frames, &is.frames), frames(was, is));
    let filters = || Price::in_place("the filters are replaced");
    one.val("trust_dscp", (&was.trust_dscp, &is.trust_dscp), filters());
    for direction in Direction::BOTH {
        let field = format!("wash {}", direction.as_str());
        found.field(
            &place_of(None),
            &field,
            (truth(*was.wash.get(direction)), truth(*is.wash.get(direction))),
            filters(),
        );
    }
    let devices = |link: &Link| {
        let one = |own: &LinkDevice| match &own.up {
            Some(up) => format!("{} (up {})", own.device.value, up.value),
            None => own.device.value.to_string(),
        };
        let all: Vec<String> = link.devices.iter().map(one).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    found.field(&place_of(None), "devices", (devices(was), devices(is)), Price::in_place(CLASSES));
    follows(found, was, is);
}

fn place_of(at: Option<u32>) -> At<'static> {
    At { area: FileSection::Link, name: "", line: at }
}

/// Records fields of the link.
struct Values<'a> {
    found: &'a mut Comparison,
    /// `true` if the profile changes. The profile fills in all values that neither file gives.
    by_profile: bool,
}

impl Values<'_> {
    fn val<T: PartialEq + Serialize>(&mut self, field: &str, (old, new): (&Val<T>, &Val<T>), price: Price) {
        if old.value == new.value {
            return;
        }
        let at = new.span().or(old.span()).and_then(Span::own_line);
        let note = match (old.is_given(), new.is_given()) {
            (false, false) if self.by_profile && field != "profile" => Some("by the profile".to_owned()),
            (_, false) if field != "profile" => Some(super::written::origin(&new.origin)),
            _ => None,
        };
        self.found.changes.push(Change {
            field: field.to_owned(),
            old: Some(word(&old.value)),
            new: Some(word(&new.value)),
            note: note.filter(|note| !note.is_empty()),
            ..place_of(at).change(ChangeKind::Changed, price)
        });
    }
}

/// Returns the cost of another overhead. If the overhead is below the header that the device counts, the root qdisc
/// needs a size table. The kernel cannot change a size table after it created the qdisc.
fn overhead(old: &Link, new: &Link) -> Price {
    let (was, is) = (old.overhead.value, new.overhead.value);
    let differs = |header: u32| was != is && was.min(is) < header;
    match (new.frames.value, differs(ETHERNET), differs(PPPOE)) {
        (Frames::Pppoe, _, true) => Price::rebuild(format!(
            "an overhead below the {PPPOE} header bytes of a PPPoE frame needs a size table at the root"
        )),
        (_, true, _) => Price::rebuild(format!(
            "an overhead below the {ETHERNET} header bytes of an Ethernet device needs a size table at the root; on ppp and tun, no effect on traffic"
        )),
        (Frames::Auto, false, true) => {
            Price::in_place(format!("{CLASSES}; on a device that carries PPPoE frames, rebuilds the tree"))
        }
        _ => Price::in_place(CLASSES),
    }
}

fn frames(old: &Link, new: &Link) -> Price {
    if old.overhead.value.min(new.overhead.value) < PPPOE {
        Price::rebuild("the header changes, and the overhead may be below it")
    } else {
        Price::in_place("classes and filters can change while packets pass")
    }
}

fn ingress(old: Ingress, new: Ingress) -> Price {
    match (old, new) {
        (Ingress::Shape, _) => Price::rebuild("only downloads: the ifb device and its tree are deleted"),
        (_, Ingress::Shape) => Price::rebuild("only downloads: the ifb device and its tree are created"),
        _ => Price::in_place("the filters at the ingress are replaced"),
    }
}

fn follows(found: &mut Comparison, old: &Link, new: &Link) {
    let place = place_of(None);
    for direction in Direction::BOTH {
        let word = direction.as_str();
        let shaped = (old.shaped.get(direction).value, new.shaped.get(direction).value);
        found.follow(
            &place,
            Group::Shaped,
            &format!("shaped {word}"),
            shaped.0.to_string(),
            shaped.1.to_string(),
        );
        let tree = (old.tree.get(direction).value, new.tree.get(direction).value);
        // If no policer bypasses the shaper, the tree's rate equals the shaped rate and needs no second entry.
        if (shaped.0, shaped.1) != tree {
            let field = format!("what the classes share {word}");
            found.follow(&place, Group::Shaped, &field, tree.0.to_string(), tree.1.to_string());
        }
        scheduling(found, &place, direction, old.scheduling.get(direction), new.scheduling.get(direction));
    }
    if (old.ingress.value, new.ingress.value) == (Ingress::Police, Ingress::Police) {
        let burst = (old.ingress_burst.value.to_string(), new.ingress_burst.value.to_string());
        found.follow(&place, Group::Police, "burst down", burst.0, burst.1);
    }
}

/// Records the differences in `lan`.
pub(super) fn lan(found: &mut Comparison, old: &Model, new: &Model) {
    let place = At { area: FileSection::Lan, name: "", line: None };
    let devices = |model: &Model| {
        let mut names: Vec<String> =
            model.lan.devices.iter().map(|device| device.value.to_string()).collect();
        names.sort_unstable();
        names.join(", ")
    };
    let networks = |model: &Model| match &model.lan.networks {
        Networks::Auto => "auto".to_owned(),
        Networks::List(list) => {
            let mut list: Vec<String> = list.iter().map(|address| address.value.to_string()).collect();
            list.sort_unstable();
            list.join(", ")
        }
    };
    let of = |text: fn(&Model) -> String| (some(text(old)), some(text(new)));
    let offloads = Price::in_place("only offloads change");
    let filters = Price::in_place("the filters are replaced");
    found.field(&place, "device", of(devices), offloads);
    found.field(&place, "networks", of(networks), filters.clone());
    found.field(&place, "nat", (truth(old.lan.nat.value), truth(new.lan.nat.value)), filters.clone());
    found.field(&place, "shaped", (truth(old.lan.shaped.value), truth(new.lan.shaped.value)), filters);
}

/// Records the differences in `tuning`.
pub(super) fn tuning(found: &mut Comparison, old: &Tuning, new: &Tuning) {
    let at =
        |span: Option<Span>| At { area: FileSection::Tuning, name: "", line: span.and_then(Span::own_line) };
    let offloads = (word(&old.offloads.value), word(&new.offloads.value));
    found.field(&at(new.offloads.span()), "offloads", offloads, Price::in_place("only offloads change"));
    let text = |val: Option<&Val<u32>>| val.map(|val| val.value.to_string());
    let length = (text(old.txqueuelen.as_ref()), text(new.txqueuelen.as_ref()));
    let span = new.txqueuelen.as_ref().and_then(Val::span);
    found.field(
        &at(span),
        "txqueuelen",
        length,
        Price::in_place("only the length of the device's own queue changes"),
    );
    let bql = |tuning: &Tuning| tuning.bql.as_ref().map(|bytes| bytes.value.to_string());
    let price = Price::in_place("only the limit of the driver's own queue changes");
    found.field(&at(new.bql.as_ref().and_then(Val::span)), "bql", (bql(old), bql(new)), price);
    let settings = || Price::in_place("only kernel settings change");
    let rtt = |tuning: &Tuning| tuning.tcp.as_ref().map(|tcp| tcp.rtt.value.to_string());
    let span = new.tcp.as_ref().and_then(|tcp| tcp.rtt.span());
    found.field(&at(span), "tcp.rtt", (rtt(old), rtt(new)), settings());
    let ecn = |tuning: &Tuning| tuning.ecn.as_ref().map(|ecn| truth(ecn.value));
    found.field(&at(new.ecn.as_ref().and_then(Val::span)), "ecn", (ecn(old), ecn(new)), settings());
    let mask = |tuning: &Tuning| tuning.mark_mask.as_ref().map(|mask| mask.value.to_string());
    let span = new.mark_mask.as_ref().and_then(Val::span);
    let price = Price::in_place("existing connections get their new mark with the next upload packet");
    found.field(&at(span), "mark_mask", (mask(old), mask(new)), price);

    let place = at(None);
    if let (Some(old), Some(new)) = (&old.tcp, &new.tcp) {
        for (field, old, new) in [("send", &old.send, &new.send), ("receive", &old.receive, &new.receive)] {
            let field = format!("tcp {field} buffer");
            found.follow(&place, Group::Buffers, &field, old.value.to_string(), new.value.to_string());
        }
    }
    for direction in Direction::BOTH {
        let (old, new) = (old.split.get(direction).value, new.split.get(direction).value);
        let field = format!("aggregates kept from the shaper {}", direction.as_str());
        found.follow(&place, Group::Aggregates, &field, truth(old), truth(new));
    }
}
