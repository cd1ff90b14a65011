#![doc = include_str!("../../../../docs/rules/Q1003.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Expect, Host, Limit, LimitKind, Load, Measure, Model};

/// Returns the finding on a limit that was not met. `measured` is the lab's value for people: `61.3ms`, `3%`,
/// `1.2mbit`.
#[must_use]
pub fn not_met(model: &Model, expect: &Expect, limit: &Limit, measured: &str) -> Diagnostic {
    let (kind, text) = (limit.kind.as_str(), &limit.text);
    let bound = if limit.kind.is_least() { "at least" } else { "at most" };
    let message = format!(
        "{} has a {kind} of {measured} {}, but {bound} {text} is expected",
        measurement(model, expect),
        load(model, expect)
    );
    let finding = Diagnostic::new(Code::ExpectNotMet, limit.span, message).label("the limit");
    cures(model, expect, limit).into_iter().fold(finding, Diagnostic::help)
}

/// Describes an expectation for people: ``` `ata`'s ping under `upload` from `desk` ```.
#[must_use]
pub fn described(model: &Model, expect: &Expect) -> String {
    format!("{} {}", measurement(model, expect), load(model, expect))
}

/// Describes the measurement: ``` `ata`'s ping ```, ``` the stream in `voice` ```.
fn measurement(model: &Model, expect: &Expect) -> String {
    let whose = host(model, expect.on).map_or("the".to_owned(), |host| format!("{}'s", ticked(&host.name)));
    let what = match expect.measure {
        Measure::StreamDown => "download stream",
        measure => measure.as_str(),
    };
    let class = expect.of.and_then(|id| model.leaf(id));
    let class = class.map_or(String::new(), |class| format!(" in {}", ticked(&class.name)));
    format!("{whose} {what}{class}")
}

/// Describes the load.
fn load(model: &Model, expect: &Expect) -> String {
    if expect.load == Load::None {
        return "on the idle line".to_owned();
    }
    let class = expect.class.and_then(|id| model.leaf(id));
    let class = class.map_or(String::new(), |class| format!(" in {}", ticked(&class.name)));
    let from = host(model, expect.from).map_or(String::new(), |host| format!(" from {}", ticked(&host.name)));
    format!("under {}{class}{from}", ticked(expect.load.as_str()))
}

/// Returns possible changes, that of the limit last.
fn cures(model: &Model, expect: &Expect, limit: &Limit) -> Vec<String> {
    let class = expect.of.and_then(|id| model.leaf(id));
    let class = class.map_or("the class of its packets".to_owned(), |class| ticked(&class.name));
    let kind = limit.kind.as_str();
    let household = match limit.kind {
        LimitKind::Share | LimitKind::Rate => format!(
            "give {class} a larger `guarantee`; if its hosts should get the same, write `share: per-host`"
        ),
        _ if expect.load == Load::None => {
            format!("check that no `ceiling` or `police` limits {class}")
        }
        _ => format!(
            "give {class} a `priority` before that of the load's class, or a larger `guarantee`; `qosc explain --packet` shows the class of a packet"
        ),
    };
    let bound = if limit.kind.is_least() { "smaller" } else { "larger" };
    vec![household, format!("if the line can do no better, write a {bound} `{kind}`")]
}

fn host(model: &Model, index: Option<usize>) -> Option<&Host> {
    model.hosts.get(index?)
}

#[cfg(test)]
#[path = "expect_not_met_tests.rs"]
pub(super) mod tests;
