use crate::compile::{Options, Stage, compile};
use crate::diag::{Code, Severity};
use crate::profile;

/// Help and labels of each Q0617 on a link with these keys. The default rates are 6.5 and 25 mbit.
fn said(link: &str) -> Vec<String> {
    let rates = if link.contains("up:") { "" } else { ", up: 6.5mbit, down: 25mbit" };
    let text = format!("link: {{ {link}{rates} }}\nclasses: {{ all: {{ share: per-host }} }}\n");
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{link}: {:?}", compiled.findings);
    let about_bytes = [Code::OverheadMismatch, Code::MissingOverhead, Code::GuessedOverhead];
    let found = compiled.findings.iter().filter(|finding| about_bytes.contains(&finding.code));
    let found: Vec<_> = found.collect();
    assert!(found.len() < 2, "{link}: one slip, one finding: {found:?}");
    let of_rule = found.into_iter().filter(|finding| finding.code == Code::OverheadMismatch).map(|finding| {
        assert_eq!(finding.severity, Severity::Warning);
        let labels = finding.labels.iter().map(|label| label.text.clone());
        [finding.message.clone()]
            .into_iter()
            .chain(labels)
            .chain(finding.help.clone())
            .collect::<Vec<_>>()
            .join("\n")
    });
    of_rule.collect()
}

const VDSL2: &str = "14 header + 4 FCS + 1 S + 1 Ck + 2 TC-CRC + 6 PPPoE + 2 PPP = 30 bytes";

/// Links with a finding, and parts of its text.
const MISMATCHES: &[(&str, &[&str])] = &[
    ("device: ppp0, profile: vdsl2-pppoe, overhead: 0", &[VDSL2, "leave `overhead` out", "`profile: raw`"]),
    ("device: ppp0, profile: vdsl2-pppoe, overhead: 8", &[VDSL2, "leave `overhead` out"]),
    ("device: ppp0, profile: vdsl2-pppoe, overhead: 18", &[VDSL2]),
    ("device: ppp0, profile: vdsl2-pppoe, overhead: 26", &["without `overhead`: `fibre-pppoe`"]),
    ("device: ppp0, profile: vdsl2-pppoe, overhead: 60", &["too much", VDSL2, "38 with every option"]),
    (
        "device: ppp0, profile: vdsl2-pppoe, layer: atm",
        &["`layer: atm`", "its layer is `ptm`", "`profile: adsl-pppoe-llc`"],
    ),
    ("device: ppp0, profile: vdsl2-pppoe, layer: atm, overhead: 40", &["without `layer` and `overhead`"]),
    (
        "device: ppp0, profile: vdsl2-pppoe-vlan, overhead: 38",
        &["second VLAN tag", "4 tag", "= 34 bytes", "write `profile: vdsl2-pppoe` and `overhead: 38`"],
    ),
    ("device: eth0.7, profile: vdsl2-bridged-vlan, overhead: 30", &["second VLAN tag", "`vdsl2-pppoe`"]),
    ("device: eth0, profile: vdsl2-bridged, overhead: 0", &["= 22 bytes"]),
    (
        "device: ppp0, profile: vdsl2-bridged, overhead: 22",
        &[VDSL2, "`profile: vdsl2-pppoe` without `overhead`"],
    ),
    ("device: ppp0, profile: fibre, overhead: 18", &["= 26 bytes", "`profile: fibre-pppoe`"]),
    ("device: ppp0, profile: fibre-pppoe, overhead: 8", &["= 26 bytes"]),
    ("device: eth0, profile: docsis, overhead: 10", &["14 header + 4 FCS = 18 bytes"]),
    ("device: eth0, profile: docsis, overhead: 180", &["too much"]),
    ("device: eth0, profile: docsis, layer: atm", &["whole Ethernet frames", "`profile: adsl-bridged-llc`"]),
    ("device: ppp0, profile: adsl-pppoe-llc, layer: ptm", &["ATM cells", "`profile: vdsl2-pppoe`"]),
    ("device: ppp0, profile: adsl-pppoa-vcmux, layer: ethernet", &["ATM cells"]),
    ("device: ppp0, profile: adsl-pppoe-llc, overhead: 8", &["8 LLC/SNAP", "= 40 bytes"]),
    (
        "device: ppp0, profile: adsl-pppoa-vcmux, overhead: 40",
        &["8 AAL5 + 2 PPP = 10 bytes", "`adsl-pppoe-llc`"],
    ),
    (
        "device: eth0, layer: ethernet, overhead: 0",
        &["14 header + 4 FCS = 18 bytes", "`profile: fibre`", "`profile: raw`"],
    ),
    ("device: br-wan, layer: ethernet, overhead: 0", &["`profile: raw`"]),
    (
        "device: ppp0, layer: ethernet, overhead: 8",
        &["= 26 bytes", "`profile: vdsl2-pppoe` or `profile: fibre-pppoe`"],
    ),
    ("device: ppp0, layer: ptm, overhead: 8", &["`layer: ptm`", VDSL2]),
    ("device: ppp0, layer: atm, overhead: 0", &["`layer: atm`", "8 AAL5 + 2 PPP = 10 bytes"]),
    ("device: eth0, profile: raw, layer: atm", &["`layer: atm`"]),
    ("device: ppp0, profile: raw", &[VDSL2, "`profile: vdsl2-pppoe`", "# qosc: allow(Q0617)"]),
    ("device: ppp0, profile: raw, overhead: 8", &["`profile: vdsl2-pppoe`"]),
    ("device: ppp0, profile: raw, up: 1mbit, down: 16mbit", &["`profile: adsl-pppoe-llc`"]),
    ("device: ppp0, profile: raw, up: 40mbit, down: 100mbit", &["`profile: vdsl2-pppoe`"]),
    ("device: dsl0, profile: raw, up: 40mbit, down: 100mbit", &["`profile: vdsl2-bridged`"]),
    ("device: eth0, profile: raw, up: 10mbit, down: 50mbit", &["`profile: vdsl2-bridged`"]),
];

