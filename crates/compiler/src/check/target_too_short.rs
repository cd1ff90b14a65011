#![doc = include_str!("../../../../docs/rules/Q0420.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Class, Direction, Leaf, Model, Queue};

pub(super) fn find(model: &Model, class: &Class, leaf: &Leaf) -> Option<Diagnostic> {
    let packet = u64::from(model.link.mtu.value);
    // Both directions have the same `target` in the file, and the slower one decides.
    let direction =
        Direction::BOTH.into_iter().min_by_key(|direction| class.ceiling.get(*direction).value)?;
    let ceiling = class.ceiling.get(direction).value;
    let Queue::FqCodel { target, .. } = leaf.queue.get(direction) else { return None };
    let one = ceiling.time_for(packet);
    let place = target.given_at().filter(|_| target.value < one)?;
    let message =
        format!("a target of {} is shorter than one packet takes to send", ticked(&target.value.to_string()));
    let label = format!("a packet of {packet} bytes takes {} at {}", one.for_people(), ceiling.rounded(4));
    Some(
        Diagnostic::new(Code::TargetTooShort, place, message)
            .label(label)
            .help("leave `target` out to derive it from the rate"),
    )
}
