//! Report as one HTML file that needs no other file: text, tables, bars, and charts to zoom into.
//!
//! - `parts`: elements of a page.
//! - `view`: the same elements for the template, with widths of bars, chart data as JSON, and charts in words.
//! - `html`: the frame of `templates/page/`, filled with the view.
//!
//! uPlot draws the charts. Every page contains all of it (`templates/page/uplot/`) and a script of ours (`chart.js`).
//!
//! A page is opened from a disk, so it makes no network requests, and its content security policy forbids them. Names
//! come from the user's file. The template therefore escapes every text, the JSON has no `<`, and only scripts with the
//! page's own nonce run.
#![expect(clippy::float_arithmetic, reason = "what is drawn was measured, and bars are shares of it")]

mod colour;
mod html;
mod parts;
mod view;

pub use colour::{COLOURS, WITH_SCRIPT, WITHOUT_SCRIPT};
pub use html::html;
pub use parts::{Axis, BarRow, Bars, Cell, Chart, Item, Page, PageSection, Segment, Series, Table};
