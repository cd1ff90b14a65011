use super::svg;
use crate::watch::history::ClassHistory;
use qosc_compiler::units::Rate;

fn row(rates: &[Option<u64>]) -> ClassHistory {
    ClassHistory {
        past: rates.iter().map(|rate| rate.map(Rate::from_bps)).collect(),
        ..ClassHistory::default()
    }
}

#[test]
fn a_sample_without_a_rate_is_a_gap() {
    let text = svg(&row(&[Some(1), Some(2), None, Some(3)]), Some(Rate::from_bps(4)), "a < b");
    assert_eq!(text.matches("<polyline").count(), 2, "{text}");
    assert!(text.contains("aria-label=\"a &lt; b\""), "{text}");
    roxmltree::Document::parse(&text).unwrap();
}

#[test]
fn the_points_stay_within_the_picture() {
    let rates: Vec<Option<u64>> = (0..super::KEPT as u64).map(|n| Some(n * 1_000)).collect();
    let text = svg(&row(&rates), Some(Rate::from_bps(10_000)), "");
    let document = roxmltree::Document::parse(&text).unwrap();
    let points = document.descendants().find_map(|node| node.attribute("points")).unwrap();
    for point in points.split(' ') {
        let (x, y) = point.split_once(',').unwrap();
        let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
        assert!(x <= super::SIZE.0 && y <= super::SIZE.1, "{point}");
    }
    assert!(points.ends_with(&format!("{},{}", super::SIZE.0, super::SIZE.1 - 1)), "{points}");
}
