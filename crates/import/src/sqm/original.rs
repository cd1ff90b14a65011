//! A queue as its script sets it up in the kernel, by the published scripts of sqm-scripts.

use super::script::{SIMPLE, Script, is_cake};
use crate::cake;
use crate::config::Config;
use crate::proof::side::{Node, Side, Sides, TOP};
use crate::report::ImportReport;
use crate::uci::UciSection;
use qosc_compiler::terms::{Diffserv, Direction, Layer, PerDirection};

/// Returns both directions of a queue. One that the script does not shape, or sorts by a mark, is not compared.
pub(super) fn sides(queue: &UciSection, script: Script, config: &Config) -> Sides {
    let span = queue.kind.span;
    PerDirection::from_fn(|direction| {
        let (key, words) = match direction {
            Direction::Up => ("upload", "eqdisc_opts"),
            Direction::Down => ("download", "iqdisc_opts"),
        };
        if queue.text(key).is_some_and(|kbit| kbit.parse() == Ok(0)) {
            return None;
        }
        let rate = *config.rates.get(direction);
        let rate = if config.charge.layer == Some(Layer::Ptm) { rate.scale(64, 65) } else { rate };
        if is_cake(queue) {
            let mut options = cake::Options::new(script.tins(direction));
            cake::read(&queue.words(words), &mut options, direction, &mut ImportReport::default());
            let restored = script.restores && direction == Direction::Down;
            let is_compared = !restored || options.tins == Diffserv::Besteffort;
            return is_compared.then(|| Side::cake(rate, options.tins, span));
        }
        if script.tins(direction) == Diffserv::Besteffort {
            return Some(Side::cake(rate, Diffserv::Besteffort, span));
        }
        let mut side = Side::default();
        side.add(TOP, Node::new(None, rate, ""));
        for (minor, tier) in (11..).zip(&SIMPLE) {
            let [own, ceil] = tier.rates(rate, direction);
            let node = Node::new(Some(TOP), own, &format!("1:{minor}"));
            side.add((1, minor), Node { ceil, prio: tier.priority, span: Some(span), ..node });
            tier.code_points(direction)
                .iter()
                .for_each(|dscp| side.add_dscp((*dscp).into(), (1, minor), span));
        }
        side.default = Some((1, 12));
        Some(side)
    })
}
