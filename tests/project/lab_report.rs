//! The documents show figures of one run of the lab, which `scripts/comparison` keeps in `tests/measure/page/lab.json`.
//! `QOSC_BLESS=1` copies the report to `docs/lab.md`.

#![cfg(test)]

use serde_json::Value;
use std::path::{Path, PathBuf};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap()
}

/// A situation of the run.
fn situation<'a>(run: &'a Value, load: &str, shaped: bool) -> &'a Value {
    let all = run["situations"].as_array().unwrap();
    all.iter().find(|one| one["load"] == load && one["shaped"] == shaped).unwrap()
}

/// A time as the tables show it.
#[expect(clippy::float_arithmetic, reason = "microseconds become the milliseconds of a table")]
fn time(us: &Value) -> String {
    match us.as_f64() {
        None => "never".to_owned(),
        Some(us) if us >= 1e6 => format!("{:.2} s", us / 1e6),
        Some(us) if us >= 1e5 => format!("{:.0} ms", us / 1e3),
        Some(us) => format!("{:.1} ms", us / 1e3),
    }
}

fn assert_row(document: &str, cells: &[String]) {
    let row = format!("\n| {} |", cells.join(" | "));
    assert!(read(document).contains(&row), "{document} has no row{row}");
}

#[test]
fn the_tables_show_the_kept_run() {
    let run: Value = serde_json::from_str(&read("tests/measure/page/lab.json")).unwrap();
    for (load, name) in [
        ("none", "none"),
        ("upload", "three bulk uploads"),
        ("download", "three bulk downloads"),
        ("flood-up", "UDP flood, upload"),
        ("flood-down", "UDP flood, download"),
    ] {
        let of = |probe: &str, figure: &str, shaped| time(&situation(&run, load, shaped)[probe][figure]);
        let times = [("ping", "p99"), ("fetch", "p50")];
        let times = times.map(|(probe, figure)| [false, true].map(|shaped| of(probe, figure, shaped)));
        assert_row("README.md", &[&[name.to_owned()], times.as_flattened()].concat());
    }
    for (load, way) in [("upload", "up"), ("download", "down")] {
        for (name, shaped) in [("none", false), ("qosc", true)] {
            let one = situation(&run, load, shaped);
            let beside = &one["beside"][0];
            let stream = &one[format!("stream_{way}")];
            let flows = run["flows"].as_array().unwrap().iter();
            let flows = flows.filter(|one| one["way"] == way && one["shaped"] == shaped);
            let share = |value: &Value| format!("{:.0} %", value["share"].as_f64().unwrap() / 1e4);
            let rate = (beside["own"].as_f64().unwrap() + beside["load"].as_f64().unwrap()) / 1e6;
            let lost = 100.0 * stream["lost"].as_f64().unwrap() / stream["sent"].as_f64().unwrap();
            let mut cells = vec![name.to_owned(), time(&one["ping"]["p50"]), time(&one["ping"]["p99"])];
            cells.extend([time(&stream["p99"]), format!("{lost:.1} %"), time(&one["fetch"]["p50"])]);
            cells.extend([format!("{rate:.2} Mbit/s"), share(beside)]);
            cells.extend(flows.map(|one| share(&one["one"])));
            assert_row("docs/comparison.md", &cells);
        }
    }
}

/// `docs/lab.md` shows the report up to the table of the situations, and the table of classes for uploads.
#[test]
fn the_page_of_the_lab_shows_the_kept_run() {
    let text = read(
        "crates/measure/src/lab/snapshots/qosc_measure__lab__human__tests__the_report_matches_the_snapshot.snap",
    );
    let report = text.splitn(3, "---\n").nth(2).unwrap();
    let (situations, rest) = report.split_once("  ping: every").unwrap();
    let (_, classes) = rest.split_once("\nclasses up: ").unwrap();
    let classes = classes.split_once("\n\n").unwrap().0;
    let shown = format!("{situations}...\nclasses up: {classes}\n...\n");
    let page = read("docs/lab.md");
    let (before, after) = page.split_once("```text\n$ qosc lab examples/vdsl2-home.yaml\n").unwrap();
    let (block, _) = after.split_once("```").unwrap();
    if block != shown && std::env::var_os("QOSC_BLESS").is_some() {
        let fresh = after.replacen(block, &shown, 1);
        let fresh = format!("{before}```text\n$ qosc lab examples/vdsl2-home.yaml\n{fresh}");
        std::fs::write(path("docs/lab.md"), fresh).unwrap();
        return;
    }
    assert_eq!(block, shown);
}
