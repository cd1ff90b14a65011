//! Starts and changes while the file system of the records is nearly full. They succeed, or they change nothing.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::kills::{guest_for, pair};
use crate::streams::expect_exactly;

/// The kilobytes that are free, from one page to more than enough.
const SIZES: [u32; 16] = [4, 8, 16, 28, 44, 60, 76, 84, 96, 108, 132, 164, 204, 260, 340, 800];

fn run(what: &'static str) {
    let (a, b) = pair();
    let sizes: Vec<String> = SIZES.iter().map(u32::to_string).collect();
    let guest = guest_for(&a, &format!("full-disk-{what}"));
    let guest = guest.file("a.sh", a.script.as_str()).file("b.sh", b.script.as_str());
    let guest = guest.variable("WHAT", what).variable("SIZES", &sizes.join(" "));
    let Some(report) = guest.run("full_disk.sh") else { return };
    let mut refused = Vec::new();
    for size in &sizes {
        let step = format!("{size}/start");
        let started = report.text(&format!("out/{step}.code")).trim() == "0";
        if started {
            expect_exactly(&b, &report, &step);
            report.expect_code(&format!("{size}/check"), 0);
        } else {
            report.expect_code(&step, 1);
            let said = report.text(&format!("out/{step}.err"));
            assert!(said.contains("space") && !said.contains("No space left"), "{size}: {said}");
            refused.push(size.as_str());
            if what == "start" {
                report.expect_same("out/whole/before.glance", &format!("out/{step}.glance"));
                report.expect_code(&format!("{size}/check"), 3);
                assert_eq!(report.out(&format!("{size}/files")).trim(), "filler");
            } else {
                expect_exactly(&a, &report, &step);
                report.expect_code(&format!("{size}/check"), 0);
            }
        }
        report.expect_code(&format!("{size}/ping"), 0);
        report.expect_code(&format!("{size}/stop"), 0);
        report.expect_same("out/whole/before.glance", &format!("out/{size}/stop.glance"));
    }
    eprintln!("{}: refused with {} kB free", report.name(), refused.join(", "));
    assert!(!refused.is_empty() && refused.len() < sizes.len(), "{refused:?}");
}

#[test]
fn a_start_succeeds_or_changes_nothing() {
    run("start");
}

#[test]
fn a_change_succeeds_or_changes_nothing() {
    run("change");
}
