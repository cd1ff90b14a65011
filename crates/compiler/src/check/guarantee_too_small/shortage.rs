//! Guarantees that are too small in one or both directions, and the texts on them.

use super::need::{Need, URGENT, guaranteed};
use crate::model::{Amount, Direction, Model, PerDirection};
use crate::units::{Micros, Rate};

/// Directions with too small a guarantee for a packet.
pub(super) struct Shortage {
    pub(super) need: Need,
    /// Each such direction with its guarantee.
    short: Vec<(Direction, Rate)>,
    /// Direction with the smallest guarantee.
    pub(super) direction: Direction,
    rate: Rate,
}

impl Shortage {
    /// Collects the guarantees that are too small; `None` if there are none.
    pub(super) fn of(
        model: &Model,
        need: Need,
        short: impl Fn(Direction) -> Option<Rate>,
    ) -> Option<Shortage> {
        let short: Vec<(Direction, Rate)> =
            guaranteed(model).filter_map(|direction| Some((direction, short(direction)?))).collect();
        let (direction, rate) = short.iter().min_by_key(|(_, rate)| *rate).copied()?;
        Some(Shortage { need, short, direction, rate })
    }

    /// Formats the smallest guarantee, with its direction if the other one differs, and the delay of a packet.
    pub(super) fn text(&self) -> String {
        let Shortage { need, short, direction, rate } = self;
        let alike = short.len() == Direction::BOTH.len() && short.iter().all(|(_, other)| other == rate);
        let direction = if alike { String::new() } else { format!(" {}", direction.as_str()) };
        let (packet, delay) = (need.packet(), spoken(need.delay(*rate)));
        format!("{}{direction}: {packet} takes {delay}", rate.rounded(4))
    }

    /// Text of the limit, and of the delay in the other direction if it is too long, too.
    pub(super) fn label(&self) -> String {
        let need = self.need;
        let most = match need.priority {
            0..=URGENT => format!("above {}, the limit at priority {}", spoken(need.longest), need.priority),
            _ => format!("above {}, the limit for a full packet", spoken(need.longest)),
        };
        match self.short.iter().find(|(other, rate)| *other != self.direction && *rate != self.rate) {
            Some((other, rate)) => {
                format!("{most}; {} {}, at {}", spoken(need.delay(*rate)), other.as_str(), rate.rounded(4))
            }
            None => most,
        }
    }

    /// Returns the key `guarantee` with a sufficient rate in the short directions and the present value in the other.
    pub(super) fn written(&self, model: &Model, asked: PerDirection<Option<Amount>>) -> String {
        let new = |direction: Direction| {
            let is_short = self.short.iter().any(|(own, _)| *own == direction);
            // A single value for both directions stays single if the other direction has no guarantees.
            let single = asked.up == asked.down && asked.up.is_some();
            let follows = single && guaranteed(model).all(|own| own != direction);
            let amount = if is_short || follows {
                Amount::Rate(self.need.rounded())
            } else {
                (*asked.get(direction))?
            };
            Some(amount.to_string())
        };
        match (new(Direction::Up), new(Direction::Down)) {
            (Some(up), Some(down)) if up == down => format!("guarantee: {up}"),
            (up, down) => {
                let each = [("up", up), ("down", down)].into_iter();
                let each = each.filter_map(|(key, amount)| Some(format!("{key}: {}", amount?)));
                format!("guarantee: {{ {} }}", each.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Formats a delay in whole milliseconds, or in seconds from 10 s on.
pub(super) fn spoken(delay: Micros) -> String {
    match delay.us() {
        us @ ..10_000_000 => format!("{} ms", (us + 500) / 1000),
        us => format!("{} s", us / 1_000_000),
    }
}
