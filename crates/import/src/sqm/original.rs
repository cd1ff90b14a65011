//! A queue as its script sets it up in the kernel, by the published scripts of sqm-scripts.

use super::classes::is_cake;
use crate::cake;
use crate::config::Config;
use crate::proof::side::{Node, Side, TOP};
use crate::report::ImportReport;
use crate::uci::UciSection;
use qosc_compiler::terms::{Diffserv, Direction, Layer, PerDirection};
use qosc_compiler::units::Rate;

/// A class of `simple.qos`: class, smallest rate in kbit/s of uploads and downloads, divisors of the rate for `rate`
/// and `ceil`, and code points.
type SimpleClass = (u16, [u64; 2], [u64; 2], &'static [u32]);

/// Classes of `simple.qos`.
const SIMPLE: [SimpleClass; 3] =
    [(11, [128, 32], [3, 3], &[46, 48, 36, 4]), (12, [0; 2], [6, 1], &[]), (13, [0; 2], [6, 1], &[8])];

/// Returns both directions of a queue. One that the script does not shape, or sorts by a mark, is not compared.
pub(super) fn sides(queue: &UciSection, config: &Config) -> PerDirection<Option<Side>> {
    let (script, span) = (queue.text("script").unwrap_or_default(), queue.kind.span);
    let layers =
        matches!(script, "layer_cake.qos" | "layer_cake_ct.qos") || script == "simple.qos" && is_cake(queue);
    let squashed = queue.text("squash_ingress") != Some("0");
    PerDirection::from_fn(|direction| {
        let key = if direction == Direction::Up { "upload" } else { "download" };
        let kbit = queue
            .text(key)
            .map_or(Some(config.rates.get(direction).bps() / 1000), |text| text.parse().ok())?;
        let rate = Rate::from_bps(kbit * 1000);
        let rate = if config.charge.layer == Some(Layer::Ptm) { rate.scale(64, 65) } else { rate };
        let one = direction == Direction::Down && squashed;
        if is_cake(queue) {
            let mut options =
                cake::Options::new(if layers && !one { Diffserv::Diffserv3 } else { Diffserv::Besteffort });
            let words = queue.words(if direction == Direction::Up { "eqdisc_opts" } else { "iqdisc_opts" });
            cake::read(&words, &mut options, direction, &mut ImportReport::default());
            let restored = script == "layer_cake_ct.qos" && direction == Direction::Down;
            let is_compared = kbit > 0 && (!restored || options.tins == Diffserv::Besteffort);
            return is_compared.then(|| Side::cake(rate, options.tins, span));
        }
        if script != "simple.qos" || one {
            return (kbit > 0).then(|| Side::cake(rate, Diffserv::Besteffort, span));
        }
        let mut side = Side::default();
        side.add(TOP, Node::new(None, rate, ""));
        for (minor, least, [part, most], code_points) in SIMPLE {
            let bps = |kbit: u64| Rate::from_bps(kbit * 1000);
            let least = if direction == Direction::Up { least[0] } else { least[1] };
            let own = if least > 0 { least.min(kbit / part) } else { kbit / part };
            let ceil = bps(if most == 1 { kbit.saturating_sub(16) } else { kbit / most });
            let node = Node::new(Some(TOP), bps(own), &format!("1:{minor}"));
            side.add(
                (1, minor),
                Node { ceil, prio: u8::try_from(minor - 10).unwrap_or(0), span: Some(span), ..node },
            );
            code_points.iter().for_each(|dscp| side.add_dscp(*dscp, (1, minor), span));
        }
        if direction == Direction::Down {
            side.add_dscp(56, (1, 11), span);
        }
        side.default = Some((1, 12));
        (kbit > 0).then_some(side)
    })
}
