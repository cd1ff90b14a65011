//! A report as one HTML file that needs nothing else: text, tables, bars, and charts to zoom into.
//!
//! - `parts`: what a page is made of.
//! - `view`: the same as the template wants it: widths of bars, the data of charts as JSON, charts in words.
//! - `html`: all of it into the frame of `templates/page/`.
//!
//! Charts are drawn by uPlot, which every page carries whole (`templates/page/uplot/`), and by a script of ours (`chart.js`). A page is shown from
//! a disk, so it asks the network for nothing, and its policy forbids it. Names come from somebody's file: the template escapes every text, the
//! JSON writes no `<`, and only scripts with the page's own nonce run.
#![expect(clippy::float_arithmetic, reason = "what is drawn was measured, and bars are shares of it")]

mod colour;
mod html;
mod parts;
mod view;

pub use colour::COLOURS;
pub use html::{PageError, html};
pub use parts::{Axis, BarRow, Bars, Cell, Chart, Item, Page, Section, Segment, Series, Table};
