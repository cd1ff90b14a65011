//! The waits that `explain` states, beside those of packets in the lab.

use super::{json, kernel, lab, said};
use qosc_compiler::units::Micros;
use serde_json::Value;
use std::process::Command;

/// The value of a row of `explain`, if there is one.
fn explained(file: &str) -> impl Fn(&str) -> Option<u64> {
    let output = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["explain", file, "--format", "json"])
        .output()
        .expect("qosc runs");
    let report = json(&output);
    move |id| {
        let sections = report["sections"].as_array().expect("sections").iter();
        let mut rows = sections.flat_map(|section| section["rows"].as_array().expect("rows"));
        let row = rows.find(|row| row["id"] == id)?;
        Some(row["value"].as_str()?.parse::<Micros>().expect("a time").us())
    }
}

/// While any other class is full, no packet waits longer than its class's longest wait, and some wait nearly as long.
#[test]
fn no_packet_waits_longer_than_explained() {
    let Some(kernel) = kernel() else { return };
    let mut compared = 0;
    for name in ["adsl-pppoa", "lte", "uk-fttc", "vdsl2-home"] {
        let file = format!("examples/{name}.yaml");
        let wait = explained(&file);
        let output = lab(&kernel, &file, &["--only", "classes"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let report = json(&output);
        let classes = report["classes"].as_array().expect("classes");
        // Bursts of TCP wait at the provider, where no shaper prevents that.
        let bursts = |way: &Value| {
            *way == "down" && classes.iter().any(|row| row["way"] == *way && row["by"] != "stream")
        };
        let idle = report["line"]["rtt"].as_u64().expect("a time") / 2;
        for row in classes.iter().filter(|row| !bursts(&row["way"])) {
            let [class, way] = ["class", "way"].map(|key| row[key].as_str().expect("a name"));
            let Some(wait) = wait(&format!("class.{class}.{way}.wait")) else { continue };
            let beside = row["beside"].as_array().expect("results").iter();
            let took = beside.map(|one| one[1]["p99"].as_u64().expect("a time")).max().expect("a full class");
            let measured = took - idle;
            eprintln!("{name}: class {class} {way}: longest wait {wait} us, p99 {measured} us");
            assert!(measured <= wait && wait < 10 * measured, "{name} {class} {way}: {measured}, not {wait}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "only {compared} waits");
}
