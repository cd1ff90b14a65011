#![doc = include_str!("../rules/Q0420.md")]

use super::{Rule, own_leaves};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Direction, FileSection, Model, Queue};

pub(super) const RULE: Rule = Rule {
    name: "target-too-short",
    codes: &[Code::TargetTooShort],
    sections: &[FileSection::Link, FileSection::Classes, FileSection::Police],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    let packet = u64::from(model.link.mtu.value);
    for (class, leaf) in own_leaves(model) {
        // Both directions have the same `target` in the file, and the slower one decides.
        let slowest = Direction::BOTH.into_iter().min_by_key(|direction| class.ceiling.get(*direction).value);
        let Some(direction) = slowest else { continue };
        let Queue::FqCodel { target, .. } = leaf.queue.get(direction) else { continue };
        let one = class.ceiling.get(direction).value.time_for(packet);
        if let Some(place) = target.given_at().filter(|_| target.value < one) {
            let message = format!(
                "a target of {} is shorter than one packet takes to send",
                ticked(&target.value.to_string())
            );
            sink.push(
                Diagnostic::new(Code::TargetTooShort, place, message)
                    .label(format!(
                        "a packet of {packet} bytes takes {} at {}",
                        one.for_people(),
                        class.ceiling.get(direction).value.rounded(4)
                    ))
                    .help("leave `target` out to derive it from the rate"),
            );
        }
    }
}
