//! The files of `install-files`, run by the programs that run them on a router. pppd runs Debian's ip-up, and run-parts is
//! called as by ifupdown. A sandbox is like that of the systemd unit.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::report::{Report, uptime};
use crate::uml::{Guest, Machine};
use std::process::Command;

/// A link and the files for these systems.
fn with_files(house: &House, yaml: &str, systems: &str, name: &str) -> Guest {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("home.yaml");
    std::fs::write(&file, yaml).expect("a file");
    let tree = dir.path().join("tree");
    let run = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .arg("install-files")
        .arg(&file)
        .args(["--system", systems, "-o"])
        .arg(&tree)
        .output()
        .expect("qosc runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let tar = Command::new("tar").arg("-C").arg(&tree).args(["-cf", "-", "."]).output().expect("tar runs");
    house.guest(name).file("files.tar", tar.stdout)
}

/// A configuration for a device.
fn yaml(device: &str, profile: &str) -> String {
    format!(
        "name: home\nlink: {{ device: {device}, profile: {profile}, up: 10mbit, down: 50mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ priority: 0, guarantee: 10%, match: [{{ protocol: udp, remote_port: 5060 }}] }}\n  \
         rest: {{ default: true }}\n"
    )
}

/// The numbers of the ifb and of the WAN device.
fn indexes(report: &Report, leg: &str) -> Vec<String> {
    report.out(&format!("{leg}/index")).lines().map(str::to_owned).collect()
}

#[test]
fn pppd_starts_and_stops_the_shaping_of_its_sessions() {
    let yaml = yaml("ppp0", "vdsl2-pppoe");
    let house = House::of("home", yaml.clone().into_bytes());
    let guest = with_files(&house, &yaml, "ppp", "hooks of pppd");
    let Some(report) = guest.run("install_ppp.sh") else { return };
    for leg in ["boot", "redial", "again", "later"] {
        report.expect_code(&format!("{leg}/check"), 0);
    }
    // pppd dials again, or another pppd does at once: the WAN device is new, and the ifb stays.
    let index = indexes(&report, "boot");
    for leg in ["redial", "again"] {
        let now = indexes(&report, leg);
        assert_eq!(now[0], index[0], "{leg}: the ifb is another one");
        assert_ne!(now[1], index[1], "{leg}: the session is the same");
    }
    report.expect_code("removed/check", 3);
    report.expect_same("out/before/all.state", "out/removed/all.state");
    report.expect_code("uninstalled/uninstall", 0);
    report.expect_code("uninstalled/left", 1);
    assert_eq!(report.text("out/log"), "", "nothing went wrong");
}

#[test]
fn a_renamed_device_keeps_its_shaping_until_the_unit_stops() {
    let yaml = yaml("eth0", "docsis");
    let house = House::of("home", yaml.clone().into_bytes());
    let guest = with_files(&house, &yaml, "debian", "hooks and a renamed device");
    let Some(report) = guest.run("install_rename.sh") else { return };
    report.expect_code("hooks/started", 0);
    // The old name means no device, and neither hook touches the renamed one.
    report.expect_code("hooks/renamed", 1);
    report.expect_code("hooks/down", 1);
    // The call of the unit knows the device by its number.
    report.expect_code("hooks/stop", 0);
    report.expect_code("hooks/stopped", 3);
    assert_eq!(report.out("hooks/qdisc").trim(), report.out("hooks/qdisc-before").trim());
}

#[test]
fn a_storm_of_events_builds_once() {
    let yaml = yaml("eth0", "docsis");
    let house = House::of("home", yaml.clone().into_bytes());
    let guest = with_files(&house, &yaml, "debian", "a storm of events").on(Machine::Uml);
    let Some(report) = guest.run("install_storm.sh") else { return };
    report.expect_code("first/check", 0);
    report.expect_silence("storm/events");
    report.expect_same("out/first/index.out", "out/storm/index.out");
    report.expect_code("storm/check", 0);
    let took = |file: &str| {
        let text = report.text(&format!("out/{file}.took"));
        let (from, to) = text.trim().split_once(' ').expect("two times");
        uptime(to) - uptime(from)
    };
    let (first, rest) = (took("first"), took("storm"));
    eprintln!(
        "100 events: the first builds in {first} hundredths of a second; the other 99 do nothing in {rest}, \
         which is {} % of the first for each",
        rest * 100 / 99 / first.max(1)
    );
    // Events at the same time wait for each other, and one of them builds.
    report.expect_code("together/check", 0);
    assert_eq!(report.text("out/together/builds").trim(), "1", "{}", report.console());
    assert_eq!(report.text("out/log"), "", "nothing went wrong");
}

/// The unit has one capability, cannot write below `/proc/sys` or anywhere else but in `/run/qosc`, and sees no modules.
#[test]
fn the_script_works_with_what_the_unit_leaves_it() {
    let yaml = yaml("eth0", "docsis");
    let house = House::of("home", yaml.clone().into_bytes());
    let guest = with_files(&house, &yaml, "systemd", "the sandbox of the unit").on(Machine::Uml);
    let Some(report) = guest.run("install_sandbox.sh") else { return };
    report.expect_code("sandbox/load", 1);
    report.expect_code("sandbox/ifb", 1);
    // modprobe.d has the number of devices that the module makes.
    report.expect_code("sandbox/ifb0", 1);
    for step in ["start", "second", "check", "stop"] {
        report.expect_code(&format!("sandbox/{step}"), 0);
        assert_eq!(
            report.text(&format!("out/sandbox/{step}.err")),
            "",
            "{}",
            report.about(&format!("sandbox/{step}"))
        );
    }
    assert!(report.out("sandbox/second").contains("up to date"));
    report.expect_same("out/sandbox/before.state", "out/sandbox/after.state");
}
