//! The rates in a report of the lab, compared with what the line carries.

use super::home;
use serde_json::Value;

/// Checks that no rate of a report on the example exceeds the data that the line carries. In any period, one more packet
/// than in the long run can arrive.
pub(super) fn assert_within_the_line(report: &Value) {
    // Bytes of a full packet, of its overhead on the line, of the headers of TCP with timestamps, and of those of UDP.
    let (full, overhead, tcp, udp) = (1492, 30, 52, 28);
    let number = |value: &Value| value.as_u64().expect("a number");
    let check = |what: &str, way: &str, headers: u64, ms: u64, rate: u64| {
        let most = number(&report["line"][way]) * (full - headers) / (full + overhead);
        let most = most + full * 8_000 / ms;
        assert!(rate <= most, "{what} {way}: {rate} bit/s of data on a line that carries {most}");
    };
    let list = |value: &'_ Value| value.as_array().expect("a list").clone();
    for one in list(&report["situations"]) {
        let load = one["load"].as_str().expect("a load");
        let headers = if load.starts_with("flood") { udp } else { tcp };
        for (beside, window) in list(&one["beside"]).iter().zip(list(&one["course"]["beside"])) {
            let ms = number(&window["to"]) - number(&window["from"]);
            let way = beside["way"].as_str().expect("a direction");
            check(load, way, headers, ms, number(&beside["own"]) + number(&beside["load"]));
        }
        let ms = number(&one["course"]["step"]);
        for way in ["up", "down"] {
            let names = [format!("beside-{way}"), "load".to_owned()];
            let names = &names[..if load.contains(way) { 2 } else { 1 }];
            let mut steps: Vec<u64> = Vec::new();
            for flow in list(&one["course"]["rates"]) {
                if names.iter().any(|name| flow[0] == name.as_str()) {
                    let rates = list(&flow[1]);
                    steps.resize(rates.len(), 0);
                    steps.iter_mut().zip(&rates).for_each(|(sum, rate)| *sum += number(rate));
                }
            }
            steps.iter().for_each(|rate| check(load, way, headers, ms, *rate));
        }
    }
    for one in list(&report["flows"]) {
        let sum = number(&one["one"]["own"]) + number(&one["one"]["load"]);
        check("flows", one["way"].as_str().expect("a direction"), tcp, 5_000, sum);
    }
    for one in list(&report["small"]) {
        let way = one["way"].as_str().expect("a direction");
        let most = number(&report["line"][way]) / 8 / (64 + overhead) + 1;
        let came = number(&one["came"]);
        assert!(came <= most.min(number(&one["sent"]) + 1), "{one}: at most {most} packets per second");
    }
}

/// Without a script, many packets are lost. Receivers release the data behind a lost packet later and all at once.
#[test]
fn no_rate_exceeds_the_line() {
    let kept = include_str!("../page/lab.json");
    assert_within_the_line(&serde_json::from_str(kept).expect("a report"));
    let Some(report) = home() else { return };
    assert_within_the_line(report);
}
