//! A configuration that an import builds. `yaml.rs` writes it.

use indexmap::IndexSet;
use qosc_compiler::diag::Span;
use qosc_compiler::terms::{Amount, Direction, Ecn, Layer, PerDirection};
use qosc_compiler::units::{
    Address, Dscp, Family, IfName, LengthRange, LinkName, Mark, Percent, PortRange, Protocol, Rate,
};
use serde::Serialize;
use std::collections::HashSet;

/// Largest depth of classes that the file format allows.
pub(super) const DEEPEST: usize = 7;

/// Guarantee of a class that only borrows.
pub(super) const NOTHING: Amount = Amount::Share(Percent::from_ppm(0));

/// Rate for a direction that the source does not shape, and the file must.
pub(super) const UNSHAPED: Rate = Rate::from_bps(1_000_000_000);

/// Comparison of a result with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Number of packets.
    pub packets: usize,
    /// `true` if the result treats all of them as the source does.
    pub equal: bool,
}

/// A whole configuration.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// Comment at the top.
    pub(super) head: String,
    /// Name of the link.
    pub(super) name: Option<LinkName>,
    /// WAN device.
    pub(super) device: IfName,
    /// Rates at which the source shapes.
    pub(super) rates: PerDirection<Rate>,
    /// Lines of the comment above the rates.
    pub(super) about_rates: Vec<String>,
    /// Cost of packets.
    pub(super) charge: Charge,
    /// `false` if the source does not shape downloads.
    pub(super) shapes_down: bool,
    /// The source polices all downloads.
    pub(super) polices_down: bool,
    /// Directions that CAKE schedules.
    pub(super) cake: PerDirection<Option<&'static str>>,
    /// `link.trust_dscp`.
    pub(super) trust_dscp: bool,
    /// `link.wash`.
    pub(super) wash: PerDirection<bool>,
    /// `lan.nat`, if the source says so.
    pub(super) nat: Option<bool>,
    /// Class tree.
    pub(super) classes: Vec<Class>,
    /// Comparison with the source.
    pub(super) compared: Option<Compared>,
}

impl Config {
    /// Returns a configuration without classes. `source` is the part of the other tool's configuration that it stands
    /// for, and `rates` are those at which the tool shapes.
    pub(super) fn new(
        source: &str,
        name: Option<LinkName>,
        device: IfName,
        rates: PerDirection<Option<Rate>>,
        charge: Charge,
    ) -> Config {
        let PerDirection { up, down } = rates;
        Config {
            head: format!("Converted from {source}. `qosc check` reports what to improve."),
            name,
            device,
            rates: PerDirection { up: up.unwrap_or(UNSHAPED), down: down.or(up).unwrap_or(UNSHAPED) },
            about_rates: Vec::new(),
            charge,
            shapes_down: down.is_some(),
            polices_down: false,
            cake: PerDirection::default(),
            trust_dscp: false,
            wash: PerDirection::default(),
            nat: None,
            classes: Vec::new(),
            compared: None,
        }
    }
}

/// Cost of a packet on the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Charge {
    /// Link profile.
    pub(super) profile: &'static str,
    /// Bytes above IP; `None` for those of the profile.
    pub(super) overhead: Option<u32>,
    /// Smallest charge; `None` for that of the profile.
    pub(super) mpu: Option<u32>,
    /// Link layer; `None` for that of the profile.
    pub(super) layer: Option<Layer>,
    /// MTU; `None` for that of the profile.
    pub(super) mtu: Option<u32>,
}

/// A class.
#[derive(Debug, Clone, Default)]
pub(super) struct Class {
    /// Name, unique in the file.
    pub(super) name: String,
    /// Place in the input.
    pub(super) span: Option<Span>,
    /// Comment above the class.
    pub(super) about: Vec<String>,
    /// `id`.
    pub(super) id: Option<u16>,
    /// `priority`; `None` for the default.
    pub(super) priority: Option<u8>,
    /// `guarantee`.
    pub(super) guarantee: PerDirection<Option<Amount>>,
    /// `ceiling`.
    pub(super) ceiling: PerDirection<Option<Amount>>,
    /// `default: true`.
    pub(super) default: bool,
    /// `share`.
    pub(super) share: PerDirection<Option<&'static str>>,
    /// Kind of queue and its options.
    pub(super) queue: PerDirection<Option<Queue>>,
    /// `match`.
    pub(super) matches: Vec<Match>,
    /// Classes inside this one.
    pub(super) classes: Vec<Class>,
}

