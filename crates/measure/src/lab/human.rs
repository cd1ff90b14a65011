//! Report for a terminal of 100 columns.

use super::facts::{self, LEGEND, Pair, pairs};
use super::report::{Expectation, LabReport, Situation};
use super::tables::{self, FIGURES, or_dash, script, verdict};
use crate::page::Table;
use anstyle::{AnsiColor, Style};
use qosc_compiler::diag::{for_terminal, ticked, wrapped};
use qosc_compiler::model::{Direction, Load};
use qosc_preview::explain::columns;
use std::fmt::Write as _;

/// Largest number of columns in a line.
const LINE: usize = 100;

/// Returns the whole report as text: the setup, the changes and the tables.
#[must_use]
pub fn human(report: &LabReport, colour: bool) -> String {
    let mut out = Text::new(colour);
    let other = report.script.as_ref();
    let named = other.map_or_else(|| "its script".to_owned(), |script| ticked(&script.command));
    out.heading(&format!("{}: without and with {named}", report.link));
    for (name, words) in [
        ("kernel", report.kernel.words()),
        ("line", facts::line_under_test(report)),
        ("queues", facts::queues(report)),
        ("hosts", facts::roles(report)),
    ] {
        out.wrapped(&format!("  {name:8}"), &words, 10);
    }
    for line in other.iter().flat_map(|script| script.output.lines()) {
        out.wrapped("  printed ", line, 10);
    }
    let pairs = pairs(report);
    if !pairs.is_empty() {
        out.situations(&pairs);
    }
    out.table("packets of 64 bytes that fill the line", tables::small(report));
    out.table("one bulk flow of a host against eight of another", tables::flows(report));
    for direction in Direction::BOTH {
        let title = format!("classes {}: increase of p99 while another class is full", direction.as_str());
        out.table(&title, tables::classes(report, direction));
    }
    if !report.expectations.is_empty() {
        out.heading("\nexpectations");
        for one in &report.expectations {
            out.expectation(one);
        }
    }
    out.heading("\nnot measured");
    for words in &report.left_out {
        out.wrapped("  ", words, 4);
    }
    out.out
}

/// Short name of a load.
const fn short(load: Load) -> &'static str {
    match load {
        Load::None => "idle",
        Load::Upload => "3 uploads",
        Load::Download => "3 downloads",
        Load::Both => "3 of each",
        Load::FloodUp => "flood up",
        Load::FloodDown => "flood down",
    }
}

/// Text for a terminal.
pub(super) struct Text {
    pub(super) out: String,
    colour: bool,
}

