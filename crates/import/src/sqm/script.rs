//! The scripts of sqm-scripts, as they are published.

use crate::report::ImportReport;
use crate::uci::UciSection;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::{Diffserv, Direction, PerDirection};
use qosc_compiler::units::Rate;

/// A class of `simple.qos`.
pub(super) struct Tier {
    /// Name in the result.
    pub(super) name: &'static str,
    pub(super) priority: u8,
    /// Largest guarantee in each direction, in kbit/s.
    most: PerDirection<u64>,
    /// Divisors of the rate for `rate` and `ceil`.
    parts: [u64; 2],
    code_points: PerDirection<&'static [u8]>,
}

/// Largest rate in kbit/s that sqm can have.
const ANY: PerDirection<u64> = PerDirection { up: u64::MAX, down: u64::MAX };

/// Classes of `simple.qos`. The code points are EF, CS6, AF42 and TOS4, for downloads also CS7; and CS1.
pub(super) const SIMPLE: [Tier; 3] = [
    Tier {
        name: "priority",
        priority: 1,
        most: PerDirection { up: 128, down: 32 },
        parts: [3, 3],
        code_points: PerDirection { up: &[46, 48, 36, 4], down: &[46, 48, 36, 4, 56] },
    },
    Tier {
        name: "normal",
        priority: 2,
        most: ANY,
        parts: [6, 1],
        code_points: PerDirection { up: &[], down: &[] },
    },
    Tier {
        name: "bulk",
        priority: 3,
        most: ANY,
        parts: [6, 1],
        code_points: PerDirection { up: &[8], down: &[8] },
    },
];

impl Tier {
    /// Returns `rate` and `ceil` for the rate of a direction.
    pub(super) fn rates(&self, whole: Rate, direction: Direction) -> [Rate; 2] {
        let kbit = whole.bps() / 1000;
        let [rate, ceil] = self.parts.map(|part| kbit / part);
        let ceil = if ceil == kbit { kbit.saturating_sub(16) } else { ceil };
        [rate.min(*self.most.get(direction)), ceil].map(|kbit| Rate::from_bps(kbit * 1000))
    }

    pub(super) fn code_points(&self, direction: Direction) -> &'static [u8] {
        self.code_points.get(direction)
    }
}

/// Properties of a script.
#[derive(Clone, Copy)]
pub(super) struct Script {
    /// Several classes by DSCP.
    pub(super) tiers: bool,
    /// Downloads have one class.
    one_tier_down: bool,
    /// The script clears the DSCP of downloads if `squash_dscp` is set.
    pub(super) washes: bool,
    /// The script gives a download the DSCP of its connection.
    pub(super) restores: bool,
}

impl Script {
    /// Returns the tins of CAKE; with HTB, a direction without tins has one class.
    pub(super) fn tins(self, direction: Direction) -> Diffserv {
        let one = direction == Direction::Down && self.one_tier_down;
        if self.tiers && !one { Diffserv::Diffserv3 } else { Diffserv::Besteffort }
    }
}

/// Returns the properties of the script of a queue.
pub(super) fn script(queue: &UciSection, report: &mut ImportReport) -> Script {
    let name = queue.text("script").unwrap_or_default();
    let (tiers, washes) = match name {
        "simple.qos" => (true, !is_cake(queue)),
        "layer_cake.qos" | "layer_cake_ct.qos" => (true, true),
        "piece_of_cake.qos" => (false, true),
        "simplest.qos" | "simplest_tbf.qos" => (false, false),
        other => {
            let said = match other {
                "" => "the queue has no `script`".to_owned(),
                _ => format!("{} is not a script of sqm-scripts", ticked(other)),
            };
            let help = "only the options are converted; compare `classes` with what the script does";
            report.lost(queue.span("script"), said, help);
            (false, false)
        }
    };
    let one_tier_down = queue.text("squash_ingress") != Some("0");
    Script { tiers, one_tier_down, washes, restores: name == "layer_cake_ct.qos" }
}

/// Returns whether CAKE is the root of both directions.
pub(super) fn is_cake(queue: &UciSection) -> bool {
    match queue.text("script").unwrap_or_default() {
        "piece_of_cake.qos" | "layer_cake.qos" | "layer_cake_ct.qos" => true,
        "simplest_tbf.qos" => false,
        _ => queue.text("qdisc").is_some_and(|qdisc| qdisc.starts_with("cake")),
    }
}
