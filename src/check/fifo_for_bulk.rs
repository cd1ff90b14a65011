#![doc = include_str!("../rules/Q0421.md")]

use super::{Rule, own_leaves};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model, Queue};

pub(super) const RULE: Rule = Rule {
    name: "fifo-for-bulk",
    codes: &[Code::FifoForBulk],
    sections: &[FileSection::Classes],
    run: Some(run),
};

/// Default priority of a class. From this priority on, the rule takes a class for one of bulk traffic.
const MIDDLE: u8 = 3;

fn run(model: &Model, sink: &mut Sink) {
    for (class, leaf) in own_leaves(model) {
        let fifo =
            matches!(leaf.queue.up, Queue::Fifo { .. }) || matches!(leaf.queue.down, Queue::Fifo { .. });
        if fifo && (leaf.default || class.priority.value >= MIDDLE) {
            let message = format!("class {} has one queue for all its flows", ticked(&class.name));
            sink.push(
                Diagnostic::new(Code::FifoForBulk, class.span, message)
                    .label("one bulk flow fills the queue, and all other flows wait behind it")
                    .help("leave `queue` out to use `fq_codel`, or write `share: per-host`"),
            );
        }
    }
}
