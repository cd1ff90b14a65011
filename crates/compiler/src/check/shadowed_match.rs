#![doc = include_str!("../../../../docs/rules/Q0510.md")]
#![doc = include_str!("../../../../docs/rules/Q0511.md")]
#![doc = include_str!("../../../../docs/rules/Q0512.md")]

use super::shared::cover::{Taken, taken};
use crate::diag::{Code, Diagnostic, Fix, Sink, and_ticked, ticked};
use crate::model::{Alternative, Class, Model};

/// Largest number of places in a finding.
const POINTED_AT: usize = 4;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let own = |taken: &Taken<'_>| taken.own.span.is_own();
    sink.extend(taken(model).iter().filter(|taken| own(taken)).map(finding));
}

/// Returns the finding on an alternative that lost packets to earlier ones.
fn finding(taken: &Taken<'_>) -> Diagnostic {
    let (class, text) = (ticked(&taken.leaf.name), ticked(&taken.own.text));
    let finding = |code, message: String| by(Diagnostic::new(code, taken.own.span, message), taken);
    if !taken.values.is_empty() {
        let values = and_ticked(taken.values.iter().map(String::as_str));
        let instead = match taken.values.as_slice() {
            [one] if one.starts_with("direction") => "write the other `direction`",
            _ => "remove it",
        };
        let help = format!("{instead} here, or move class {class} before class {}", takers(taken));
        return finding(Code::ShadowedMatchValue, format!("class {class} never matches {values}")).help(help);
    }
    if is_same_leaf(taken) {
        // If the same class already takes these packets, the alternative has no effect, whatever its author intended.
        let fix = Fix::take_out("remove it", taken.own.span);
        return finding(Code::ShadowedMatchSameClass, format!("{text} adds nothing to class {class}"))
            .help("remove it")
            .fix(Some(fix));
    }
    let first = takers(taken);
    finding(Code::ShadowedMatch, format!("class {class} never matches {text}"))
        .label("earlier classes match all of these packets")
        .help(format!("move class {class} before class {first}, or narrow the match of class {first}"))
}

/// True if the same leaf takes all packets, so that none goes to a wrong class.
fn is_same_leaf(taken: &Taken<'_>) -> bool {
    taken.by.iter().all(|(class, _)| class.id.value == taken.leaf.id.value)
}

/// Lists the other classes that take packets.
fn takers(taken: &Taken<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (class, _) in &taken.by {
        if class.id.value != taken.leaf.id.value && !names.contains(&class.name.as_str()) {
            names.push(&class.name);
        }
    }
    and_ticked(names)
}

/// Adds the places of the earlier alternatives to the finding.
fn by(finding: Diagnostic, taken: &Taken<'_>) -> Diagnostic {
    let own = taken.by.iter().filter(|(_, alternative)| alternative.span.is_own());
    let place = |(class, alternative): &(&Class, &Alternative)| {
        (alternative.span, format!("class {} matches it first", ticked(&class.name)))
    };
    finding.also_at(own.take(POINTED_AT).map(place))
}
