//! Records of the script survive what others do: they say what the script made, and for which router.

use crate::house::House;
use crate::report::Report;

/// A configuration with a table of marks and with settings.
fn house(device: &str) -> House {
    let yaml = format!(
        "name: home\nlink: {{ device: {device}, profile: docsis, up: 10mbit, down: 50mbit }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n\
         hosts: {{ desk: {{ address: 192.168.1.10 }} }}\n\
         classes:\n  desk: {{ match: [{{ host: desk }}] }}\n  rest: {{ default: true }}\n\
         tuning: {{ tcp: {{ rtt: 40ms }} }}\n"
    );
    House::of("home", yaml.into_bytes())
}

/// Checks what a step says, and its exit code.
#[track_caller]
fn expect_said(report: &Report, step: &str, code: u8, words: &str) {
    report.expect_code(step, code);
    let said = report.out(step) + &report.text(&format!("out/{step}.err"));
    assert!(said.contains(words), "`{words}` is missing\n{}", report.about(step));
}

/// A call that changes only rates, or nothing, does not record as its own what others have changed.
#[test]
fn a_call_records_only_what_it_changed() {
    let Some(report) = house("eth0").guest("records-of-others").run("records_of_others.sh") else { return };
    for (leg, lost) in [
        ("flushed", "was: table inet qosc_home {"),
        ("meanwhile", "was: table inet qosc_home {"),
        ("setting", "is:  sysctl net/ipv4/tcp_wmem 4096 5000 6000"),
    ] {
        for step in ["start", "call", "mended", "check-mended"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        expect_said(&report, &format!("{leg}/check"), 1, lost);
        report.expect_same(&format!("out/{leg}/made.out"), &format!("out/{leg}/now.out"));
    }
    expect_said(&report, "flushed/check", 1, "drifted at rate 5mbit up and 20mbit down");
    assert_eq!(report.out("meanwhile/call").trim(), "home: up to date");
    report.expect_code("setting/stop", 0);
    report.expect_same("out/flushed/before.state", "out/setting/after.state");
}
