//! Cost of a change of each field on a router that is in service.

use super::fields::Field;
use crate::diff::{Cost, Price};
use Cost::{InPlace, OwnBacklog, Rebuild, Swap};
use FileSection::{Classes, Expect, Hosts, Lan, Police, Tuning};
use qosc_compiler::model::{FileSection, Frames, Ingress, Link};

pub(super) const FILTERS: &str = "the filters are replaced";
pub(super) const CLASS: &str = "a class can change while packets pass";
pub(super) const POLICER: &str = "a policer can change while packets pass";
const CLASSES: &str = "classes can change while packets pass";

/// Bytes above IP that the kernel counts for a packet on an Ethernet device. `PPPOE` is the same for an Ethernet device
/// that carries PPPoE frames.
const ETHERNET: u32 = 14;
const PPPOE: u32 = 22;

/// Cost of each field with a reason of its own, by section and label.
const FIELDS: &[(FileSection, &str, Cost, &str)] = &[
    (FileSection::Link, "device", Rebuild, "the other device gets its own tree"),
    (FileSection::Link, "profile", InPlace, "a profile is a name for the values below"),
    (FileSection::Link, "engine", Rebuild, "another engine needs another root"),
    (FileSection::Link, "trust_dscp", InPlace, FILTERS),
    (FileSection::Link, "wash", InPlace, FILTERS),
    (Lan, "device", InPlace, "only offloads change"),
    (Classes, "default", InPlace, "the catch-all filter is replaced"),
    (Classes, "share", Swap, "the queue in the leaf is replaced"),
    (Classes, "set_dscp", InPlace, FILTERS),
    (Classes, "queue", Swap, "a queue of another kind replaces it"),
    (Classes, "queue.flows", Swap, "fq_codel's `flows` can only be set at creation"),
    (Classes, "queue.isolation", Swap, "CAKE's flow isolation can only be set at creation"),
    (Classes, "queue.diffserv", OwnBacklog, "queued packets do not move to CAKE's new tins"),
    (Tuning, "offloads", InPlace, "only offloads change"),
    (Tuning, "txqueuelen", InPlace, "only the length of the device's own queue changes"),
    (Tuning, "bql", InPlace, "only the limit of the driver's own queue changes"),
    (Tuning, "mark_mask", InPlace, "existing connections get their new mark with the next upload packet"),
];

/// Returns the cost of a field of a section.
pub(super) fn price(area: FileSection, field: &Field<'_>) -> Price {
    let own = FIELDS.iter().find(|(section, label, ..)| (*section, *label) == (area, field.label));
    let (cost, reason) = match own {
        Some((_, _, cost, reason)) => (*cost, *reason),
        None if field.label == "queue.limit" && number(&field.old) > number(&field.new) => {
            (InPlace, "except that a backlog above the new limit is cut")
        }
        None if field.label.starts_with("queue.") => (InPlace, "the queue keeps its packets"),
        None => (InPlace, any_field(area)),
    };
    Price { cost, reason: reason.into() }
}

/// Returns the reason for the cost of the other fields of a section. None of them affects the traffic.
pub(super) const fn any_field(area: FileSection) -> &'static str {
    match area {
        FileSection::Link => CLASSES,
        Classes | Hosts => CLASS,
        Police => POLICER,
        Tuning => "only kernel settings change",
        FileSection::Script => "it changes which calls the script has",
        Expect => "only `qosc lab` reads it",
        FileSection::Variants => "it changes what the clock selects",
        Lan | FileSection::Name | FileSection::Tunnels => FILTERS,
    }
}

fn number(text: &Option<String>) -> Option<u32> {
    text.as_ref()?.parse().ok()
}

/// Returns the cost of a field of the link.
pub(super) fn of_link(old: &Link, new: &Link, field: &Field<'_>) -> Price {
    match field.label {
        "name" => name(old, new, field.old.as_deref().unwrap_or_default()),
        "overhead" => overhead(old, new),
        "ingress" => ingress(old.ingress.value, new.ingress.value),
        "frames" if old.overhead.value.min(new.overhead.value) < PPPOE => {
            Price::rebuild("the header changes, and the overhead may be below it")
        }
        "frames" => Price::in_place("classes and filters can change while packets pass"),
        _ => price(FileSection::Link, field),
    }
}

fn name(old: &Link, new: &Link, was: &str) -> Price {
    if old.device.value == new.device.value {
        return Price::rebuild(format!(
            "`start` refuses until the old link is stopped, such as by `/etc/qosc/{was}.sh stop`; `name: {was}` keeps its state"
        ));
    }
    Price::rebuild("the name selects another script, and both trees exist until the old one is stopped")
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
            "an overhead below the {ETHERNET} header bytes of an Ethernet device needs a size table at the root; on ppp and tun, no packet is lost"
        )),
        (Frames::Auto, false, true) => {
            Price::in_place(format!("{CLASSES}; on a device that carries PPPoE frames, rebuilds the tree"))
        }
        _ => Price::in_place(CLASSES),
    }
}

fn ingress(old: Ingress, new: Ingress) -> Price {
    match (old, new) {
        (Ingress::Shape, _) => Price::rebuild("only downloads: the ifb device and its tree are deleted"),
        (_, Ingress::Shape) => Price::rebuild("only downloads: the ifb device and its tree are created"),
        _ => Price::in_place("the filters at the ingress are replaced"),
    }
}