/// Links that are right, or may be.
const SILENT: &[&str] = &[
    // one or two VLAN tags that the profile does not name; `-vlan` profiles without their tag
    "device: ppp0, profile: vdsl2-pppoe, overhead: 34",
    "device: ppp0, profile: vdsl2-pppoe, overhead: 38",
    "device: ppp0, profile: vdsl2-pppoe-vlan, overhead: 30",
    "device: ppp0, profile: vdsl2-pppoe, overhead: 30",
    "device: eth0, profile: vdsl2-pppoe-vlan, overhead: 34, frames: ip",
    "device: eth0, profile: ethernet-vlan, overhead: 46, up: 1gbit, down: 1gbit",
    // a session over a line whose profile has none
    "device: ppp0, profile: vdsl2-bridged-vlan, overhead: 34",
    "device: ppp0, profile: vdsl2-bridged-vlan, overhead: 30",
    "device: ppp0, profile: ethernet, overhead: 46",
    "device: eth0, profile: vdsl2-bridged-vlan, overhead: 30, frames: pppoe",
    // L2TP or DS-Lite in addition
    "device: ppp0, profile: fibre, overhead: 62, up: 100mbit, down: 100mbit",
    "device: ds-lite, profile: vdsl2-pppoe, overhead: 70",
    // a rate already reduced to 64/65; a provider that shapes Ethernet frames on VDSL2
    "device: ppp0, profile: vdsl2-pppoe, layer: ethernet",
    "device: ppp0, profile: vdsl2-pppoe, layer: ethernet, overhead: 26",
    // other options of the same encapsulation; the line keeps the check sequence
    "device: ppp0, profile: adsl-pppoe-llc, overhead: 44",
    "device: ppp0, profile: adsl-pppoe-llc, overhead: 32",
    "device: ppp0, profile: adsl-pppoa-vcmux, overhead: 14",
    // values that OpenWrt recommends for an unknown line
    "device: eth0, profile: fibre, overhead: 44",
    "device: eth0, profile: docsis, overhead: 22",
    "device: eth0, profile: docsis, overhead: 14",
    "device: ppp0, profile: conservative, overhead: 44",
    "device: eth0, profile: conservative, layer: ptm",
    // measured, without a profile
    "device: ppp0, layer: ptm, overhead: 34",
    "device: eth0, layer: ptm, overhead: 22",
    "device: ppp0, layer: atm, overhead: 10",
    "device: eth0, layer: ethernet, overhead: 18",
    "device: eth0, profile: raw, overhead: 18, layer: ethernet",
    // the overhead of a radio link is unknown
    "device: wwan0, layer: ethernet, overhead: 0",
    "device: wwan0, profile: raw, up: 10mbit, down: 50mbit",
    "device: wwan0, profile: wireless, overhead: 0",
    // rates in bytes of IP packets
    "device: ppp0, profile: raw, up: 100mbit, down: 100mbit",
    "device: ppp0, profile: raw, up: 500mbit, down: 1gbit",
    "device: eth0, profile: raw, up: 8mbit, down: 40mbit",
    "device: wg0, profile: raw, up: 10mbit, down: 50mbit",
    "device: ppp0, profile: raw, overhead: 26",
];

#[test]
fn implausible_overheads_are_found_with_the_sum_and_the_help() {
    for (link, words) in MISMATCHES {
        let found = said(link);
        let [text] = found.as_slice() else { panic!("{link}: {found:?}") };
        for word in *words {
            assert!(text.contains(word), "{link}: no {word:?} in\n{text}");
        }
    }
}

#[test]
fn plausible_overheads_are_not_found() {
    for link in SILENT {
        assert_eq!(said(link), Vec::<String>::new(), "{link}");
    }
}

/// Only `raw` has a finding, at rates of DSL; every other profile fits every rate.
#[test]
fn profiles_without_a_given_overhead_fit_every_device() {
    for name in profile::names() {
        for device in ["ppp0", "pppoe-wan", "dsl0", "eth0.7", "wan", "wwan0", "wg0", "br-wan"] {
            for rates in
                ["up: 1mbit, down: 16mbit", "up: 40mbit, down: 100mbit", "up: 500mbit, down: 500mbit"]
            {
                // a device of a DSL modem has DSL at any rate
                if name == "raw" && (!rates.contains("500") || device == "dsl0") {
                    continue;
                }
                let link = format!("device: {device}, profile: {name}, {rates}");
                assert_eq!(said(&link), Vec::<String>::new(), "{link}");
            }
        }
    }
}
