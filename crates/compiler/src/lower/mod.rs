//! Lowers a [`Model`] to kernel objects.

mod alternative;
mod classify;
mod decrypted;
mod distinct;
mod frame;
mod hashed;
mod host_classes;
mod identity;
mod inside;
mod intersect;
mod labels;
mod limits;
mod match_set;
mod one_way;
mod police;
mod prepared;
mod rule;
mod scale;
mod selectors;
mod settings;
mod terms;
#[cfg(test)]
mod tests;
mod tree;

use crate::diag::{Severity, Sink};
use crate::model::{Direction, Model};
use crate::tc::{Hook, IngressMode, Program};
use prepared::Prepared;
use terms::{charge, ifb};

/// Lowers a model without errors. Reports errors that only show here, such as a match that no packet can satisfy or
/// that needs too many filters. Returns `None` after such an error.
#[must_use]
pub fn lower(model: &Model, sink: &mut Sink) -> Option<Program> {
    let mut own = Sink::within(sink.budget());
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
    let prepared = Prepared::new(model, sink.budget());
    let rules = classify::rules(&prepared, sink);
    let egress = police::filters(&prepared, Direction::Up, sink);
    let ingress = police::filters(&prepared, Direction::Down, sink);

    // the redirect of downloads into the ifb comes last, when everything there is ready
    let mut filters: Vec<_> =
        directions.iter().flat_map(|direction| classify::filters(model, &rules, *direction)).collect();
    filters.extend(egress);
    let mut ingress = ingress;
    let marks = model.marks.as_ref().filter(|_| identity::is_restored(filters.iter().chain(&ingress)));
    let decrypted = decrypted::tunnels(model, &marks.map(identity::restored).unwrap_or_default());
    let restore = marks.map_or_else(Vec::new, |marks| identity::restore(model, marks));
    ingress.splice(0..0, restore);

    let mut qdiscs: Vec<_> = directions.iter().map(|direction| tree::root(model, *direction)).collect();
    if !ingress.is_empty() || filters.iter().any(|filter| filter.hook == Hook::Egress) {
        qdiscs.push(tree::clsact(model));
    }
    qdiscs.extend(directions.iter().flat_map(|direction| tree::leaves(model, *direction)));

    filters.extend(ingress);

    Some(Program {
        link: model.name.value.clone(),
        files: Vec::new(),
        wan: model.link.device.value.clone(),
        ifb: ifb(model)?,
        ingress: if shaped { IngressMode::Ifb } else { IngressMode::Direct },
        charge: charge(&model.link),
        frames: model.link.frames.value,
        qdiscs,
        classes: directions.iter().flat_map(|direction| tree::classes(model, *direction)).collect(),
        filters,
        decrypted,
        is_up_by_ifb: model.tunnels.iter().any(|tunnel| tunnel.queued_before_encryption().is_some()),
        marks: identity::table(model),
        settings: settings::settings(model),
        scale: scale::scale(model),
    })
}
