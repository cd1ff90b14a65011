//! The life of a script on a router, under dash, busybox ash and bash: `guest/cycle.sh` lives it, this judges it.

use crate::house::House;
use crate::report::Report;

/// A test for each case, and one that finds those without.
macro_rules! cases {
    ($($name:ident: $file:literal,)+) => {
        $(#[test] fn $name() { judge($file); })+

        const NAMED: &[&str] = &[$($file),+];
    };
}

cases! {
    smallest: "examples/smallest.yaml",
    vdsl2_home: "examples/vdsl2-home.yaml",
    vdsl2_vlan: "examples/vdsl2-vlan.yaml",
    adsl_pppoa: "examples/adsl-pppoa.yaml",
    cable: "examples/cable.yaml",
    fibre: "examples/fibre.yaml",
    lte: "examples/lte.yaml",
    office_vpn: "examples/office-vpn.yaml",
    server: "examples/server.yaml",
    subnet: "examples/subnet.yaml",
    tenants: "examples/tenants.yaml",
    frames: "tests/cases/frames/home.yaml",
    every_match: "tests/cases/every-match/home.yaml",
    every_police: "tests/cases/every-police/home.yaml",
    every_mark: "tests/cases/every-mark/home.yaml",
}

#[test]
fn every_case_has_a_test() {
    for file in crate::house::compiled() {
        assert!(
            NAMED.contains(&file.as_str()),
            "{file} has no line in the list of cases in tests/kernel/cycle.rs"
        );
    }
}

fn judge(file: &str) {
    let house = House::read(file);
    let Some(report) = house.guest(file).run("cycle.sh") else { return };
    for leg in ["dash", "busybox", "bash"] {
        live(&house, &report, leg);
    }

    for quiet in ["dash/status", "dash/print"] {
        report.expect_code(quiet, 0);
    }
    report.expect_code("dash/meddle", 0);
    report.expect_code("dash/check-meddled", 1);
    report.expect_code("dash/status-meddled", 1);
    report.expect_code("dash/heal", 0);
    report.expect_code("dash/check-healed", 0);
    expect_held(&house, &report, "dash/dump-healed");

    report.expect_code("bash/stop-again", 0);
    report.expect_code("bash/check-stopped", 3);
    report.expect_code("bash/status-stopped", 3);
}

/// Started, left alone, stopped.
fn live(house: &House, report: &Report, leg: &str) {
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

/// What the kernel holds, read back, must be the program.
#[track_caller]
fn expect_held(house: &House, report: &Report, step: &str) {
    report.expect_code(step, 0);
    let held = qosc::live::parse(&house.program.wan, &house.program.ifb, &report.out(step));
    let differences = qosc::diff::compare(&house.program.on(house.facts()), &held);
    let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(
        lines.is_empty(),
        "the kernel does not hold the program\n{}\n{}",
        lines.join("\n"),
        report.about(step)
    );
}
