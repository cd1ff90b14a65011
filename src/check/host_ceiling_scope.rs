#![doc = include_str!("../rules/Q0411.md")]

use super::{Rule, each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Alternative, Class, Direction, FileSection, Host, Model, Shape};

pub(super) const RULE: Rule = Rule {
    name: "host-ceiling-scope",
    codes: &[Code::HostCeilingScope],
    sections: &[FileSection::Hosts, FileSection::Classes],
    run: Some(run),
};

/// A host with a ceiling, and the classes besides its own that get some of its packets.
struct Beyond<'a> {
    host: &'a str,
    place: Span,
    others: Vec<&'a str>,
}

fn run(model: &Model, sink: &mut Sink) {
    let hosts = model.hosts.iter().enumerate();
    let found: Vec<Beyond<'_>> = hosts.filter_map(|(index, host)| elsewhere(model, index, host)).collect();
    each_or_all(&found, sink, finding);
}

/// Returns the classes, besides that of its key `class`, that get packets of a host with a ceiling.
fn elsewhere<'a>(model: &'a Model, index: usize, host: &'a Host) -> Option<Beyond<'a>> {
    let directions: Vec<Direction> =
        Direction::BOTH.into_iter().filter(|direction| host.ceiling.get(*direction).is_some()).collect();
    let place = directions.iter().find_map(|direction| host.ceiling.get(*direction).as_ref()?.span())?;
    let mut classes = Vec::new();
    takers(&model.classes, false, &|alternative| takes(alternative, index, &directions), &mut classes);
    let others = classes.iter().filter(|class| class.id.value != host.home.value);
    let others: Vec<&str> = others.map(|class| class.name.as_str()).collect();
    (!others.is_empty()).then_some(Beyond { host: &host.name, place, others })
}

/// Returns a finding on these hosts, at the ceiling of the first.
fn finding(found: &[Beyond<'_>]) -> Option<Diagnostic> {
    let mut others: Vec<&str> = Vec::new();
    for name in found.iter().flat_map(|host| &host.others) {
        if !others.contains(name) {
            others.push(name);
        }
    }
    let (classes, take) = if others.len() == 1 { ("class", "matches") } else { ("classes", "match") };
    let others = some_of(&others);
    let hosts: Vec<&str> = found.iter().map(|host| host.host).collect();
    let (message, label) = match hosts.as_slice() {
        [host] => (
            format!("host {} can exceed its ceiling", ticked(host)),
            format!(
                "applies only in the home class of the host; {classes} {others} {take} some of its packets too"
            ),
        ),
        hosts => (
            format!("{} hosts can exceed their ceilings", hosts.len()),
            format!(
                "the ceilings of {} apply only in their home classes; {classes} {others} {take} some of their packets too",
                some_of(hosts)
            ),
        ),
    };
    let place = found.first()?.place;
    Some(
        Diagnostic::new(Code::HostCeilingScope, place, message)
            .label(label)
            .help("to cap a host in all classes, use `police`"),
    )
}

/// Finds the leaves that get packets by one of their matches, as far as hosts and directions tell.
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

fn takes(alternative: &Alternative, host: usize, directions: &[Direction]) -> bool {
    (alternative.hosts.is_empty() || alternative.hosts.contains(&host))
        && alternative.direction.is_none_or(|only| directions.contains(&only))
}
