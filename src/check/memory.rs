//! Queues that take more memory than a small router has to spare.

use super::{MUCH_MEMORY, Rule};
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Model, Part};

pub(super) const RULE: Rule = Rule {
    name: "memory",
    codes: &[Code::MuchMemory],
    rests: &[Part::Link, Part::Hosts, Part::Classes],
    run,
};

fn run(model: &Model, sink: &mut Sink) {
    let memory = &model.memory.queues;
    let Some(place) = model.link.device.span().filter(|_| memory.value > MUCH_MEMORY) else { return };
    let mb = memory.value.get() / 1_000_000;
    let made_of = memory.formula().unwrap_or_default();
    sink.push(
        Diagnostic::new(Code::MuchMemory, place, format!("the queues take about {mb} MB of memory"))
            .label(format!("even when they are empty: {made_of}"))
            .help("put hosts into one network, give fewer of them a `guarantee` or a `ceiling`, or fq_codel fewer `flows`"),
    );
}
