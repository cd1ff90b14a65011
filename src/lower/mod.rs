//! Lowers a [`Model`] to kernel objects.

mod alternative;
mod classify;
mod decrypted;
mod distinct;
#[cfg(test)]
mod fixture;
mod frame;
mod hashed;
mod host_classes;
mod identity;
mod inside;
mod intersect;
mod labels;
#[cfg(test)]
mod packet;
mod police;
mod scale;
mod selectors;
mod settings;
mod tree;

pub use police::MTU as POLICE_MTU;
pub use tree::CAKE_RTT as INSTEAD_RTT;

use crate::diag::{Severity, Sink, Span};
use crate::model::{ClassId, Direction, Layer, Link, Model};
use crate::tc::{Action, Charge, Dev, Handle, Hook, IngressMode, LinkLayer, Overhead, Program, ROOT, Why};
use crate::units::IfName;

/// Lowers a model without errors. Reports errors that only show here, such as a match that no packet can satisfy or
/// that needs too many filters. Returns `None` after such an error.
#[must_use]
pub fn lower(model: &Model, sink: &mut Sink) -> Option<Program> {
    let mut own = Sink::default();
    let program = program(model, &mut own);
    let found = own.into_sorted();
    let failed = found.iter().any(|finding| finding.severity == Severity::Error);
    for finding in found {
        sink.push(finding);
    }
    program.filter(|_| !failed)
}

fn program(model: &Model, sink: &mut Sink) -> Option<Program> {
    let shaped = model.link.shapes(Direction::Down);
    let directions = if shaped { &Direction::BOTH[..] } else { &[Direction::Up][..] };
    frame::refuse(model, sink);
    let rules = classify::rules(model, sink);
    let egress = police::filters(model, Direction::Up, sink);
    let ingress = police::filters(model, Direction::Down, sink);

    // the redirect of downloads into the ifb comes last, when everything there is ready
    let mut filters: Vec<_> =
        directions.iter().flat_map(|direction| classify::filters(model, &rules, *direction)).collect();
    filters.extend(egress);
    let mut ingress = ingress;
    let restore = identity::restore(model, &[filters.as_slice(), ingress.as_slice()].concat());
    ingress.splice(0..0, restore);

    let mut qdiscs: Vec<_> = directions.iter().map(|direction| tree::root(model, *direction)).collect();
    if !ingress.is_empty() || filters.iter().any(|filter| filter.hook == Hook::Egress) {
        qdiscs.push(tree::clsact(model));
    }
    qdiscs.extend(directions.iter().flat_map(|direction| tree::leaves(model, *direction)));

    filters.extend(ingress);

    Some(Program {
        link: model.name.value.clone(),
        wan: model.link.device.value.clone(),
        ifb: ifb(model)?,
        ingress: if shaped { IngressMode::Ifb } else { IngressMode::Direct },
        charge: charge(&model.link),
        frames: model.link.frames.value,
        qdiscs,
        classes: directions.iter().flat_map(|direction| tree::classes(model, *direction)).collect(),
        filters,
        decrypted: decrypted::tunnels(model),
        marks: identity::table(model),
        settings: settings::settings(model),
        scale: scale::scale(model),
    })
}

/// The name of the ifb. What device names hold of a link's name is short enough, so there always is one.
fn ifb(model: &Model) -> Option<IfName> {
    format!("ifb-{}", model.name.value.in_devices()).parse().ok()
}

/// Returns the cost of a packet on a line.
const fn charge(link: &Link) -> Charge {
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
const fn dev(direction: Direction) -> Dev {
    match direction {
        Direction::Up => Dev::Wan,
        Direction::Down => Dev::Ifb,
    }
}

/// Returns the result of a filter at a root qdisc: HTB's class, or CAKE's tin. CAKE runs its filters before it looks at
/// the priority. A class id would select one of its flows instead (sch_cake: `cake_classify`).
fn target(model: &Model, direction: Direction, class: ClassId) -> (Option<Handle>, Option<Action>) {
    let Some(cake) = model.cake.get(direction) else { return (Some(flowid(class)), None) };
    let tin = cake.tins.iter().find(|tin| tin.class == class);
    (None, tin.map(|tin| Action::Priority(Handle { major: ROOT, minor: tin.number })))
}

/// Returns the handle of a class in the kernel.
const fn flowid(class: ClassId) -> Handle {
    Handle { major: ROOT, minor: class.0 }
}

/// Maximum number of characters of a match that each of its filters repeats.
const LONGEST_WHAT: usize = 200;

/// Returns the origin of an object. A built-in class set has no line that the user could look up.
fn why(name: &str, what: &str, span: Option<Span>) -> Why {
    let line = span.and_then(Span::own_line);
    // Each filter repeats this text, so a match with thousands of hosts would fill the script with their names.
    let what = match what.char_indices().nth(LONGEST_WHAT) {
        Some((at, _)) => format!("{} ...", what.get(..at).unwrap_or(what)),
        None => what.to_owned(),
    };
    Why { name: name.to_owned(), what, line }
}
