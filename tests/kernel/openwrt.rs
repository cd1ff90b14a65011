//! A script's whole life with the tools of a stock OpenWrt. `scripts/openwrt-busybox` builds its busybox, and
//! `guest/openwrt.sh` runs the script with this busybox, `tc`, `ip`, `nft` and `modprobe` as the only tools.

use crate::house::House;
use crate::metrics::{expect_every_object, expect_narrow};
use crate::report::Report;
use crate::tools;
use crate::uml::Machine;
use qosc_compiler::tc::Facts;
use std::path::Path;
use std::time::Duration;

/// The script's life for an example, and for the same file after a change.
fn lives(name: &str, (old, new): (&str, &str)) -> Option<Report> {
    if !tools::found(&["openwrt-busybox"]) {
        return None;
    }
    let busybox = tools::kept("openwrt-busybox");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(file).expect("a configuration");
    assert!(text.contains(old), "{name} has no `{old}`");
    let house = House::of(name, text.clone().into_bytes()).with_calls();
    let changed = House::of(name, text.replace(old, new).into_bytes()).with_calls();
    let guest = house
        .guest("openwrt")
        .on(Machine::Virtual)
        .file("changed.sh", changed.script.as_str())
        .variable("BUSYBOX", &busybox.display().to_string())
        .variable("LINK", &house.model.name.value.to_string())
        .limit(Duration::from_secs(1200));
    let report = guest.run("openwrt.sh")?;
    assert_eq!(report.out("ethtool/strange"), "", "these tools are not OpenWrt's");
    for leg in ["ethtool", "none"] {
        lived(&house, &changed, &report, leg);
    }
    Some(report)
}

/// Checks the steps of a leg.
fn lived(house: &House, changed: &House, report: &Report, leg: &str) {
    let step = |name: &str| format!("{leg}/{name}");
    let split_in_leaves = leg == "none";
    let held = |house: &House, name: &str| {
        let facts = Facts { split_in_leaves, ..house.facts() };
        report.expect_code(&step(name), 0);
        let found = crate::observed::parse(&house.program.wan, &house.program.ifb, &report.out(&step(name)));
        let differences = crate::observed::compare(&house.program.on(facts), &found);
        assert!(differences.is_empty(), "{differences:?}\n{}", report.about(&step(name)));
    };
    for (name, code) in [
        ("start", 0),
        ("second", 0),
        ("check", 0),
        ("status", 0),
        ("metrics", 0),
        ("print", 0),
        ("print-changed", 0),
        ("change", 0),
        ("meddle", 0),
        ("check-meddled", 1),
        ("rate", 0),
        ("check-rate", 0),
        ("again", 0),
        ("try", 0),
        ("confirm", 0),
        ("expire", 0),
        ("back-check", 0),
        ("restart", 0),
        ("stop", 0),
        ("check-stopped", 3),
    ] {
        report.expect_code(&step(name), code);
        // A tool that is missing, or that does not know an option, would say so here.
        let said = report.text(&format!("out/{leg}/{name}.err"));
        assert!(!said.contains("not found") && !said.contains("option"), "{}", report.about(&step(name)));
    }
    let start = report.text(&format!("out/{leg}/start.err"));
    assert_eq!(start.contains("ethtool is missing"), split_in_leaves, "{start}");
    expect_narrow(report, &step("status"));
    expect_every_object(house, report, &step("metrics"));
    for name in ["second", "check", "status", "metrics", "confirm", "stop"] {
        let said = report.text(&format!("out/{leg}/{name}.err"));
        assert_eq!(said, "", "{}", report.about(&step(name)));
    }
    for (name, words) in [
        ("second", "up to date"),
        ("print", "up to date"),
        ("print-changed", "tc class change"),
        ("check-meddled", " was changed; `start` mends that"),
        ("check-meddled", "   is: rate 1Mbit ceil 1Mbit "),
        ("rate", "at rate 3mbit up and 12mbit down"),
        ("check-rate", "in place at rate 3mbit up and 12mbit down"),
        ("try", "on trial"),
        ("confirm", "confirmed"),
    ] {
        assert!(report.out(&step(name)).contains(words), "{words}: {}", report.about(&step(name)));
    }
    let lines = report.out(&step("check-meddled")).lines().count();
    assert_eq!(lines, 2, "{}", report.about(&step("check-meddled")));
    for (house, name) in [
        (house, "dump"),
        (changed, "change-dump"),
        (changed, "again-dump"),
        (house, "confirm-dump"),
        (house, "back-dump"),
        (house, "restart-dump"),
    ] {
        held(house, name);
    }
    report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
}

#[test]
fn a_script_lives_on_openwrt() {
    lives("vdsl2-home", ("up: 6.5mbit", "up: 5mbit"));
}

#[test]
fn a_script_with_marks_lives_on_openwrt() {
    let Some(report) = lives("marks", ("up: 20mbit", "up: 15mbit")) else { return };
    for (tool, packages) in [
        ("tc", "tc is missing (Debian: iproute2; OpenWrt: tc-tiny or tc-full)"),
        ("ip", "OpenWrt: kmod-ifb, and ip-tiny or ip-full"),
        ("nft", "(Debian, OpenWrt: nftables)"),
        ("flock", "flock is missing (Debian: util-linux; OpenWrt: busybox or flock)"),
    ] {
        let step = format!("missing/no-{tool}");
        report.expect_code(&step, 1);
        let said = report.text(&format!("out/{step}.err"));
        assert!(said.contains(packages), "no `{packages}`: {}", report.about(&step));
    }
    // The message has the words of the tool itself.
    let said = report.text("out/missing/no-ip.err");
    assert!(said.contains("BusyBox v"), "{said}");
    report.expect_same("out/missing/before.state", "out/missing/after.state");
}
