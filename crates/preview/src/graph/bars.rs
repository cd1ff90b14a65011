//! Bar of a row in one direction.

use super::drawing::{Cell, DirectionDrawing};
use super::paint::{Paint, Tenths};
use super::words;
use crate::live::Seen;
use qosc_compiler::units::Rate;

/// Length in pixels of a bar for the full rate of a direction, and the height of a bar.
pub(super) const LENGTH: usize = 304;
pub(super) const HEIGHT: usize = 12;

/// Pixels between lines of text, and from a bar's upper edge to the first line below it.
pub(super) const LINE: usize = 16;
const BELOW: usize = HEIGHT + 15;

/// Length of a bar: linear, `LENGTH x rate / whole`, with at least one pixel so that every bar is visible.
pub(super) fn length(rate: Rate, whole: Rate) -> Tenths {
    let full = LENGTH * 10;
    let share = (u128::from(rate.bps()) * full as u128).checked_div(u128::from(whole.bps())).unwrap_or(0);
    Tenths(usize::try_from(share).unwrap_or(full).clamp(10, full))
}

/// Returns the lines below a bar: the configured values and the counted ones.
pub(super) fn lines(cell: &Cell, seen: Option<&Seen>) -> (Vec<String>, Vec<String>) {
    let said = words::cell(cell).join(", ");
    let wrapped = if said.is_empty() { Vec::new() } else { words::wrapped(&said, 12, LENGTH) };
    (wrapped, seen.map(|seen| words::seen(seen, cell)).unwrap_or_default())
}

pub(super) const fn has_bar(cell: &Cell) -> bool {
    matches!(cell, Cell::Rates { .. } | Cell::Tin { .. })
}

/// Returns the pixels from a cell's upper edge to its first line.
const fn below(cell: &Cell) -> usize {
    if has_bar(cell) { BELOW } else { HEIGHT - 2 }
}

/// Returns the height of a cell in pixels.
pub(super) fn height(cell: &Cell, seen: Option<&Seen>) -> usize {
    if *cell == Cell::Empty {
        return 0;
    }
    let (said, counted) = lines(cell, seen);
    below(cell) + LINE * (said.len() + counted.len()).saturating_sub(1)
}

/// Returns the measured rate, if it is above 0 and the cell has a bar to show it in.
fn measured(cell: &Cell, seen: Option<&Seen>) -> Option<Rate> {
    let rate = seen.filter(|_| has_bar(cell))?.rate?;
    (rate.bps() > 0).then_some(rate)
}

/// Draws lines behind a bar, at each quarter of the direction's rate. They end above the text below the bar.
pub(super) fn grid(paint: &mut Paint, (x, y): (usize, usize)) {
    let quarters = (0..=4).map(|quarter| format!("M{} {}v{}", x + LENGTH * quarter / 4, y - 3, HEIGHT + 5));
    paint.path(&quarters.collect::<String>(), "grid");
}

/// Draws a cell; `at` is its upper left corner.
pub(super) fn draw(
    paint: &mut Paint,
    at: (usize, usize),
    direction: &DirectionDrawing,
    cell: &Cell,
    seen: Option<&Seen>,
) {
    let (x, y) = at;
    let class = direction.direction.as_str();
    let bar = match cell {
        Cell::Empty => return,
        Cell::Rates { guarantee, ceiling, .. } => Some((*guarantee, *ceiling)),
        Cell::Tin { threshold, .. } => Some((*threshold, Some(direction.tree))),
        Cell::NoTin => None,
    };
    if let Some((filled, ceiling)) = bar {
        grid(paint, at);
        if let Some(ceiling) = ceiling {
            paint.rect(at, (length(ceiling, direction.shaped), HEIGHT), &format!("{class}-ceil"));
        }
        paint.rect(at, (length(filled, direction.shaped), HEIGHT), class);
    }
    if let Some(rate) = measured(cell, seen) {
        paint.rect((x, y + HEIGHT / 2 - 2), (length(rate, direction.shaped), 4), "now");
    }
    let (said, counted) = lines(cell, seen);
    let all = said.iter().map(|line| (line, "soft")).chain(counted.iter().map(|line| (line, "seen")));
    for (n, (line, class)) in all.enumerate() {
        paint.text((x, y + below(cell) + LINE * n), class, line);
    }
}
