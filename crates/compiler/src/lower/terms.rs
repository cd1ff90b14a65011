//! Devices, handles and origins of kernel objects, as several files need them.

use crate::diag::Span;
use crate::model::{ClassId, Direction, Layer, Link, Model};
use crate::tc::{Action, Charge, Dev, Handle, LinkLayer, Overhead, ROOT, Why, class_minor, own_device_names};
use crate::units::IfName;

/// Returns the name of the ifb. The name of a link is short enough, so there always is one.
pub(super) fn ifb(model: &Model) -> Option<IfName> {
    let [ifb, ..] = own_device_names(&model.name.value);
    ifb.parse().ok()
}

/// Returns the cost of a packet on a line.
pub(super) const fn charge(link: &Link) -> Charge {
    Charge {
        overhead: Overhead::AboveIp(link.overhead.value),
        mpu: link.mpu.value,
        linklayer: match link.layer.value {
            // the rate already accounts for 64/65
            Layer::Ethernet | Layer::Ptm => LinkLayer::Ethernet,
            Layer::Atm => LinkLayer::Atm,
        },
    }
}

/// Returns the device that shapes a direction.
pub(super) const fn dev(direction: Direction) -> Dev {
    match direction {
        Direction::Up => Dev::Wan,
        Direction::Down => Dev::Ifb,
    }
}

/// Returns the result of a filter at a root qdisc: HTB's class, or CAKE's tin. CAKE runs its filters before it looks at
/// the priority. A class id would select one of its flows instead (sch_cake: `cake_classify`).
pub(super) fn target(
    model: &Model,
    direction: Direction,
    class: ClassId,
) -> (Option<Handle>, Option<Action>) {
    let Some(cake) = model.cake.get(direction) else { return (Some(flowid(class)), None) };
    (None, cake.tin(class).map(|tin| Action::Priority(Handle { major: ROOT, minor: tin.number })))
}

/// Returns the handle of a class in the kernel.
pub(super) const fn flowid(class: ClassId) -> Handle {
    Handle { major: ROOT, minor: class_minor(class.0) }
}

/// Maximum number of characters of a match that each of its filters repeats.
pub(super) const LONGEST_WHAT: usize = 200;

/// Returns the part of a text that [`why`] needs.
pub(super) fn cut(what: &str) -> &str {
    what.char_indices().nth(LONGEST_WHAT + 1).and_then(|(at, _)| what.get(..at)).unwrap_or(what)
}

/// Returns the origin of an object. A built-in class set has no line that the user could look up.
pub(super) fn why(name: &str, what: &str, span: Option<Span>) -> Why {
    let own = span.filter(|span| span.is_own());
    let (line, file) = (own.map(|span| span.line), own.map_or(0, |span| span.file.0));
    // Each filter repeats this text, so a match with thousands of hosts would fill the script with their names.
    let what = match what.char_indices().nth(LONGEST_WHAT) {
        Some((at, _)) => format!("{} ...", what.get(..at).unwrap_or(what)),
        None => what.to_owned(),
    };
    Why { name: name.to_owned(), what, line, file }
}