impl Text {
    pub(super) const fn new(colour: bool) -> Text {
        Text { out: String::new(), colour }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(super) fn heading(&mut self, text: &str) {
        let (gap, text) = text.strip_prefix('\n').map_or(("", text), |text| ("\n", text));
        let text = self.paint(Style::new().bold(), &for_terminal(text));
        let _infallible = writeln!(self.out, "{gap}{text}");
    }

    pub(super) fn wrapped(&mut self, start: &str, words: &str, indent: usize) {
        wrapped(&mut self.out, start, &for_terminal(words), indent);
    }

    fn situations(&mut self, pairs: &[Pair<'_>]) {
        self.heading("\nwhat changes");
        for pair in pairs {
            self.wrapped("  ", &pair.in_one_line(), 4);
            if let Some(words) = pair.beyond() {
                self.wrapped("    ", words, 4);
            }
        }
        self.heading("\nsituations");
        self.grid(pairs);
        for words in LEGEND {
            self.wrapped("  ", words, 4);
        }
    }

    pub(super) fn table(&mut self, title: &str, table: Option<Table>) {
        let Some(table) = table else { return };
        self.heading(&format!("\n{title}"));
        let rows = table.rows.iter().map(|row| row.iter().map(|cell| for_terminal(&cell.text)).collect());
        let heads = table.head.iter().map(|head| for_terminal(head)).collect();
        self.columns(&std::iter::once(heads).chain(rows).collect::<Vec<_>>());
    }

    /// Prints lines in columns, the first aligned to the left. Columns that do not fit follow in another block.
    fn columns(&mut self, lines: &[Vec<String>]) {
        let widths: Vec<usize> = (0..lines.first().map_or(0, Vec::len))
            .map(|at| lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max())
            .map(|width| width.unwrap_or_default() + 2)
            .collect();
        let first = widths.first().copied().unwrap_or_default();
        for (number, block) in blocks(&widths, first).into_iter().enumerate() {
            let part = |line: &Vec<String>| {
                let rest = line.iter().skip(block.start).take(block.len());
                line.iter().take(1).chain(rest).cloned().collect::<Vec<_>>()
            };
            self.out.push_str(if number == 0 { "" } else { "\n" });
            self.out.push_str(&columns(&lines.iter().map(part).collect::<Vec<_>>()));
        }
    }

    /// Prints the situations side by side, each without and with the script.
    fn grid(&mut self, pairs: &[Pair<'_>]) {
        let is_known =
            |of: fn(&Situation) -> Option<String>| pairs.iter().any(|pair| pair.each(of) != [None, None]);
        let shown: Vec<_> = FIGURES.iter().filter(|(_, of)| is_known(*of)).collect();
        let names = ["", ""].into_iter().chain(shown.iter().map(|(name, _)| *name));
        let mut lines: Vec<Vec<String>> = names.map(|name| vec![name.to_owned()]).collect();
        for pair in pairs {
            let figures = shown.iter().map(|(_, of)| pair.each(of).map(or_dash).map(|text| narrow(&text)));
            let both: Vec<[String; 2]> =
                std::iter::once([false, true].map(|shaped| script(shaped).to_owned()))
                    .chain(figures)
                    .collect();
            let width = |side: fn(&[String; 2]) -> &String| {
                both.iter().map(|both| side(both).chars().count()).max().unwrap_or_default()
            };
            let (left, right) = (width(|[without, _]| without), width(|[_, with]| with));
            let cells = both.iter().map(|[without, with]| format!("{without:>left$} {with:>right$}"));
            let column = std::iter::once(short(pair.load()).to_owned()).chain(cells);
            lines.iter_mut().zip(column).for_each(|(line, cell)| line.push(cell));
        }
        self.columns(&lines);
    }

    fn expectation(&mut self, one: &Expectation) {
        let word = format!("{:9}", verdict(one.met));
        let colour = match one.met {
            Some(true) => AnsiColor::Green,
            Some(false) => AnsiColor::Red,
            None => AnsiColor::Yellow,
        };
        let word = self.paint(colour.on_default(), &word);
        let line = one.line.map_or_else(String::new, |line| format!(", line {line}"));
        let _infallible = write!(self.out, "  {word}");
        self.wrapped("  ", &format!("{}{line}", one.what), 13);
        let indent = " ".repeat(13);
        self.wrapped(&indent, &format!("expected {}", one.expected), 15);
        let measured =
            if one.met.is_some() { format!("measured {}", one.measured) } else { one.measured.clone() };
        self.wrapped(&indent, &measured, 15);
    }
}

/// A figure without the space before its unit, for a table that has little room.
fn narrow(figure: &str) -> String {
    match figure.rsplit_once(' ') {
        Some((number, unit @ ("us" | "ms" | "s"))) => format!("{number}{unit}"),
        _ => figure.to_owned(),
    }
}

/// Splits the columns into blocks that fit into a line. Each block also has the first column.
fn blocks(widths: &[usize], first: usize) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut used) = (1, first);
    for (at, width) in widths.iter().enumerate().skip(1) {
        if at > start && used + width > LINE {
            blocks.push(start..at);
            (start, used) = (at, first);
        }
        used += width;
    }
    if start < widths.len() {
        blocks.push(start..widths.len());
    }
    blocks
}

#[cfg(test)]
#[path = "human_tests.rs"]
pub(in crate::lab) mod tests;
