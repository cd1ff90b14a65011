//! Two links on one router, and a device that is named only when the script is started.

use crate::house::House;

#[test]
fn live_side_by_side() {
    let house = House::case("cells");
    let yaml = "link: { device: eth9, profile: docsis, up: 10mbit, down: 20mbit }\nlan: { device: br-lan, nat: false }\n\
         hosts:\n  tv: { address: [192.168.1.9, \"::9/-64\"], guarantee: 10%, ceiling: { down: 50% } }\n  \
         ata: { address: 192.168.1.5 }\n\
         classes:\n  voice: { match: [{ host: ata }] }\n  rest: { default: true, share: per-host }\n\
         police:\n  ata: { direction: down, match: [{ host: ata }], rate: 2mbit }\n";
    let other = House::of("other", yaml.as_bytes().to_vec());
    let guest = house.guest("pairs").file("other.sh", other.script.as_str());
    let Some(report) = guest.variable("OTHER_WAN", "eth9").run("pairs.sh") else { return };

    let steps = [
        "first-start",
        "other-start",
        "other-check",
        "first-check",
        "first-second",
        "other-second",
        "other-stop",
        "other-again",
        "first-stop",
        "other-still",
        "other-end",
    ];
    for step in steps {
        report.expect_code(&format!("pair/{step}"), 0);
    }
    report.expect_silence("pair/both");
    report.expect_same("out/pair/first.state", "out/pair/first-alone.state");
    report.expect_same("out/pair/before.state", "out/pair/after.state");

    for step in ["start", "elsewhere", "check", "second", "stop"] {
        report.expect_code(&format!("device/{step}"), 0);
    }
    assert!(report.out("device/second").contains("up to date"), "{}", report.about("device/second"));
    assert!(!report.out("device/left").contains("htb"), "{}", report.about("device/left"));
    let held = qosc::live::parse(&other.program.wan, &house.program.ifb, &report.out("device/dump"));
    let differences = qosc::diff::compare(&house.program.on(house.facts()), &held);
    assert!(differences.is_empty(), "{differences:?}");
    report.expect_same("out/device/before.state", "out/device/after.state");
    report.expect_code("device/missing", 1);
}
