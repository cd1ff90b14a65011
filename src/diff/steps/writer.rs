//! Steps in the order in which they are taken.

use super::origin::{name, place};
use super::router::Router;
use super::step::{Cause, Object, Step, Tool, Value};
use crate::diff::cost::Price;

/// Properties of a step besides its command.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) object: Object,
    pub(super) price: Price,
    pub(super) cause: Cause,
    pub(super) values: Vec<Value>,
    pub(super) drift: Vec<Value>,
    /// Name of the object; `None` if the comment of the command names it.
    pub(super) name: Option<String>,
}

impl Facts {
    pub(super) fn new(object: Object, price: Price, cause: Cause) -> Facts {
        Facts { object, price, cause, values: Vec::new(), drift: Vec::new(), name: None }
    }
}

/// The steps so far, and what all of them need to know.
#[derive(Debug)]
pub(super) struct Writer<'r> {
    pub(super) router: &'r Router,
    /// The ifb for downloads; empty if there is none.
    pub(super) target: &'r str,
    /// True if downloads switch to another ifb.
    pub(super) redirect_moves: bool,
    /// True if there is a record of a completed start.
    pub(super) recorded: bool,
    pub(super) steps: Vec<Step>,
}

impl Writer<'_> {
    /// Adds a step. `@wan` and `@ifb` stand for the devices, and `from` becomes the comment. Without a hook, `@wan` is
    /// the device with the tree of uploads.
    pub(super) fn say(&mut self, tool: Tool, words: &str, from: &str, facts: Facts) {
        let is_at_hook =
            ["ingress", "egress", "clsact"].iter().any(|hook| words.contains(&format!("@wan {hook}")));
        let wan = if is_at_hook { &self.router.wan } else { self.router.up() };
        let mut words = words.replace("@wan", wan).replace("@ifb", self.target);
        while words.contains("  ") {
            words = words.replace("  ", " ");
        }
        let program = match tool {
            Tool::Tc => "tc",
            Tool::Ip => "ip",
        };
        let comment = if from.is_empty() { String::new() } else { format!(" # {from}") };
        // The text after the place concerns this step alone.
        let origin = from.find("), ").and_then(|end| from.get(..=end)).unwrap_or(from);
        self.steps.push(Step {
            tool,
            verb: words.split(' ').nth(1).unwrap_or_default().to_owned(),
            object: facts.object,
            name: facts.name.unwrap_or_else(|| name(origin).to_owned()),
            place: place(origin).map(str::to_owned),
            command: format!("{program} {words}{comment}"),
            price: facts.price,
            cause: facts.cause,
            values: facts.values,
            drift: facts.drift,
        });
    }

    /// Returns the cause of a difference. `file` is true if the description changed since the last start, `drift` if
    /// the kernel's object changed since then.
    pub(super) const fn cause(&self, file: bool, drift: bool) -> Cause {
        match (self.recorded, file, drift) {
            (false, _, _) => Cause::Unknown,
            (_, true, true) => Cause::Both,
            (_, false, true) => Cause::Drift,
            (_, _, false) => Cause::File,
        }
    }
}
