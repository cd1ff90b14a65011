#![doc = include_str!("../../../../docs/rules/Q0413.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Class, Direction, Engine, Leaf, Model, Queue, Share};
use crate::units::Micros;

/// Number of downloads that start at once: a page with many pictures, a game's update.
/// `tests/kernel/download_burst.rs` measures the same number.
const DOWNLOADS: u64 = 24;
/// Bytes that each sender sends before the first acknowledgement: ten segments (RFC 6928), full ones on Ethernet.
const FIRST_WINDOW: u64 = 10 * 1514;
/// Delay that a call tolerates. Measured with these downloads, the median ping was 76 ms at 25 mbit, and 20 ms (as on
/// an idle line) at 50 mbit.
const BEARABLE: Micros = Micros::from_us(60_000);

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let htb = model.link.shapes(Direction::Down) && model.link.engine.down.value == Engine::Htb;
    let rate = model.link.shaped.down.value;
    let longest = rate.time_for(DOWNLOADS * FIRST_WINDOW);
    let class = model.default_leaf()?;
    if !htb || rate.bps() == 0 || longest <= BEARABLE || chosen(class, class.leaf()?) {
        return None;
    }
    let name = ticked(&class.name);
    let ms = longest.us() / 1000;
    let message = format!("downloads that start together in class {name} delay all other traffic");
    Some(
        Diagnostic::new(Code::DownloadBursts, class.span, message)
            .label(format!("the first packets of {DOWNLOADS} downloads fill the provider's queue for {ms} ms"))
            .help("write `share: per-host` to use CAKE in this class: downloads slow down sooner, and each host gets the same")
            .help("write `share: per-flow` if flows should share as they do now"),
    )
}

/// True if the user chose how the class queues downloads, or if the class is from a built-in set.
fn chosen(class: &Class, leaf: &Leaf) -> bool {
    let is_given = match &leaf.queue.down {
        Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => {
            [limit, flows, quantum].iter().any(|val| val.is_given())
                || target.is_given()
                || interval.is_given()
                || memory.is_given()
                || ecn.is_given()
        }
        Queue::Cake { .. } | Queue::Fifo { .. } => true,
    };
    is_given || !class.span.is_own() || leaf.share.down.is_given() || leaf.share.down.value == Share::PerHost
}
