//! A ceiling of a host that its packets can pass in other classes.

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, and_ticked, ticked};
use crate::model::{Alternative, Class, Direction, Host, Model, Shape};

pub(super) const RULE: Rule = Rule { name: "hosts", codes: &[Code::CeilingElsewhere], run };

/// As many classes as a finding names.
const NAMED: usize = 4;

fn run(model: &Model, sink: &mut Sink) {
    for (index, host) in model.hosts.iter().enumerate() {
        elsewhere(model, index, host, sink);
    }
}

/// Says where the packets of a host with a ceiling go that is not its home.
fn elsewhere(model: &Model, index: usize, host: &Host, sink: &mut Sink) {
    let ways: Vec<Direction> =
        [Direction::Up, Direction::Down].into_iter().filter(|way| host.ceiling.get(*way).is_some()).collect();
    let Some(place) = ways.iter().find_map(|way| host.ceiling.get(*way).as_ref()?.span()) else { return };
    let mut classes = Vec::new();
    takers(&model.classes, false, &|alternative| takes(alternative, index, &ways), &mut classes);
    let others = classes.iter().filter(|class| class.id.value != host.home.value);
    let mut others: Vec<&str> = others.map(|class| class.name.as_str()).collect();
    if others.is_empty() {
        return;
    }
    let more = others.len().saturating_sub(NAMED);
    others.truncate(NAMED);
    let names = and_ticked(others.iter().copied());
    let names = if more > 0 { format!("{names} and {more} more") } else { names };
    let (classes, take) = if others.len() == 1 { ("class", "takes") } else { ("classes", "take") };
    let message = format!("host {} can get more than its ceiling", ticked(&host.name));
    sink.push(
        Diagnostic::new(Code::CeilingElsewhere, place, message)
            .label(format!("holds in its home class; what {classes} {names} {take} of it is not bound by it"))
            .help("to cap a host in all, use `police`"),
    );
}

/// The leaves that take something by a match of theirs, as far as this can be told from hosts and directions.
fn takers<'a>(
    classes: &'a [Class],
    matched: bool,
    takes: &impl Fn(&Alternative) -> bool,
    found: &mut Vec<&'a Class>,
) {
    for class in classes {
        if class.matches.as_ref().is_some_and(|list| !list.iter().any(takes)) {
            continue;
        }
        let matched = matched || class.matches.is_some();
        match &class.shape {
            Shape::Inner(children) => takers(children, matched, takes, found),
            Shape::Leaf(_) if matched => found.push(class),
            Shape::Leaf(_) => {}
        }
    }
}

fn takes(alternative: &Alternative, host: usize, ways: &[Direction]) -> bool {
    (alternative.hosts.is_empty() || alternative.hosts.contains(&host))
        && alternative.direction.is_none_or(|only| ways.contains(&only))
}
