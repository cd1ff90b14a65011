//! Tables of text.

use super::drawn::WIDEST;
use std::fmt::Write as _;

/// A table: the first column is aligned to the left, all others to the right; the first line is the head.
#[must_use]
pub fn table(cells: &[Vec<String>]) -> String {
    let columns = cells.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let widths = cells.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count());
        widths.filter(|width| *width <= WIDEST).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for line in cells {
        let mut text = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _infallible = match column {
                0 => write!(text, "  {cell:width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}
