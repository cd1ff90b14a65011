//! Reduction of marks: points on the same pixels are drawn once.

use super::axis::Axis;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Largest number of round trips in a column of pixels that are drawn one by one. Otherwise only the extremes are
/// drawn.
pub(super) const CROWD: usize = 4;

/// A point of a series: horizontal value, and round trip; `None` if it was lost.
pub(super) type Point = (f64, Option<f64>);

/// Returns a path through the points, interrupted at lost ones. A crowded column of pixels has only the smallest and
/// the largest value, so every peak stays visible.
pub(super) fn path(points: &[Point], x: &Axis, y: &Axis) -> String {
    let mut path = String::new();
    let mut pen_is_down = false;
    for column in columns(points, x) {
        let crowded: Vec<Point> = if column.len() > CROWD { extremes(column) } else { column.to_vec() };
        for (along, value) in crowded {
            let Some(value) = value else {
                pen_is_down = false;
                continue;
            };
            let to = if pen_is_down { 'L' } else { 'M' };
            let _ = write!(path, "{to}{:.1} {:.1}", x.within(along), y.within(value));
            // a dot, because the point may be between two lost ones
            if !pen_is_down {
                path.push_str("h.01");
            }
            pen_is_down = true;
        }
    }
    path
}

/// Groups the points by columns of pixels.
fn columns<'a>(points: &'a [Point], x: &Axis) -> impl Iterator<Item = &'a [Point]> {
    let x = *x;
    points.chunk_by(move |one, next| x.at(one.0).floor() as i64 == x.at(next.0).floor() as i64)
}

/// Returns the smallest and the largest point of a column in the order of time, or a gap if all are lost.
pub(super) fn extremes(column: &[Point]) -> Vec<Point> {
    let answered = || column.iter().filter_map(|(along, value)| Some((*along, (*value)?)));
    let least = answered().min_by(|a, b| a.1.total_cmp(&b.1));
    let most = answered().max_by(|a, b| a.1.total_cmp(&b.1));
    match (least, most) {
        (Some(least), Some(most)) => {
            let (first, second) = if least.0 <= most.0 { (least, most) } else { (most, least) };
            [first, second].map(|(along, value)| (along, Some(value))).to_vec()
        }
        _ => column.iter().take(1).copied().collect(),
    }
}

/// Returns a dot for each point; points on the same pixel share a dot.
pub(super) fn dots(points: &[Point], x: &Axis, y: &Axis) -> String {
    let place = |(along, value): &Point| {
        value.map(|value| (x.within(*along).round() as i64, y.within(value).round() as i64))
    };
    let places: BTreeSet<(i64, i64)> = points.iter().filter_map(place).collect();
    let mut path = String::new();
    for (x, y) in places {
        let _ = write!(path, "M{x} {y}h.01");
    }
    path
}

/// Returns a stroke down from `top` for each lost point; those in the same column of pixels share a stroke.
pub(super) fn lost(points: &[Point], x: &Axis, top: f64) -> String {
    let place = |(along, value): &Point| value.is_none().then(|| x.within(*along).round() as i64);
    let places: BTreeSet<i64> = points.iter().filter_map(place).collect();
    let mut path = String::new();
    for x in places {
        let _ = write!(path, "M{x} {top:.1}v5");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::{Axis, Point, dots, lost, path};

    const X: Axis = Axis { from: 0.0, to: 100.0, start: 0.0, end: 100.0, is_log: false };
    const Y: Axis = Axis { from: 0.0, to: 100.0, start: 100.0, end: 0.0, is_log: false };

    #[test]
    fn lines_break_at_lost_packets() {
        let points = [(0.0, Some(10.0)), (10.0, Some(20.0)), (20.0, None), (30.0, Some(30.0)), (40.0, None)];
        assert_eq!(path(&points, &X, &Y), "M0.0 90.0h.01L10.0 80.0M30.0 70.0h.01");
        assert_eq!(lost(&points, &X, 5.0), "M20 5.0v5M40 5.0v5");
        assert_eq!(dots(&points, &X, &Y), "M0 90h.01M10 80h.01M30 70h.01");
    }

    /// The picture of a million points is no larger than its pixels require, and the single peak stays visible.
    #[test]
    fn a_million_points_give_a_small_picture() {
        let value = |n: u32| if n == 777_777 { 99.0 } else { f64::from(n % 7) };
        let points: Vec<Point> = (0..1_000_000)
            .map(|n| (f64::from(n) / 10_000.0, if n % 1000 == 5 { None } else { Some(value(n)) }))
            .collect();
        let drawn = path(&points, &X, &Y);
        assert!(drawn.len() < 10_000, "{}", drawn.len());
        assert!(drawn.contains(" 1.0"), "the peak");
        let dots = dots(&points, &X, &Y);
        assert!(dots.len() < 20_000, "{}", dots.len());
        assert!(dots.contains("M78 1h"), "the peak");
        assert!(lost(&points, &X, 0.0).len() < 2000);
    }
}
