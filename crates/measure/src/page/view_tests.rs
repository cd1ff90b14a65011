//! Tests of the template's input.

use super::{Axis, Bars, Chart, Segment, Series, bars, chart, width};
use crate::page::BarRow;
use serde_json::{Value, json};

fn of(series: Vec<Series>, shaded: Vec<(f64, f64, String)>) -> Value {
    let (x, y) = (Axis::linear("time", "s"), Axis::linear("latency", "ms"));
    let one = Chart { title: "Ping".into(), x, y, series, points: true, shaded };
    serde_json::to_value(chart(&one).expect("a chart")).expect("JSON")
}

fn series(data: Vec<(f64, Option<f64>)>) -> Series {
    Series { name: "a <b>".into(), colour: 10, dashed: false, data }
}

#[test]
fn values_are_sorted_and_invalid_numbers_dropped() {
    let data = vec![
        (3.0, Some(1.0)),
        (1.0, None),
        (f64::NAN, Some(1.0)),
        (2.0, Some(f64::INFINITY)),
        (1.0, Some(4.0)),
    ];
    let view = of(vec![series(data)], vec![(1.0, 2.0, "load".into()), (2.0, 2.0, "none".into())]);
    let data = view["data"].as_str().expect("text");
    assert!(!data.contains('<'));
    let data: Value = serde_json::from_str(data).expect("JSON");
    let expected = json!([{ "name": "a <b>", "colour": 2, "dashed": false, "x": [1.0, 1.0, 3.0], "y": [null, 4.0, 1.0] }]);
    assert_eq!(data["series"], expected);
    assert_eq!(data["shaded"], json!([[1.0, 2.0, "load"]]));
}

#[test]
fn a_chart_has_a_description_in_words() {
    let view = of(
        vec![series(vec![(1.0, None), (2.0, Some(2.00049)), (3.0, Some(9.5))]), series(Vec::new())],
        Vec::new(),
    );
    let description =
        "Ping. latency, ms over time, s. a <b>: 2 values from 2 to 9.5, 1 lost. a <b>: 0 values.";
    assert_eq!(view["description"], description);
}

#[test]
fn bars_stay_within_their_track() {
    let widths =
        [(0.0, 10.0), (2.5, 10.0), (11.0, 10.0), (-1.0, 10.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, 0.0)];
    let widths = widths.map(|(value, full)| width(value, full));
    assert_eq!(widths, ["0.00%", "25.00%", "100.00%", "0.00%", "0.00%", "0.00%", "0.00%"]);
}

#[test]
fn parts_are_stacked_or_have_a_track_each() {
    let part = |colour| Segment { name: "a".into(), value: 5.0, text: "5 %".into(), colour };
    let rows = vec![BarRow { label: "all".into(), parts: vec![part(0), part(9)] }];
    let tracks = |stacked| {
        let all = Bars { title: "Shares".into(), full: 10.0, stacked, rows: rows.clone() };
        serde_json::to_value(bars(&all)).expect("JSON")["rows"][0]["tracks"].clone()
    };
    let bar = |colour| json!({ "colour": colour, "width": "50.00%" });
    assert_eq!(tracks(true), json!([[bar(0), bar(1)]]));
    assert_eq!(tracks(false), json!([[bar(0)], [bar(1)]]));
}
