//! What a page is made of. All text is plain: the page escapes it.

use serde::Serialize;

/// A page: its title, a few paragraphs, and sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The title, in the window and at the top.
    pub title: String,
    /// Paragraphs below it: what this is, and what came out.
    pub lead: Vec<String>,
    /// The sections; from three on the page has a list of them.
    pub sections: Vec<Section>,
}

/// A part of a page with a title of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Paragraphs below the title.
    pub text: Vec<String>,
    /// What it shows, in this order.
    pub items: Vec<Item>,
    /// Whether only its title is seen until somebody opens it.
    pub folded: bool,
}

/// Something in a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A paragraph.
    Text(String),
    /// A table.
    Table(Table),
    /// A chart to zoom into.
    Chart(Chart),
    /// Bars, drawn without a script.
    Bars(Bars),
}

/// A table. Its first column names the rows, and stays where it is when a narrow screen scrolls the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: Option<String>,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows, each with a cell for each head.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// What stands in it, with its unit.
    pub text: String,
    /// Whether it is as it should be; none where nothing was asked of it.
    pub good: Option<bool>,
    /// Whether it is a number, which stands at the right.
    pub numeric: bool,
}

impl Cell {
    /// A cell with words.
    #[must_use]
    pub fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A cell with a number.
    #[must_use]
    pub fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), numeric: true, ..Self::default() }
    }

    /// The same cell, judged.
    #[must_use]
    pub fn judged(self, good: bool) -> Self {
        Self { good: Some(good), ..self }
    }
}

/// A chart: series over the same two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The axis along which one zooms.
    pub x: Axis,
    /// The axis upwards. A button switches it between linear and logarithmic.
    pub y: Axis,
    /// The series. Later ones are drawn over former ones.
    pub series: Vec<Series>,
    /// Whether it begins with points rather than lines; a button switches.
    pub points: bool,
    /// Periods with a ground of their own: from and to in units of x, and what was then.
    pub shaded: Vec<(f64, f64, String)>,
}

/// An axis of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// What is measured along it, such as `latency`.
    pub label: String,
    /// The unit of the values, such as `ms`; empty where they have none.
    pub unit: String,
    /// Whether it begins logarithmic. What is not above zero is then drawn at the least value that is.
    pub log: bool,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), log: false }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { log: true, ..Self::linear(label, unit) }
    }
}

/// A series of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it is called, in the legend.
    pub name: String,
    /// Which of [`COLOURS`](super::COLOURS); past the last they begin again.
    pub colour: usize,
    /// Whether its line is dashed.
    pub dashed: bool,
    /// Its values, x and y, in any order. A y of none was lost, and is marked above the chart; an x that is no finite number is left out.
    pub data: Vec<(f64, Option<f64>)>,
}

/// Bars: rows of shares of something.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What they show.
    pub title: String,
    /// The value of a bar that is as long as there is room for.
    pub full: f64,
    /// Whether a row's parts follow each other in one bar, or have a bar each.
    pub stacked: bool,
    /// The rows.
    pub rows: Vec<BarRow>,
}

/// A row of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// What it is called.
    pub label: String,
    /// Its parts.
    pub parts: Vec<Segment>,
}

/// A part of a row of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Whose it is.
    pub name: String,
    /// How much, in the unit of [`Bars::full`].
    pub value: f64,
    /// The value for people, with its unit.
    pub text: String,
    /// Which of [`COLOURS`](super::COLOURS).
    pub colour: usize,
}
