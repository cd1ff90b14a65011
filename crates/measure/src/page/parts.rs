//! Elements of a page. All text is plain; the page escapes it.

use serde::Serialize;

/// A page: its title, a few paragraphs, and sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Title in the window and at the top.
    pub title: String,
    /// Paragraphs below the title: subject and results.
    pub lead: Vec<String>,
    /// Sections. A page with three or more has a table of contents.
    pub sections: Vec<PageSection>,
}

/// A section of a page, with its own title.
#[derive(Debug, Clone, PartialEq)]
pub struct PageSection {
    /// Title of the section.
    pub title: String,
    /// Paragraphs below the title.
    pub text: Vec<String>,
    /// Elements of the section, in this order.
    pub items: Vec<Item>,
    /// True if the section shows only its title until the reader opens it.
    pub folded: bool,
}

/// An element of a section.
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

/// A table. Its first column names the rows. It stays in place when a narrow screen scrolls the other columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Caption of the table.
    pub caption: Option<String>,
    /// Headers of the columns.
    pub head: Vec<String>,
    /// Rows, with one cell for each header.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// Text of the cell, with its unit.
    pub text: String,
    /// Verdict on the value: good or bad; `None` if there is no expectation.
    pub good: Option<bool>,
    /// True if the cell is a number, which is aligned to the right.
    pub numeric: bool,
}

impl Cell {
    /// Returns a cell with words.
    #[must_use]
    pub fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns a cell with a number.
    #[must_use]
    pub fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), numeric: true, ..Self::default() }
    }
}

/// A chart: series over the same two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// Horizontal axis, along which the reader zooms.
    pub x: Axis,
    /// Vertical axis. A button switches it between linear and logarithmic.
    pub y: Axis,
    /// Series of the chart. Later ones are drawn over earlier ones.
    pub series: Vec<Series>,
    /// True if the chart begins with points instead of lines. A button switches this.
    pub points: bool,
    /// Shaded periods: start and end in units of x, and a label.
    pub shaded: Vec<(f64, f64, String)>,
}

/// An axis of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// Quantity along the axis, such as `latency`.
    pub label: String,
    /// Unit of the values, such as `ms`; empty if they have none.
    pub unit: String,
    /// True if the axis begins logarithmic. Values up to zero are then drawn at the smallest positive value.
    pub log: bool,
}

impl Axis {
    /// Returns a linear axis.
    #[must_use]
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), log: false }
    }

    /// Returns a logarithmic axis.
    #[must_use]
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { log: true, ..Self::linear(label, unit) }
    }
}

/// A series of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Index into [`COLOURS`](super::COLOURS), modulo their number.
    pub colour: usize,
    /// True if the line is dashed.
    pub dashed: bool,
    /// Pairs of x and y in any order. A `None` stands for a lost value and is marked above the chart. Pairs without
    /// finite numbers are left out.
    pub data: Vec<(f64, Option<f64>)>,
}

/// Bars: rows of shares of a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Title of the bars.
    pub title: String,
    /// Value of a bar with the full length.
    pub full: f64,
    /// True if the segments of a row are stacked in one bar. Otherwise each has its own bar.
    pub stacked: bool,
    /// The rows.
    pub rows: Vec<BarRow>,
}

/// A row of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// Label of the row.
    pub label: String,
    /// Segments of the row.
    pub parts: Vec<Segment>,
}

/// A segment in a row of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Name of the segment.
    pub name: String,
    /// Value in the unit of [`Bars::full`].
    pub value: f64,
    /// Value for people, with its unit.
    pub text: String,
    /// Index into [`COLOURS`](super::COLOURS).
    pub colour: usize,
}
