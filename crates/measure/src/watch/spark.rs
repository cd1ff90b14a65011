//! Past rates as a small chart. The full height is the rate of the whole direction, so classes can be compared.

use super::history::{ClassHistory, KEPT};
use qosc_compiler::units::Rate;
use std::fmt::Write as _;

/// Width and height of the picture in pixels.
pub(super) const SIZE: (usize, usize) = (240, 28);

/// Returns the rate for the full height: that of the direction, or the largest of the row.
fn top(row: &ClassHistory, full: Option<Rate>) -> u64 {
    let most = row.past.iter().flatten().map(|rate| rate.bps()).max().unwrap_or_default();
    full.map_or(most, Rate::bps).max(1)
}

/// Returns `of` times the share of a rate, rounded up: any traffic is visible.
fn share(rate: Rate, top: u64, of: usize) -> usize {
    let of_wide = u128::try_from(of).unwrap_or_default();
    let share = (u128::from(rate.bps()) * of_wide).div_ceil(u128::from(top));
    usize::try_from(share).map_or(of, |share| share.min(of))
}

/// Returns the past rates as an SVG picture of [`SIZE`]. A gap is a sample without a rate.
pub(super) fn svg(row: &ClassHistory, full: Option<Rate>, description: &str) -> String {
    let (width, height) = SIZE;
    let top = top(row, full);
    let first = KEPT.saturating_sub(row.past.len());
    let mut lines: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for (at, rate) in row.past.iter().enumerate() {
        let x = (first + at) * width / KEPT.saturating_sub(1).max(1);
        match (rate, lines.last_mut()) {
            (Some(rate), Some(line)) => line.push((x.min(width), height - share(*rate, top, height - 2) - 1)),
            (None, Some(line)) if line.is_empty() => {}
            (None | Some(_), _) => lines.push(Vec::new()),
        }
    }
    let mut out = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        qosc_compiler::xml::escaped(description)
    );
    let ground = height - 1;
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let points: Vec<String> = line.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let (left, right) = (line.first().map_or(0, |p| p.0), line.last().map_or(0, |p| p.0));
        let points = points.join(" ");
        let _infallible = write!(
            out,
            "<polygon points=\"{left},{ground} {points} {right},{ground}\"/><polyline points=\"{points}\"/>"
        );
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
#[path = "spark_tests.rs"]
mod tests;
