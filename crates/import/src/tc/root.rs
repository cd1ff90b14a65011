//! A link with the shapers at the roots of its devices.

use super::read::{Device, Filter, HtbClass, Place, Qdisc, after};
use crate::amounts::{rate_of_tc, size_of_tc};
use crate::cake;
use crate::device::layer_of;
use crate::report::ImportReport;
use crate::text::Word;
use qosc_compiler::terms::{Diffserv, Direction, Layer, PerDirection};
use qosc_compiler::units::Rate;
use std::collections::HashMap;

/// Queues of a class.
pub(super) type Queues<'a> = PerDirection<Option<&'a Qdisc>>;

/// Devices of a link with their shapers.
pub(super) struct Link<'a> {
    pub(super) name: &'a str,
    pub(super) devices: PerDirection<Option<&'a Device>>,
    pub(super) roots: PerDirection<Option<Root<'a>>>,
}

impl<'a> Link<'a> {
    /// Returns the shaper of a direction.
    pub(super) const fn root(&self, direction: Direction) -> Option<&Root<'a>> {
        self.roots.get(direction).as_ref()
    }

    /// Returns the shaper of uploads, or without it that of downloads.
    pub(super) fn first(&self) -> Option<&Root<'a>> {
        self.roots.up.as_ref().or(self.roots.down.as_ref())
    }

    /// Returns `true` if HTB or TBF shapes a direction.
    pub(super) fn has_htb(&self, direction: Direction) -> bool {
        self.root(direction).is_some_and(|root| root.cake.is_none())
    }

    /// Returns `true` if a download gets the DSCP that the mark of its connection stores.
    pub(super) fn restores(&self) -> bool {
        let at_ingress = |one: &Filter| one.place == Place::Ingress && one.has("ctinfo") && one.has("dscp");
        self.filters(Direction::Up).any(at_ingress)
    }

    /// Returns the qdiscs of both directions.
    pub(super) fn qdiscs(&self) -> impl Iterator<Item = (Direction, &'a Qdisc)> {
        let of = |one: Direction| self.devices.get(one).iter().flat_map(|device| &device.qdiscs);
        Direction::BOTH.into_iter().flat_map(move |one| of(one).map(move |qdisc| (one, qdisc)))
    }

    /// Returns the queues of classes, by the minor number of the class.
    pub(super) fn queues(&self) -> HashMap<u16, Queues<'a>> {
        let mut all: HashMap<u16, Queues<'_>> = HashMap::new();
        for (direction, qdisc) in self.qdiscs() {
            if let Some((_, minor)) = qdisc.parent {
                *all.entry(minor).or_default().get_mut(direction) = Some(qdisc);
            }
        }
        all
    }

    /// Returns the filters of the device for uploads, or of that for downloads.
    pub(super) fn filters(&self, direction: Direction) -> impl Iterator<Item = &'a Filter> {
        self.devices.get(direction).iter().flat_map(|device| &device.filters)
    }
}

/// The shaper of a direction.
pub(super) struct Root<'a> {
    pub(super) qdisc: &'a Qdisc,
    pub(super) rate: Rate,
    pub(super) cost: Cost,
    /// The overhead was given from the IP packet, not from the packet of the device.
    pub(super) above_ip: bool,
    /// Options of CAKE.
    pub(super) cake: Option<cake::Options>,
    /// The class that holds all others, if there is one.
    pub(super) whole: Option<&'a HtbClass>,
}

/// Cost of a packet.
#[derive(PartialEq, Eq)]
pub(super) struct Cost {
    /// Bytes above IP.
    pub(super) overhead: i64,
    pub(super) mpu: i64,
    pub(super) layer: Layer,
}

impl Cost {
    /// Reads the words of a size table or of a class. The kernel itself counts `header` bytes above IP.
    fn of(words: &[Word], header: i64) -> Cost {
        let overhead = after(words, "overhead").and_then(|text| text.trim_end_matches('b').parse().ok());
        // iproute2 6.15 prints no space before this word: `burst 1544b/1mpu 84b`
        let mpu = words.iter().position(|word| word.text.ends_with("mpu")).and_then(|at| words.get(at + 1));
        let mpu = mpu.and_then(|word| i64::try_from(size_of_tc(&word.text)?.get()).ok());
        Cost {
            overhead: header.saturating_add(overhead.unwrap_or(0)),
            mpu: mpu.unwrap_or(0),
            layer: after(words, "linklayer").and_then(layer_of).unwrap_or(Layer::Ethernet),
        }
    }
}

/// Returns a class whose packets have another cost than those of the first class.
pub(super) fn other_cost(device: &Device) -> Option<&HtbClass> {
    let costs = |class: &HtbClass| Cost::of(&class.words, 0);
    let first = device.classes.first().map(costs);
    device.classes.iter().find(|class| Some(costs(class)) != first)
}

/// Returns the shaper of a device. The kernel itself counts `header` bytes above IP.
pub(super) fn root(device: &Device, header: i64) -> Option<Root<'_>> {
    let qdisc = device
        .qdiscs
        .iter()
        .find(|qdisc| qdisc.parent.is_none() && qdisc.kind != "clsact" && qdisc.kind != "ingress")?;
    let cost = Cost::of(&qdisc.stab, header);
    let bare = |rate: Rate, cost: Cost| Root { qdisc, rate, cost, above_ip: false, cake: None, whole: None };
    match qdisc.kind.as_str() {
        "htb" => {
            let is_top = |class: &&HtbClass| {
                let own = qdisc.id.is_none_or(|root| class.id.0 == root.0);
                own && class.parent.is_none_or(|parent| parent.1 == 0)
            };
            let tops: Vec<&HtbClass> = device.classes.iter().filter(is_top).collect();
            let first = *tops.first()?;
            let whole = (tops.len() == 1).then_some(first);
            let rate = whole.map_or_else(|| tops.iter().map(|class| class.rate).sum(), |one| one.rate);
            let own = Cost::of(&first.words, cost.overhead);
            let layer = if own.layer == Layer::Atm { own.layer } else { cost.layer };
            Some(Root { whole, ..bare(rate, Cost { mpu: cost.mpu.max(own.mpu), layer, ..own }) })
        }
        "tbf" => Some(bare(after(&qdisc.words, "rate").and_then(rate_of_tc)?, cost)),
        "cake" | "cake_mq" => {
            let mut options = cake::Options::new(Diffserv::Diffserv3);
            let direction = if qdisc.has("ingress") { Direction::Down } else { Direction::Up };
            cake::read(&qdisc.words, &mut options, direction, &mut ImportReport::default());
            let (overhead, mpu) = (options.overhead.unwrap_or(header), options.mpu.map_or(0, i64::from));
            let bare = bare(options.rate?, Cost { overhead, mpu, layer: options.layer });
            Some(Root { above_ip: options.overhead.is_some(), cake: Some(options), ..bare })
        }
        _ => None,
    }
}
