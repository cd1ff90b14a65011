//! A start that goes wrong: it is refused a step, or killed, after each of the processes that it starts.

use crate::house::House;
use crate::report::Report;
use std::time::Duration;

fn run(name: &str, plan: &str, next: &str) -> Option<(House, Report)> {
    let house = House::case("cells");
    let guest =
        house.guest(name).variable("PLAN", plan).variable("NEXT", next).limit(Duration::from_secs(600));
    let report = guest.run("faults.sh")?;
    report.expect_code("whole/start", 0);
    report.expect_same("out/whole/before.state", "out/whole/after.state");
    Some((house, report))
}

/// Each turn that was taken: how many processes the undisturbed start needs.
fn turns(report: &Report) -> std::ops::RangeInclusive<usize> {
    1..=report.text("out/calls").lines().count()
}

#[test]
fn a_refused_step_leaves_everything_as_it_was() {
    let Some((_, report)) = run("refused", "refuse", "stop") else { return };
    for turn in turns(&report) {
        match report.text(&format!("out/{turn}/start.code")).trim() {
            // Some of what a start asks is only to know.
            "0" => {}
            "1" => {
                report.expect_same("out/whole/before.state", &format!("out/{turn}/refused.state"));
                let said = report.text(&format!("out/{turn}/start.err"));
                assert!(said.contains("error: "), "{}", report.about(&format!("{turn}/start")));
            }
            _ => report.expect_code(&format!("{turn}/start"), 1),
        }
        report.expect_code(&format!("{turn}/stop"), 0);
        report.expect_same("out/whole/before.state", &format!("out/{turn}/after.state"));
    }
}

#[test]
fn a_killed_start_is_mended_by_the_next() {
    let Some((house, report)) = run("killed-start", "kill", "start") else { return };
    for turn in turns(&report) {
        report.expect_code(&format!("{turn}/start"), 137);
        report.expect_code(&format!("{turn}/again"), 0);
        crate::cycle::expect_held(&house, &report, &format!("{turn}/dump"));
        report.expect_code(&format!("{turn}/check"), 0);
        report.expect_code(&format!("{turn}/stop"), 0);
        report.expect_same("out/whole/before.state", &format!("out/{turn}/after.state"));
    }
}

#[test]
fn a_killed_start_is_undone_by_stop() {
    let Some((_, report)) = run("killed-stop", "kill", "stop") else { return };
    for turn in turns(&report) {
        report.expect_code(&format!("{turn}/start"), 137);
        report.expect_code(&format!("{turn}/stop"), 0);
        report.expect_same("out/whole/before.state", &format!("out/{turn}/after.state"));
    }
}
