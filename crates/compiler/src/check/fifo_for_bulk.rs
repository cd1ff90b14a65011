#![doc = include_str!("../../../../docs/rules/Q0421.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Class, Direction, Leaf, Model, Queue};

/// Default priority of a class. From this priority on, the rule takes a class for one of bulk traffic.
const MIDDLE: u8 = 3;

pub(super) fn find(_: &Model, class: &Class, leaf: &Leaf) -> Option<Diagnostic> {
    let is_fifo = |queue: &Queue| matches!(queue, Queue::Fifo { .. });
    let flows = match (is_fifo(&leaf.queue.up), is_fifo(&leaf.queue.down)) {
        (true, true) => "flows",
        (true, false) => Direction::Up.loads(),
        (false, true) => Direction::Down.loads(),
        (false, false) => return None,
    };
    (leaf.default || class.priority.value >= MIDDLE).then(|| {
        let message = format!("class {} has one queue for all its {flows}", ticked(&class.name));
        Diagnostic::new(Code::FifoForBulk, class.span, message)
            .label("one bulk flow fills the queue, and all other flows wait behind it")
            .help("leave `queue` out to use `fq_codel`, or write `share: per-host`")
    })
}
