use crate::compile::{Options, Stage, compile};
use crate::diag::Code;

/// Text of the finding on kept offloads for this line.
fn said(link: &str, rest: &str) -> Option<String> {
    let text = format!("link: {{ device: ppp0, {link} }}\n{rest}\n");
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{link} {rest}: {:?}", compiled.findings);
    let mut found = compiled.findings.iter().filter(|finding| finding.code == Code::OffloadDelay);
    let one = found.next().map(|finding| format!("{}: {}", finding.message, finding.labels[0].text));
    assert!(found.next().is_none());
    one
}

const KEEP: &str = "tuning: { offloads: keep }";
const FLOWS: &str = "tuning: { offloads: keep }\nclasses: { all: { share: per-flow } }";

#[test]
fn findings_state_how_long_one_aggregate_blocks_the_line() {
    // 65,536 bytes and 30 of overhead at 2 mbit x 64/65 x 98 %
    assert_eq!(
        said("profile: vdsl2-pppoe, up: 2mbit, down: 200mbit", FLOWS).as_deref(),
        Some("one aggregate of 64 KiB blocks the upload for 272 ms: 272 ms at 1.929mbit up")
    );
    assert_eq!(
        said("profile: vdsl2-pppoe, up: 10mbit, down: 25mbit", KEEP).as_deref(),
        Some(
            "one aggregate of 64 KiB blocks the upload for 54.4 ms: 54.4 ms at 9.649mbit up, 22.4 ms at 23.38mbit down"
        )
    );
    // 1367 ATM cells
    assert_eq!(
        said("profile: adsl-pppoe-llc, up: 256kbit, down: 100mbit", FLOWS).as_deref(),
        Some("one aggregate of 64 KiB blocks the upload for 2.31 s: 2.31 s at 250.8kbit up")
    );
}

#[test]
fn only_unsplit_aggregates_on_slow_lines_are_found() {
    let slow = "profile: vdsl2-pppoe, up: 2mbit, down: 16mbit";
    assert!(said(slow, KEEP).is_some());
    for (link, rest) in [
        (slow, "tuning: { offloads: auto }"),
        (slow, ""),
        // an aggregated packet takes at most 10 ms
        ("profile: vdsl2-pppoe, up: 60mbit, down: 250mbit", KEEP),
        // CAKE splits them, both as the engine and in a leaf
        ("profile: vdsl2-pppoe, up: 2mbit, down: 16mbit, engine: cake", KEEP),
        (slow, "tuning: { offloads: keep }\nclasses: { all: { share: per-host } }"),
        // downloads are not queued
        ("profile: vdsl2-pppoe, up: 40mbit, down: 16mbit, ingress: none", KEEP),
    ] {
        assert_eq!(said(link, rest), None, "{link} {rest}");
    }
}
