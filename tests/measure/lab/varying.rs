//! `qosc lab --trace`: methods of shaping on a line whose rate changes.

use super::{json, kernel, lab, said};

/// On a line that falls to half of its rate, only the lowest rate and the rate of the moment keep the delay low. The
/// lowest rate gives the rest away.
#[test]
fn methods_are_compared_on_a_line_that_changes() {
    let Some(kernel) = kernel() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (trace, page) = (path("a.trace"), path("page.html"));
    std::fs::write(&trace, "0 6mbit 16mbit\n3 3mbit 7mbit\n6 6mbit 16mbit\n9 end\n").expect("a file");
    let output = lab(&kernel, "tests/traces/line.yaml", &["--trace", &trace, "--html", &page]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = json(&output);
    assert_eq!(report["steps"][1], serde_json::json!([3_000_000, [3_000_000, 7_000_000]]));
    let runs = report["runs"].as_array().expect("runs");
    for load in ["download", "upload"] {
        let figure = |method: &str, figure: &str| {
            let run = runs.iter().find(|run| run["method"] == method && run["load"] == load);
            run.and_then(|run| run[figure].as_u64()).unwrap_or_else(|| panic!("{method} {load} {figure}"))
        };
        for method in ["none", "lower", "mean", "oracle", "autorate", "follow"] {
            let [rate, late] = ["rate", "late"].map(|name| figure(method, name));
            eprintln!("{load}, {method}: {rate} bit/s, {late} millionths of the pings over 30 ms");
        }
        assert!(figure("none", "late") > 700_000);
        assert!(figure("lower", "late") < 10_000);
        assert!(figure("oracle", "rate") > figure("lower", "rate") * 5 / 4);
        assert!(figure("mean", "late") > 4 * figure("oracle", "late").max(10_000));
        assert!(figure("autorate", "rate") > figure("lower", "rate") * 11 / 10);
        assert_eq!(figure("oracle", "share"), 1_000_000);
        // It begins at the lower bound of the file, and nine seconds are short.
        assert!(figure("follow", "rate") > figure("lower", "rate") * 9 / 10);
        assert!(figure("follow", "late") * 3 < figure("autorate", "late"));
    }
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains("Four bulk uploads"));
}
