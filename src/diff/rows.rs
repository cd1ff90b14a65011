//! Rows of changes with their costs, as `diff` and `plan` show them to people.

use super::Price;
use super::cost::Cost;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::Write as _;

/// Largest width of the text column. Costs start behind the longest text, but no further to the right than this.
const WIDEST: usize = 64;

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

/// Layout of rows: the costs of all rows begin in one column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    look: Look,
    width: usize,
}

impl Look {
    fn paint(self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Writes a heading.
    pub(crate) fn heading(self, text: &str, out: &mut String) {
        let _infallible = writeln!(out, "{}", self.paint(Style::new().bold(), text));
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

impl Rows {
    /// Returns the layout for these lines.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = &'a str>, look: Look) -> Rows {
        let width = lines.map(|line| line.chars().count()).filter(|n| *n <= WIDEST).max();
        Rows { look, width: width.unwrap_or_default() }
    }

    /// Writes a line and its price: beside the line, or below it if the line is too long. `reason` is the price's
    /// reason, escaped for a terminal.
    pub(crate) fn row(self, sign: Sign, line: &str, price: &Price, reason: &str, out: &mut String) {
        let Rows { look, width } = self;
        let (sign, style) = sign.drawn();
        let sign = look.paint(style, sign);
        let cost = look.paint(style_of(price.cost), price.cost.words());
        let _infallible = if line.chars().count() > WIDEST {
            writeln!(out, "  {sign} {line}\n    {:width$}  {cost}: {reason}", "")
        } else {
            writeln!(out, "  {sign} {line:width$}  {cost}: {reason}")
        };
    }
}

fn style_of(cost: Cost) -> Style {
    match cost {
        Cost::InPlace => AnsiColor::Green.on_default(),
        Cost::OwnBacklog => AnsiColor::Yellow.on_default(),
        Cost::Swap | Cost::Rebuild => AnsiColor::Red.on_default(),
    }
}
