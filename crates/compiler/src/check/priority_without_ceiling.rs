#![doc = include_str!("../../../../docs/rules/Q0415.md")]

use super::siblings;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Alternative, Class, Direction, Engine, Model};
use crate::units::Protocol;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    // CAKE limits the priority of a tin by itself, and its tins have no ceilings
    if Direction::BOTH.iter().all(|direction| model.link.engine.get(*direction).value != Engine::Htb) {
        return;
    }
    for (_, classes) in siblings(model) {
        // The class that is served first, and the smallest priority of the others.
        let mut order: Vec<&Class> = classes.iter().collect();
        order.sort_by_key(|class| (class.priority.value, class.id.value));
        let [class, next, ..] = order.as_slice() else { continue };
        let is_first = class.priority.value < next.priority.value;
        let bulk = class.matches.iter().flatten().find(|alternative| may_be_bulk(model, alternative));
        let bulk = bulk.filter(|_| is_first && class.span.is_own() && !has_ceiling(class));
        sink.extend(bulk.map(|bulk| finding(class, bulk)));
    }
}

fn finding(class: &Class, bulk: &Alternative) -> Diagnostic {
    let name = ticked(&class.name);
    let message = format!("class {name} borrows first and has no ceiling: it can take all spare bandwidth");
    Diagnostic::new(Code::PriorityWithoutCeiling, class.span, message)
        .label(format!("borrows before its siblings, up to {}", class.ceiling.up.value.rounded(4)))
        .also(bulk.span, "can match file transfers")
        .help(format!("write a `ceiling` in class {name}, such as `ceiling: 50%`, or a later `priority`"))
}

/// True if the file limits the class in at least one direction. The user then has thought of this.
fn has_ceiling(class: &Class) -> bool {
    Direction::BOTH.iter().any(|direction| class.asked.ceiling.get(*direction).is_some())
}

/// True if a match may include file transfers: TCP of whole networks or any port, without a mark or DSCP that sets it
/// apart.
fn may_be_bulk(model: &Model, alternative: &Alternative) -> bool {
    let tcp = alternative.protocol.is_empty() || alternative.protocol.contains(&Protocol::TCP);
    let ports =
        alternative.local_port.is_some() || alternative.remote_port.is_some() || alternative.port.is_some();
    let set_apart = !alternative.dscp.is_empty() || !alternative.mark.is_empty();
    let short = !alternative.length.is_empty() || !alternative.tcp.is_empty();
    let machines = alternative.hosts.iter().filter_map(|host| model.hosts.get(*host));
    let many = alternative.hosts.is_empty() || machines.into_iter().any(|host| host.widest() > 0);
    // A user who names the remote endpoint knows its traffic.
    tcp && !ports && !set_apart && !short && many && alternative.remote.is_empty()
}
