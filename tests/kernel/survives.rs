//! Faults from outside that a script survives: other calls at the same moment, a slow change, a full disk, a script
//! that is replaced while it runs or was cut in transfer, and closed streams.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::Report;

/// A link on this device.
fn link(name: &str, device: &str, rest: &str) -> House {
    let text = format!(
        "name: {name}\nlink: {{ device: {device}, profile: docsis, up: 5mbit, down: 20mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n{rest}  rest: {{ default: true }}\n"
    );
    House::of(name, text.into_bytes())
}

/// The first link, and the same after a change.
fn houses() -> [House; 2] {
    ["", "  bulk: { match: [{ dscp: cs1 }] }\n"].map(|rest| link("survives", "eth0", rest))
}

/// Runs a part of `guest/survives.sh` with the scripts of two links, and of a change of the first.
fn run(part: &str) -> Option<Report> {
    let [house, changed] = houses();
    let guest = house.guest(part).file("other.sh", link("other", "eth9", "").script);
    guest
        .file("changed.sh", changed.script)
        .variable("PART", part)
        .variable("OTHER_WAN", "eth9")
        .run("survives.sh")
}

#[test]
fn two_links_that_stop_at_once_leave_nothing() {
    let Some(report) = run("two_stops") else { return };
    for call in ["start", "stop"] {
        for script in ["router", "other"] {
            report.expect_code(&format!("stops/{call}-{script}.sh"), 0);
        }
    }
    let [before, started] = ["before", "started"].map(|name| report.text(&format!("out/stops/{name}.state")));
    assert_ne!(before, started);
    report.expect_same("out/stops/before.state", "out/stops/after.state");
}

#[test]
fn the_deadline_of_a_trial_counts_from_the_end_of_its_change() {
    let Some(report) = run("slow_try") else { return };
    let [old, new] = houses();
    report.expect_code("slow/try", 0);
    for step in ["try", "status"] {
        assert!(report.out(&format!("slow/{step}")).contains("it goes back in"), "{}", report.about("slow/try"));
    }
    expect_held(&new, &report, "slow/dump");
    expect_held(&old, &report, "slow/back");
}

#[test]
fn a_rollback_waits_for_the_lock_and_for_space() {
    let Some(report) = run("late_rollback") else { return };
    let [old, new] = houses();
    for fault in ["locked", "full"] {
        report.expect_code(&format!("late/try-{fault}"), 0);
        expect_held(&new, &report, &format!("late/tried-{fault}"));
        let said = report.out(&format!("late/status-{fault}"));
        assert!(said.contains("it goes back in 0 s"), "{said}");
        expect_held(&old, &report, &format!("late/back-{fault}"));
        report.expect_code(&format!("late/check-{fault}"), 0);
    }
}
