//! The shaper at the root of a device.

use super::read::{Device, HtbClass, Id, Qdisc, after};
use crate::diag::Span;
use crate::import::amounts::{rate_of_tc, size_of_tc};
use crate::import::cake;
use crate::import::report::Report;
use crate::terms::{Diffserv, Direction, Layer};
use crate::units::Rate;

/// The shaper of a direction.
pub(super) struct Root<'a> {
    pub(super) qdisc: &'a Qdisc,
    pub(super) rate: Rate,
    pub(super) overhead: i64,
    /// The overhead counts from the IP packet, not from the packet of the device.
    pub(super) above_ip: bool,
    pub(super) mpu: i64,
    pub(super) layer: Layer,
    /// Options of CAKE.
    pub(super) cake: Option<cake::Options>,
    /// The class that holds all others, if there is one.
    pub(super) whole: Option<&'a HtbClass>,
}

impl Root<'_> {
    /// Place of the qdisc.
    pub(super) const fn span(&self) -> Span {
        self.qdisc.span
    }
}

/// Returns the shaper of a device.
pub(super) fn root(device: &Device) -> Option<Root<'_>> {
    let qdisc = device
        .qdiscs
        .iter()
        .find(|qdisc| qdisc.parent.is_none() && qdisc.kind != "clsact" && qdisc.kind != "ingress")?;
    let number = |key: &str| after(&qdisc.stab, key).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    let stab = (
        number("overhead"),
        after(&qdisc.stab, "mpu").and_then(size_of_tc).and_then(|mpu| i64::try_from(mpu).ok()).unwrap_or(0),
    );
    let layer = layer_of(qdisc.stab.get(1).map(|word| word.text.as_str()));
    let bare = |rate: Rate| Root {
        qdisc,
        rate,
        overhead: stab.0,
        above_ip: false,
        mpu: stab.1,
        layer,
        cake: None,
        whole: None,
    };
    match qdisc.kind.as_str() {
        "htb" => {
            let tops: Vec<&HtbClass> =
                device.classes.iter().filter(|class| is_top(class, qdisc.id)).collect();
            let (first, whole) = match tops.as_slice() {
                [] => return None,
                [one] => (*one, Some(*one)),
                [first, ..] => (*first, None),
            };
            let rate = whole.map_or_else(|| tops.iter().map(|class| class.rate).sum(), |one| one.ceil);
            let layer = if first.atm { Layer::Atm } else { layer };
            Some(Root {
                overhead: stab.0.saturating_add(first.overhead),
                mpu: stab.1.max(first.mpu),
                layer,
                whole,
                ..bare(rate)
            })
        }
        "tbf" => Some(bare(after(&qdisc.words, "rate").and_then(rate_of_tc)?)),
        "cake" => {
            let mut options = cake::Options::new(Diffserv::Diffserv3);
            let direction = if qdisc.words.iter().any(|word| word.text == "ingress") {
                Direction::Down
            } else {
                Direction::Up
            };
            cake::read(&qdisc.words, &mut options, direction, &mut Report::default());
            let rate = options.rate?;
            Some(Root {
                overhead: options.overhead.unwrap_or(0),
                above_ip: options.overhead.is_some(),
                mpu: options.mpu.map_or(0, i64::from),
                layer: options.layer,
                cake: Some(options),
                ..bare(rate)
            })
        }
        _ => None,
    }
}

/// Returns `true` for a class without a parent class.
fn is_top(class: &HtbClass, root: Option<Id>) -> bool {
    root.is_none_or(|root| class.id.0 == root.0) && class.parent.is_none_or(|parent| parent.1 == 0)
}

/// Link layer in the words of `tc`.
fn layer_of(name: Option<&str>) -> Layer {
    if matches!(name, Some("atm" | "adsl")) { Layer::Atm } else { Layer::Ethernet }
}
