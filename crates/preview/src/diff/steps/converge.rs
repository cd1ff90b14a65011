//! The steps of a start, with all that a person wants to know about them.

use super::command::Command;
use super::engine;
use super::explainer::Explainer;
use super::found::Found;
use super::origin::{name, place};
use super::router::Router;
use super::step::Step;

/// Steps of a start, and what is on the WAN device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// Steps in their order; empty if nothing needs to change.
    pub steps: Vec<Step>,
    /// Objects of others, each in the script's words.
    pub foreign: Vec<String>,
    /// True if the script's own root qdisc exists.
    pub our_root: bool,
    /// What others changed since the last start, in the words of the script's `check`.
    pub drift: Vec<String>,
}

/// Returns the steps from the observed to the described state.
///
/// # Errors
/// Returns a message for people if this machine has no awk, or if it fails.
pub fn steps(router: &Router) -> Result<Steps, String> {
    let output = engine::run(router)?;
    let found = Found::read(&output);
    let mut explainer = Explainer::new(router, &found);
    let step = |line: &&str| {
        let command = Command::read(line);
        let facts = explainer.facts(&command);
        // The text after the place concerns this step alone.
        let origin =
            command.from.find("), ").and_then(|end| command.from.get(..=end)).unwrap_or(command.from);
        Step {
            tool: command.tool,
            verb: command.verb().to_owned(),
            object: facts.object,
            name: facts.name.unwrap_or_else(|| name(origin).to_owned()),
            place: place(origin).map(str::to_owned),
            command: (*line).to_owned(),
            price: facts.price,
            cause: facts.cause,
            values: facts.values,
        }
    };
    let all = |lines: &[&str]| lines.iter().map(|words| (*words).to_owned()).collect();
    Ok(Steps {
        steps: found.commands.iter().map(step).collect(),
        foreign: all(&found.foreign),
        drift: all(&found.drift),
        our_root: found.our_root,
    })
}

#[cfg(test)]
#[path = "converge_tests.rs"]
mod tests;
