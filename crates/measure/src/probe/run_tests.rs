//! Tests of complete and damaged run files.

use super::{FORMAT, Loaded, Phase, Run, Series};
use crate::probe::utc;
use qosc_compiler::units::Dscp;

fn run() -> Run {
    let series = |dscp, samples| Series {
        target: "far \"end\"".to_owned(),
        address: "192.0.2.1".to_owned(),
        dscp: Dscp::new(dscp).unwrap(),
        doubles: 0,
        refused: 1,
        samples,
    };
    Run {
        format: FORMAT.to_owned(),
        label: Some("before".to_owned()),
        started: utc(1_769_904_000),
        took_us: 500_000,
        interval_us: 20_000,
        size: 64,
        load: Some(Loaded { command: "iperf3 -c far".to_owned(), began_us: 40_000, ended_us: 100_000 }),
        series: vec![
            series(46, vec![(0, Some(900)), (20_000, None), (40_000, Some(1000)), (100_000, Some(5))]),
            series(0, (0..20).map(|n| (n * 20_000, Some(n))).collect()),
            series(8, Vec::new()),
        ],
    }
}

#[test]
fn a_written_run_is_read_back() {
    let run = run();
    let text = run.json().unwrap();
    assert_eq!(Run::read(&text).as_ref(), Ok(&run));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["series"][0]["dscp"], "ef");
    assert!(text.lines().all(|line| line.len() < 200), "{text}");
    let none = Run { label: None, load: None, series: Vec::new(), ..run };
    assert_eq!(Run::read(&none.json().unwrap()), Ok(none));
}

#[test]
fn a_run_is_exported_as_csv() {
    let csv = run().csv();
    assert!(csv.starts_with("target,address,dscp,sent_us,rtt_us\n\"far \"\"end\"\"\",192.0.2.1,ef,0,900\n"));
    assert!(csv.contains(",ef,20000,\n"), "{csv}");
    assert_eq!(csv.lines().count(), 25);
}

#[test]
fn statistics_are_split_by_the_phases_of_the_load() {
    let run = run();
    let stats = run.stats(&run.series[0]);
    let sent: Vec<_> = stats.iter().map(|(phase, stats)| (phase.unwrap(), stats.sent, stats.lost)).collect();
    assert_eq!(sent, [(Phase::Before, 2, 1), (Phase::Load, 1, 0), (Phase::After, 1, 0)]);
    let whole = Run { load: None, ..run };
    assert_eq!(
        whole.stats(&whole.series[0]).iter().map(|(phase, s)| (*phase, s.sent)).collect::<Vec<_>>(),
        [(None, 4)]
    );
}

#[test]
fn a_damaged_run_is_rejected_with_the_reason() {
    let text = run().json().unwrap();
    let said = |text: &str| Run::read(text).unwrap_err();
    assert_eq!(said(text.get(..text.len() / 2).unwrap()), "it is cut off: its end is missing");
    assert_eq!(said("\n"), "it is empty");
    let none =
        "it is not a run: it lacks `\"format\": \"qosc-run 1\"`; `qosc ping -o RUN.json TARGET` writes runs";
    for other in ["[]", "{}", "{\"format\": 1}", "{\"format\": \"x\"}", "name: home\n"] {
        assert_eq!(said(other), none);
    }
    assert_eq!(said("{name: home}"), "line 1, column 2: this is not JSON");
    assert_eq!(
        said(&text.replace("qosc-run 1", "qosc-run 2")),
        "it has the format `qosc-run 2`, but this version reads `qosc-run 1`: a newer version wrote it"
    );
    assert!(said(&text.replace("\"size\": 64,", "")).ends_with(": `size` is missing"));
    assert!(said(&text.replace("64,", "-64,")).ends_with(": `-64` is not allowed here"));
    assert!(said(&text.replace("64,", "\"x\",")).ends_with(": the text \"x\" is not allowed here"));
    assert!(said(&text.replace("\"ef\"", "\"eff\"")).ends_with(": `eff` is not allowed here"));
    assert!(
        said(&text.replace("[20000, null]", "[20000]"))
            .ends_with(": a sample is a pair, such as `[20000, 12345]`")
    );
    assert!(said(&text.replace("40000,\n", "null,\n")).ends_with(": `null` is not allowed here"));
    assert_eq!(
        said(&text.replace("[20000, null]", "[50000, null]")),
        "the samples of `far \"end\"` with ef are not in chronological order at 40000 µs"
    );
}
