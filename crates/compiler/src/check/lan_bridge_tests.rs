//! Tests that the rule refuses only a certain LAN bridge as the WAN device, in one finding.

use crate::compile::{Options, Stage, compile};
use crate::diag::Severity;

/// Findings on devices: their codes, with `true` for errors.
fn said(wan: &str, lan: &str) -> Vec<(String, bool)> {
    let text = format!("link: {{ device: {wan}, profile: docsis, up: 10mbit, down: 50mbit }}\n{lan}\n");
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    let found = compiled.findings.iter().filter(|one| ["Q0616", "Q0618"].contains(&one.code.as_str()));
    found.map(|one| (one.code.to_string(), one.severity == Severity::Error)).collect()
}

#[test]
fn br_lan_as_wan_device_is_rejected_for_any_lan_section() {
    let refused = [("Q0618".to_owned(), true)];
    assert_eq!(said("br-lan", ""), refused);
    assert_eq!(said("br-lan", "lan: { device: br-lan }"), refused, "one finding, not two");
    assert_eq!(said("br-lan", "lan: { device: eth1 }"), refused);
}

#[test]
fn a_bridge_that_is_wan_and_lan_device_is_rejected() {
    assert_eq!(said("br0", "lan: { device: [eth1, br0] }"), [("Q0618".to_owned(), true)]);
}

#[test]
fn possible_wan_devices_are_not_rejected() {
    assert_eq!(said("eth0", "lan: { device: eth0 }"), [("Q0616".to_owned(), false)]);
    for (wan, lan) in [
        ("lan4", "lan: { device: br-lan }"),
        ("lan", ""),
        ("br-lan.7", "lan: { device: br-lan.1 }"),
        ("br0", "lan: { device: eth1 }"),
        ("br-wan", ""),
    ] {
        assert_eq!(said(wan, lan), [], "{wan}");
    }
}
