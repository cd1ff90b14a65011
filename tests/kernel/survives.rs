//! Faults from outside that a script survives: other calls at the same moment, a slow change, a full disk, a script
//! that is replaced while it runs or was cut in transfer, and closed streams.

use crate::house::House;
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

/// Runs a part of `guest/survives.sh` with the scripts of two links, and of a change of the first.
fn run(part: &str) -> Option<Report> {
    let house = link("survives", "eth0", "");
    let changed = link("survives", "eth0", "  bulk: { match: [{ dscp: cs1 }] }\n");
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
