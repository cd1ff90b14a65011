//! Texts on small guarantees, and the keys to write instead.

use super::need::{Need, Short, URGENT, guaranteed};
use crate::model::{Amount, Direction, Model, PerDirection};
use crate::units::{Micros, Rate};

/// Returns the direction with the smallest guarantee.
pub(super) fn worst(short: &[Short]) -> Option<Short> {
    short.iter().min_by_key(|(_, rate)| *rate).copied()
}

/// Formats a rate, with its direction if the other one differs.
pub(super) fn in_one(short: &[Short], rate: Rate, direction: Direction) -> String {
    let alike = short.len() == Direction::BOTH.len() && short.iter().all(|(_, other)| *other == rate);
    if alike { rate.rounded(4).to_string() } else { format!("{} {}", rate.rounded(4), direction.as_str()) }
}

/// Text of the limit, and of the delay in the other direction if it is too long, too.
pub(super) fn label(need: Need, short: &[Short], direction: Direction) -> String {
    let most = match need.priority {
        0..=URGENT => format!("above {}, the limit at priority {}", spoken(need.longest), need.priority),
        _ => format!("above {}, the limit for a full packet", spoken(need.longest)),
    };
    let worst = worst(short).map(|(_, rate)| rate);
    match short.iter().find(|(other, rate)| *other != direction && Some(*rate) != worst) {
        Some((other, rate)) => {
            format!("{most}; {} {}, at {}", spoken(need.delay(*rate)), other.as_str(), rate.rounded(4))
        }
        None => most,
    }
}

/// Returns the key `guarantee` with this rate in the short directions and the present value in the other.
pub(super) fn written(
    model: &Model,
    asked: PerDirection<Option<Amount>>,
    short: &[Short],
    rate: Rate,
) -> String {
    let counts = |direction: Direction| guaranteed(model).any(|own| own == direction);
    let is_short = |direction: Direction| short.iter().any(|(own, _)| *own == direction);
    let new = |direction: Direction| {
        // A single value for both directions stays single if the other direction has no guarantees.
        let follows = !counts(direction) && asked.up == asked.down && asked.up.is_some();
        if is_short(direction) || follows { Some(Amount::Rate(rate)) } else { *asked.get(direction) }
    };
    let text = |amount: Amount| match amount {
        Amount::Rate(rate) => rate.to_string(),
        Amount::Share(share) => share.to_string(),
    };
    match (new(Direction::Up), new(Direction::Down)) {
        (Some(up), Some(down)) if up == down => format!("guarantee: {}", text(up)),
        (up, down) => {
            let each = [("up", up), ("down", down)];
            let each = each
                .into_iter()
                .filter_map(|(direction, amount)| Some(format!("{direction}: {}", text(amount?))));
            format!("guarantee: {{ {} }}", each.collect::<Vec<_>>().join(", "))
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