impl Class {
    /// Returns a leaf class without anything else.
    pub(super) fn new(name: impl Into<String>, priority: impl Into<Option<u8>>) -> Class {
        Class { name: name.into(), priority: priority.into(), ..Class::default() }
    }

    /// Returns `true` if this holds for the class or for one inside it.
    pub(super) fn any(&self, holds: &dyn Fn(&Class) -> bool) -> bool {
        holds(self) || self.classes.iter().any(|class| class.any(holds))
    }

    /// Returns `true` if a match of the class, or of one inside it, looks at the DSCP of downloads.
    pub(super) fn reads_dscp(&self) -> bool {
        self.any(&|class| class.matches.iter().any(Match::reads_dscp))
    }
}

/// A kind of queue, and its options as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Queue {
    /// `fq_codel`, `cake` or `fifo`.
    pub(super) kind: &'static str,
    /// Keys and values.
    pub(super) options: Vec<(&'static str, String)>,
}

/// An alternative of a match. An empty list matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct Match {
    pub(super) local: Vec<Address>,
    pub(super) remote: Vec<Address>,
    pub(super) protocol: Vec<Protocol>,
    pub(super) local_port: Vec<PortRange>,
    pub(super) remote_port: Vec<PortRange>,
    pub(super) port: Vec<PortRange>,
    pub(super) dscp: Vec<Dscp>,
    pub(super) ecn: Vec<Ecn>,
    pub(super) mark: Vec<Mark>,
    pub(super) length: Vec<LengthRange>,
    pub(super) tcp: Vec<&'static str>,
    pub(super) family: Option<Family>,
    pub(super) direction: Option<Direction>,
}

impl Match {
    /// Returns the match of the packets that also meet `around`. `None` if no list of one of them could say that.
    pub(super) fn within(self, around: &Match) -> Option<Match> {
        fn both<T: PartialEq + Clone>(own: Vec<T>, around: &[T]) -> Option<Vec<T>> {
            match (own.as_slice(), around) {
                ([], around) => Some(around.to_vec()),
                (other, around) => (around.is_empty() || other == around).then_some(own),
            }
        }
        let address = |own: Vec<Address>, around: &[Address]| match (own.as_slice(), around) {
            ([one], [other]) => one.common(*other).map(|common| vec![common]),
            _ => both(own, around),
        };
        Some(Match {
            local: address(self.local, &around.local)?,
            remote: address(self.remote, &around.remote)?,
            protocol: both(self.protocol, &around.protocol)?,
            local_port: both(self.local_port, &around.local_port)?,
            remote_port: both(self.remote_port, &around.remote_port)?,
            port: both(self.port, &around.port)?,
            dscp: both(self.dscp, &around.dscp)?,
            ecn: both(self.ecn, &around.ecn)?,
            mark: both(self.mark, &around.mark)?,
            length: both(self.length, &around.length)?,
            tcp: both(self.tcp, &around.tcp)?,
            family: both(Vec::from_iter(self.family), &Vec::from_iter(around.family))?.pop(),
            direction: self.direction,
        })
    }

    /// Returns `true` if it looks at the DSCP of downloads.
    pub(super) fn reads_dscp(&self) -> bool {
        !self.dscp.is_empty() && self.direction != Some(Direction::Up)
    }
}

/// Returns the same matches without their direction if they apply to both.
pub(super) fn joined(matches: Vec<Match>) -> Vec<Match> {
    without(matches, |one| &mut one.direction, Direction::BOTH)
}

/// Leaves a condition out of matches that stand there with both of its values, or without it. Returns each match once.
pub(super) fn without<T: Copy>(
    matches: Vec<Match>,
    condition: fn(&mut Match) -> &mut Option<T>,
    values: [T; 2],
) -> Vec<Match> {
    let all: HashSet<Match> = matches.iter().cloned().collect();
    let mut out = IndexSet::new();
    for one in matches {
        let with = |value: Option<T>| {
            let mut other = one.clone();
            *condition(&mut other) = value;
            other
        };
        let whole = with(None);
        let is_whole = all.contains(&whole) || values.iter().all(|value| all.contains(&with(Some(*value))));
        out.insert(if is_whole { whole } else { one });
    }
    out.into_iter().collect()
}

/// Calls a function for each class.
pub(super) fn each(classes: &mut [Class], call: &mut dyn FnMut(&mut Class)) {
    for class in classes {
        call(class);
        each(&mut class.classes, call);
    }
}
