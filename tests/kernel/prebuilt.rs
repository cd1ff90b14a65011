//! Debian's prebuilt `user-mode-linux`, for those who have not built the kernel for virtual time. These few tests are
//! quick. They run in real time, so they assert no times.

use crate::bytes::{ETHERNET, by_classes_on};
use crate::fairness::share_equally_on;
use crate::house::House;
use crate::life_cycle::{expect_held, heals_a_drift, live};
use crate::streams::{Streams, events, unshaped};
use crate::uml::Machine;
use std::path::Path;

/// Streams of two classes in both directions. Their pace is low, so that a busy host keeps it.
const FLOWS: &str = "\
    voice-up lan/192.168.1.10 5004 net/198.51.100.1 3478 10000 200\n\
    voice-down net/198.51.100.1 3478 lan/192.168.1.10 5004 10000 200\n\
    normal-up lan/192.168.1.10 7004 net/198.51.100.1 8004 10000 200\n\
    normal-down net/198.51.100.1 8004 lan/192.168.1.10 7004 10000 200\n";

/// Checks the life of the script of an example, and of the same file with these texts replaced.
fn lives(name: &str, changes: &[(&str, &str)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(format!("{name}.yaml"));
    let mut text = std::fs::read_to_string(file).expect("an example");
    let house = House::of(name, text.clone().into_bytes()).with_calls();
    for (old, new) in changes {
        assert!(text.contains(old), "{name} has no `{old}`");
        text = text.replace(old, new);
    }
    let changed = House::of(name, text.into_bytes());
    let guest = house.guest(name).on(Machine::Uml).file("changed.sh", changed.script.as_str());
    let guest = guest.file("flows", FLOWS).variable("LAN", "br-lan");
    let guest = guest.variable("LINK", &house.model.name.value.to_string());
    let Some(report) = guest.run("prebuilt.sh") else { return };

    live(&house, &report, "dash");
    heals_a_drift(&house, &report);

    report.expect_code("dash/try", 0);
    expect_held(&changed, &report, "dash/tried");
    expect_held(&house, &report, "dash/back-dump");
    report.expect_code("dash/back-check", 0);

    report.expect_code("dash/change", 0);
    expect_held(&changed, &report, "dash/change-dump");
    let streams = Streams::of(&report, "dash");
    assert_eq!(streams.flows.len(), 4, "{streams:?}");
    for (flow, parts) in &streams.flows {
        assert!(parts[&1].sent > 10, "{flow} paused during the change: {parts:?}");
        let whole = parts.values().all(|part| part.lost + part.reordered + part.doubled == 0);
        assert!(whole, "{flow}: {parts:?}");
    }
    let gone = unshaped(&house, &events(&report, "dash"));
    assert!(gone.up.is_empty() && gone.down.is_empty(), "{gone:?}");
}

#[test]
fn the_home_example_lives_and_changes_without_loss() {
    lives(
        "vdsl2-home",
        &[
            ("up: 6.5mbit", "up: 5mbit"),
            ("down: 25mbit", "down: 18mbit"),
            ("priority: 1\n", "priority: 3\n"),
            ("priority: 2\n", "priority: 1\n"),
            ("guarantee: 400kbit", "guarantee: 300kbit"),
        ],
    );
}

#[test]
fn the_smallest_example_lives_and_changes_without_loss() {
    lives("smallest", &[("up: 10mbit", "up: 8mbit"), ("down: 50mbit", "down: 35mbit")]);
}

#[test]
fn packets_are_charged_their_bytes_on_the_line() {
    let profiles = ["ethernet", "vdsl2-pppoe", "adsl-pppoa-vcmux"];
    by_classes_on(Machine::Uml, "prebuilt bytes", ETHERNET, profiles.into_iter());
}

#[test]
fn busy_hosts_behind_nat_share_equally() {
    share_equally_on(Machine::Uml, "prebuilt fairness");
}
