//! The life of a script on a router. `guest/life_cycle.sh` runs it, and this file checks the results. The whole life of
//! some scripts of different structure runs under dash, busybox ash and bash. All others start, start again and stop
//! under one of these shells.

use crate::house::House;
use crate::metrics::{expect_every_object, expect_narrow};
use crate::report::Report;
use crate::uml::Machine;
use std::path::Path;
use std::time::Duration;
use test_each_file::test_each_path;

test_each_path! { for ["yaml"] in "./examples" as examples => judge }
test_each_path! { for ["yaml"] in "./tests/cases" as cases => judge }

const SHELLS: [&str; 3] = ["dash", "busybox", "bash"];

/// Scripts of different structure: PPPoE with host classes, the smallest, raw IP, policers, marks by MAC address,
/// decrypted tunnels, every kind of mark, and CAKE as the whole shaper.
const WHOLE: [&str; 8] =
    ["vdsl2-home", "smallest", "lte", "tenants", "guests-mac", "vpn-house", "every-mark", "cake"];

/// The name of an example, or of the folder of a case.
fn name(file: &Path) -> String {
    let stem = file.file_stem().expect("a name");
    let folder = file.parent().and_then(Path::file_name).expect("a folder");
    if stem == "home" { folder } else { stem }.to_string_lossy().into_owned()
}

fn judge([file]: [&Path; 1]) {
    let Some(house) = House::read(file) else { return };
    if WHOLE.contains(&name(file).as_str()) {
        lives(&file.display().to_string(), &house.with_calls(), Machine::Virtual);
    } else {
        starts_and_stops(&name(file), &house, Machine::Virtual);
    }
}

#[test]
fn every_whole_life_is_that_of_a_file() {
    for name in WHOLE {
        let files = [format!("examples/{name}.yaml"), format!("tests/cases/{name}/home.yaml")];
        assert!(files.iter().any(|file| root().join(file).exists()), "{name}");
    }
}

/// nft rules of a household, for the kernels that have nft.
const FOREIGN: &str = "
    table inet filter {
        chain forward { type filter hook forward priority 0; policy accept; ct state invalid counter drop; }
    }
    table ip nat {
        chain postrouting { type nat hook postrouting priority 100; oifname \"eth1\" masquerade; }
    }
    table inet mangle {
        map hosts { type ipv4_addr : mark; elements = { 192.168.1.10 : 0x100 }; }
        chain postrouting { type filter hook postrouting priority -150; meta mark set ip saddr map @hosts; }
    }
";

#[test]
fn a_script_lives_on_debians_kernel() {
    lives("every mark on Debian's kernel", &House::case("every-mark").with_calls(), Machine::Debian);
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the life of a script under these shells. `whole` adds the steps that do not depend on the shell.
fn run(name: &str, house: &House, machine: Machine, shells: &[&str], whole: bool) -> Option<Report> {
    let foreign = if machine.has_nft() { FOREIGN } else { "" };
    let guest = house.guest(name).on(machine).file("foreign.nft", foreign).limit(Duration::from_secs(1200));
    let guest = guest.variable("SHELLS", &shells.join(" "));
    let documented = if machine == Machine::Debian { crate::behaviour::table() } else { String::new() };
    let guest = guest.file("behaviour.nft", documented);
    guest.variable("WHOLE", if whole { "yes" } else { "" }).run("life_cycle.sh")
}

/// Checks a start, a second start and a stop under one shell, which the name chooses.
pub fn starts_and_stops(name: &str, house: &House, machine: Machine) {
    let shell = SHELLS[name.len() % SHELLS.len()];
    let Some(report) = run(name, house, machine, &[shell], false) else { return };
    live(house, &report, shell);
}

/// Checks the whole life of a script.
pub fn lives(name: &str, house: &House, machine: Machine) {
    let Some(report) = run(name, house, machine, &SHELLS, true) else { return };
    if machine.has_nft() {
        assert!(
            report.text("out/dash/before.state").contains("elements = { 192.168.1.10 :"),
            "{}",
            report.console()
        );
    }
    for leg in SHELLS {
        live(house, &report, leg);
    }
    heals_a_drift(house, &report);

    report.expect_code("bash/stop-again", 0);
    report.expect_code("bash/check-stopped", 3);
    report.expect_code("bash/status-stopped", 3);
}

/// Checks the part `afterlife` of the leg dash: what the script reports, and that it finds and heals a drift.
pub fn heals_a_drift(house: &House, report: &Report) {
    for quiet in ["dash/status", "dash/metrics", "dash/print"] {
        report.expect_code(quiet, 0);
    }
    expect_narrow(report, "dash/status");
    expect_every_object(house, report, "dash/metrics");
    report.expect_code("dash/meddle", 0);
    report.expect_code("dash/check-meddled", 1);
    report.expect_code("dash/status-meddled", 1);
    expect_narrow(report, "dash/status-meddled");
    report.expect_code("dash/heal", 0);
    report.expect_code("dash/check-healed", 0);
    expect_held(house, report, "dash/dump-healed");
}

/// Checks the script's life under one shell: a start, a second start and a stop.
pub fn live(house: &House, report: &Report, leg: &str) {
    let step = |name: &str| format!("{leg}/{name}");
    report.expect_code(&step("start"), 0);
    expect_held(house, report, &step("dump"));

    report.expect_code(&step("second"), 0);
    assert!(report.out(&step("second")).contains("up to date"), "{}", report.about(&step("second")));
    report.expect_silence(&step("second"));
    report.expect_code(&step("check"), 0);

    report.expect_code(&step("stop"), 0);
    report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
}

/// Checks that the kernel's state, read back, matches the program.
#[track_caller]
pub fn expect_held(house: &House, report: &Report, step: &str) {
    report.expect_code(step, 0);
    let held = crate::observed::parse(&house.program.wan, &house.program.ifb, &report.out(step));
    // The lab has no device of a tunnel, and none of the line besides the WAN device.
    let program = house.program.with_tunnels(|_| None).on(house.facts());
    let differences = crate::observed::compare(&program, &held);
    let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(
        lines.is_empty(),
        "the kernel does not hold the program\n{}\n{}",
        lines.join("\n"),
        report.about(step)
    );
}
