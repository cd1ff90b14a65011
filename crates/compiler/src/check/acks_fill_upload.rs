#![doc = include_str!("../../../../docs/rules/Q0608.md")]

use super::shared::rates::are_swapped;
use super::unlikely_rate;
use crate::diag::{Code, Diagnostic};
use crate::model::{Direction, Model, Queue, TcpKind};
use crate::units::Rate;

/// Bytes of an acknowledgement as most systems send it: IPv4 20, TCP 20, timestamps 12 (RFC 7323).
const ACK: u64 = 52;
/// Number of full packets that one acknowledgement covers (RFC 1122, section 4.2.3.2; RFC 5681, section 4.2).
const EACH: u64 = 2;
/// Share of the upload from which the rule warns, in percent.
const MUCH: u64 = 50;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let (up, down) = (link.shaped.up.value, link.shaped.down.value);
    let acks = down.scale(link.wire().bytes(ACK), EACH * link.basis.down.full);
    let share = acks.scale(100, up.bps()).bps();
    let place = link.shaped.up.span()?;
    // wrong rates, or a line of an unknown kind, prove nothing
    let unknown = !link.profile.is_given() || link.profile.value == "conservative";
    let unproven = (unknown && !link.overhead.is_given())
        || are_swapped(link)
        || !unlikely_rate::unlikely(link).is_empty();
    if share < MUCH || up.bps() == 0 || is_cared_for(model) || unproven {
        return None;
    }
    let message = format!("acknowledgements of a full-rate download take {share} % of the upload");
    let label = if share > 100 {
        format!(
            "the upload carries {}, so downloads stop at about {}",
            up.rounded(4),
            rounded(down.scale(100, share))
        )
    } else {
        format!("about {} of {}", rounded(acks), up.rounded(4))
    };
    Some(
        Diagnostic::new(Code::AcksFillUpload, place, message)
            .label(label)
            .help("write `queue: { cake: { ack_filter: true } }` in the busiest class: CAKE then drops acknowledgements that a later one replaces")
            .help("or give acknowledgements a class that is served early, with `match: { tcp: ack }`"),
    )
}

/// True if the file cares for acknowledgements: a class matches them, or a queue drops superfluous ones.
fn is_cared_for(model: &Model) -> bool {
    let asked = model.alternatives().iter().any(|(direction, alternative)| {
        alternative.tcp.contains(&TcpKind::Ack) && *direction != Some(Direction::Down)
    });
    let dropped = match &model.cake.up {
        Some(cake) => cake.ack_filter.value,
        None => model
            .leaves()
            .iter()
            .filter_map(|class| class.leaf())
            .any(|leaf| matches!(&leaf.queue.up, Queue::Cake { ack_filter, .. } if ack_filter.value)),
    };
    asked || dropped
}

/// Rounds a rate down to two digits, because it follows from usual values only.
fn rounded(rate: Rate) -> Rate {
    let unit = 10u64.pow(rate.bps().max(1).ilog10().saturating_sub(1));
    Rate::from_bps(rate.bps() / unit * unit)
}
