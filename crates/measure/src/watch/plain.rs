//! The view as lines, for pipes and logs.

use super::cells::{EMPTY, HEADS, NO_LINK, cells, elapsed, name, title};
use super::history::{Table, View};
use std::fmt::Write as _;

/// Widths of the columns after the name.
const WIDTHS: [usize; 6] = [10, 10, 6, 7, 11, 8];

/// Returns a view as a block of lines, with an empty line at its end.
#[must_use]
pub fn plain(view: &View) -> String {
    let mut out = String::new();
    let time = elapsed(view).unwrap_or_else(|| "the first sample".to_owned());
    for link in &view.links {
        for table in &link.tables {
            let _infallible = writeln!(out, "{}: {}, {time}", link.name, title(table));
            lines(&mut out, table);
        }
    }
    if view.links.is_empty() {
        let _infallible = writeln!(out, "{NO_LINK}");
    }
    out.push('\n');
    out
}

fn lines(out: &mut String, table: &Table) {
    if table.rows.is_empty() {
        let _infallible = writeln!(out, "  {EMPTY}");
        return;
    }
    let names: Vec<String> = table.rows.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().max("class".len());
    write_row(out, "class", width, &HEADS);
    for (row, name) in table.rows.iter().zip(&names) {
        write_row(out, name, width, &cells(row));
    }
}

fn write_row(out: &mut String, name: &str, width: usize, cells: &[impl AsRef<str>]) {
    let _infallible = write!(out, "  {name:width$}");
    for (cell, width) in cells.iter().zip(WIDTHS) {
        let _infallible = write!(out, " {:>width$}", cell.as_ref());
    }
    out.push('\n');
}
