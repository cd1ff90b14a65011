//! Rules over the [`Model`]: one file a rule, one registry.

mod bursts;
mod dscp_down;
mod engine;
mod hosts;
mod memory;
mod nat;
mod nothing_matches;
mod tunnels;

use crate::diag::{Code, Sink};
use crate::model::{Alternative, Class, Direction, Model, Shape};

/// A rule: what it may say, and how it looks.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The codes of its findings.
    pub codes: &'static [Code],
    run: fn(&Model, &mut Sink),
}

/// Every rule there is, in the order in which they run.
pub const RULES: &[Rule] = &[
    engine::RULE,
    nat::RULE,
    hosts::RULE,
    memory::RULE,
    tunnels::RULE,
    dscp_down::RULE,
    nothing_matches::RULE,
    bursts::RULE,
];

/// Runs every rule.
pub fn check(model: &Model, sink: &mut Sink) {
    for rule in RULES {
        (rule.run)(model, sink);
    }
}

/// What goes in a direction, in a word.
const fn loads(way: Direction) -> &'static str {
    match way {
        Direction::Up => "uploads",
        Direction::Down => "downloads",
    }
}

/// The alternatives of all classes, depth first.
fn of_classes(model: &Model) -> Vec<&Alternative> {
    fn walk<'a>(classes: &'a [Class], out: &mut Vec<&'a Alternative>) {
        for class in classes {
            out.extend(class.matches.iter().flatten());
            if let Shape::Inner(children) = &class.shape {
                walk(children, out);
            }
        }
    }
    let mut all = Vec::new();
    walk(&model.classes, &mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_something() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
        assert!(RULES.iter().all(|rule| !rule.codes.is_empty()));
    }
}
