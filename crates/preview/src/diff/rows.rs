//! Rows of changes with their costs, as `diff` and `plan` show them to people.

use super::cost::Cost;
use anstyle::{AnsiColor, Style};
use qosc_compiler::diag::wrapped;
use serde::Serialize;
use std::fmt::Write as _;

/// Style of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Show everything that is otherwise shortened: every derived value and every command.
    pub verbose: bool,
    /// Use colours.
    pub colour: bool,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// The object is new.
    Added,
    /// The object is removed.
    Removed,
    /// The object changes.
    Changed,
}

impl Look {
    fn paint(self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Writes a heading.
    pub fn heading(self, text: &str, out: &mut String) {
        let _infallible = writeln!(out, "{}", self.paint(Style::new().bold(), text));
    }

    /// Writes a change, and its price below it. A change without effect on traffic has no price, unless all is shown.
    /// Both texts are harmless to a terminal.
    pub fn row(self, sign: Sign, line: &str, cost: Cost, reason: &str, out: &mut String) {
        let (sign, style) = sign.drawn();
        wrapped(out, &format!("  {} ", self.paint(style, sign)), line, 6);
        // What follows a semicolon holds in other cases only, and has a line of its own.
        let (reason, more) = reason.split_once("; ").unwrap_or((reason, ""));
        if self.verbose || cost != Cost::InPlace {
            let cost = self.paint(style_of(cost), cost.words());
            wrapped(out, &format!("      {cost}: "), reason, 8);
        }
        if !more.is_empty() {
            wrapped(out, "      ", more, 8);
        }
    }
}

impl Sign {
    fn drawn(self) -> (&'static str, Style) {
        match self {
            Sign::Added => ("+", AnsiColor::Green.on_default()),
            Sign::Removed => ("-", AnsiColor::Red.on_default()),
            Sign::Changed => ("~", AnsiColor::Cyan.on_default()),
        }
    }
}

fn style_of(cost: Cost) -> Style {
    match cost {
        Cost::InPlace => AnsiColor::Green.on_default(),
        Cost::OwnBacklog => AnsiColor::Yellow.on_default(),
        Cost::Swap | Cost::Rebuild => AnsiColor::Red.on_default(),
    }
}
