use crate::compile::{Options, Stage, compile};
use crate::diag::Code;

/// Text of the finding on kept offloads for this line.
fn said(link: &str, rest: &str) -> Option<String> {
    found(Code::OffloadDelay, link, rest).map(|(said, _)| said)
}

/// Text and help of the finding with this code.
fn found(code: Code, link: &str, rest: &str) -> Option<(String, Vec<String>)> {
    let text = format!("link: {{ device: ppp0, {link} }}\n{rest}\n");
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{link} {rest}: {:?}", compiled.findings);
    let mut found = compiled.findings.iter().filter(|finding| finding.code == code);
    let one = found
        .next()
        .map(|finding| (format!("{}: {}", finding.message, finding.labels[0].text), finding.help.clone()));
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
        Some("one aggregate of 64 KiB blocks the upload for 272 ms: 272 ms at 1.93mbit up")
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
        Some("one aggregate of 64 KiB blocks the upload for 2.31 s: 2.31 s at 250.9kbit up")
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

const FAST: &str = "profile: ethernet, up: 1gbit, down: 1gbit";

fn web(more: &str) -> String {
    format!(
        "classes:\n  web: {{ {more}, match: [{{ protocol: tcp, local_port: 8000 }}] }}\n  rest: {{ default: true, share: per-flow }}"
    )
}

#[test]
fn slow_classes_of_fast_lines_are_found() {
    let slow = web("ceiling: 240kbit");
    let (said, help) = found(Code::OffloadDelayInClass, FAST, &slow).expect("a note");
    assert_eq!(
        said,
        "offloads are turned off because of class `web`: one aggregate of 64 KiB blocks it for 2.19 s at 240kbit"
    );
    assert!(help[0].starts_with("write `queue: cake` in class `web`:"), "{help:?}");
    // the first cure, the second one, and a ceiling that is not slow
    for cured in [
        web("ceiling: 240kbit, queue: cake"),
        format!("{slow}\ntuning: {{ offloads: auto }}"),
        web("ceiling: 30mbit"),
    ] {
        assert_eq!(found(Code::OffloadDelayInClass, FAST, &cured), None, "{cured}");
        assert_eq!(found(Code::OffloadDelay, FAST, &cured), None, "{cured}");
    }
    // the line itself is slow enough
    assert_eq!(found(Code::OffloadDelayInClass, "profile: ethernet, up: 50mbit, down: 50mbit", &slow), None);
    let kept = format!("{slow}\ntuning: {{ offloads: keep }}");
    let (said, help) = found(Code::OffloadDelay, FAST, &kept).expect("a warning");
    assert_eq!(said, "one aggregate of 64 KiB blocks class `web` for 2.19 s: ");
    assert!(help[0].starts_with("write `queue: cake` in class `web`:"), "{help:?}");
}

#[test]
fn slow_hosts_and_parent_classes_of_fast_lines_are_found() {
    let host = |more: &str| {
        format!(
            "hosts: {{ tv: {{ address: 192.168.1.20, ceiling: {{ down: 12mbit }} }} }}\nclasses: {{ all: {{ {more} }} }}"
        )
    };
    let note = |rest: &str| found(Code::OffloadDelayInClass, FAST, rest);
    let (said, help) = note(&host("share: per-host")).expect("a note");
    assert!(said.starts_with("offloads are turned off because of class `all/tv`"), "{said}");
    assert!(help[0].starts_with("write `queue: cake` in class `all`"), "{help:?}");
    assert_eq!(note(&host("share: per-host, queue: cake")), None);
    // a hundred CAKEs take too much memory
    let many: String =
        (1..=100).map(|n| format!("  h{n}: {{ address: 10.0.0.{n}, ceiling: 12mbit }}\n")).collect();
    let (_, help) = note(&format!("hosts:\n{many}classes: {{ all: {{}} }}")).expect("a note");
    assert!(help.len() == 1 && help[0].starts_with("write `tuning: { offloads: auto }`"), "{help:?}");
    let parent = |queue: &str| {
        format!(
            "classes:\n  home:\n    ceiling: 10mbit\n    guarantee: 10mbit\n    match: [{{ remote: 192.0.2.0/24 }}]\n    classes:\n      \
             voice: {{ priority: 0, guarantee: 1mbit{queue}, match: [{{ protocol: udp }}] }}\n      other: {{ share: per-host }}\n  \
             rest: {{ default: true, share: per-flow }}"
        )
    };
    let (said, _) = note(&parent("")).expect("a note");
    assert!(said.starts_with("offloads are turned off because of class `voice`"), "{said}");
    assert_eq!(note(&parent(", queue: cake")), None);
}
