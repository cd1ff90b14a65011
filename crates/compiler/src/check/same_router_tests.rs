//! Tests of pairs of files for the same router: conflicting pairs, and pairs without a conflict.

use super::{Claims, conflicts};
use crate::compile::{Compilation, Options, compile};
use crate::diag::{Code, FileId, Format, render};
use std::collections::BTreeSet;

fn compiled(file: &str, text: &str) -> Compilation {
    let compiled = compile(text, &Options::of(file));
    assert!(!compiled.has_errors(), "{:?}", compiled.findings);
    compiled
}

fn claims(compiled: &Compilation) -> Claims {
    let (model, program) = compiled.finished().unwrap();
    Claims::of(model, program, compiled.sources.get(FileId::OWN).unwrap().clone())
}

/// Findings on the second file as the terminal shows them.
fn printed(first: &str, second: &str) -> String {
    let (first, mut second) = (compiled("first.yaml", first), compiled("second.yaml", second));
    let (one, other) = (claims(&first), claims(&second));
    let found = conflicts(&one, &other, &mut second.sources);
    render(&found, &second.sources, Format::Human { colour: false })
}

/// Codes of the findings, which must be the same in both orders of the files.
#[track_caller]
fn codes(one: &str, other: &str) -> Vec<&'static str> {
    let in_order = |first: &str, second: &str| -> Vec<&'static str> {
        let (first, mut second) = (compiled("first.yaml", first), compiled("second.yaml", second));
        let (one, other) = (claims(&first), claims(&second));
        let found = conflicts(&one, &other, &mut second.sources);
        for finding in &found {
            let files = finding.labels.iter().map(|label| label.span.file);
            let names: Vec<&str> = files.map(|id| second.sources.get(id).unwrap().name.as_str()).collect();
            assert_eq!(names, ["second.yaml", "first.yaml"], "{finding:?}");
            assert!(!finding.help.is_empty(), "{finding:?}");
        }
        found.iter().map(|finding| finding.code.as_str()).collect()
    };
    let found = in_order(one, other);
    assert_eq!(found, in_order(other, one));
    found
}

/// Text of a link with this name, device and further keys.
fn link(name: &str, device: &str, more: &str) -> String {
    format!("name: {name}\nlink: {{ device: {device}, profile: docsis, up: 40mbit, down: 100mbit }}\n{more}")
}

/// A household with hosts behind NAT, so that its script writes marks.
const MARKED: &str = "lan: { device: br-lan, networks: [192.168.1.0/24] }\n\
     hosts: { desk: { address: 192.168.1.10 } }\n\
     classes: { desk: { match: { host: desk } }, rest: { default: true } }\n";

#[test]
fn two_uplinks_without_conflicts_have_no_findings() {
    let (dsl, lte) = (link("dsl", "eth0", MARKED), link("lte", "wwan0", MARKED));
    assert_eq!(codes(&dsl, &lte), [""; 0], "two uplinks may use the same bits");
    let tunnel = "tunnels: { vps: { kind: ipip, device: tun-vps, remote: 198.51.100.7 } }\n";
    assert_eq!(codes(&link("dsl", "eth0", tunnel), &link("lte", "wwan0", tunnel)), [""; 0]);
    let same = "tuning: { ecn: true, tcp: { rtt: 40ms } }\n";
    assert_eq!(codes(&link("dsl", "eth0", same), &link("lte", "wwan0", same)), [""; 0]);
}

#[test]
fn two_files_may_not_shape_one_device() {
    let (dsl, lte) = (link("dsl", "eth0", ""), link("lte", "eth0", ""));
    assert_eq!(codes(&dsl, &lte), ["Q1101"]);
    let devices = "eth1, devices: { eth0: {} }";
    assert_eq!(codes(&dsl, &link("lte", devices, "")), ["Q1101"]);
    assert_eq!(codes(&link("dsl", devices, ""), &link("lte", "eth2, devices: { eth0: {} }", "")), ["Q1101"]);
}

/// Matches of marks that the household's own rules set.
const LOOKS: &str = "classes: { work: { match: { mark: 0x1000000/0x7000000 } }, rest: { default: true } }\n";
const QUEUED: &str = "tunnels: { office: { kind: wireguard, device: wg0 } }\n";
const FLOWS: &str = "tunnels: { office: { kind: wireguard, device: wg0, inner: flows } }\n";

#[test]
fn two_files_may_not_queue_one_tunnel() {
    let (wan, vpn) = (link("home", "eth0", QUEUED), link("vpn", "wg0", ""));
    assert_eq!(codes(&wan, &vpn), ["Q1102"]);
    assert_eq!(codes(&link("home", "eth0", FLOWS), &vpn), [""; 0], "the cure");
}

#[test]
fn two_lines_may_not_queue_one_tunnel() {
    let (dsl, lte) = (link("dsl", "eth0", QUEUED), link("lte", "wwan0", QUEUED));
    assert_eq!(codes(&dsl, &lte), ["Q1102"]);
    assert_eq!(codes(&dsl, &link("lte", "wwan0", FLOWS)), [""; 0], "the cure");
}

#[test]
fn a_lan_device_may_not_be_the_wan_device_of_another_file() {
    let home = link("home", "eth0", "lan: { device: [br-lan, wg0] }\n");
    let vpn = link("vpn", "wg0", "");
    assert_eq!(codes(&home, &vpn), ["Q0616"]);
}

#[test]
fn two_files_may_not_have_one_link_name() {
    let (one, other) = (link("wan", "eth0", MARKED), link("wan", "eth1", MARKED));
    assert_eq!(codes(&one, &other), ["Q1103"]);
    let long = "abcdefghij-abcdefghij-abcdefghi2";
    let said = printed(&link(long, "eth0", ""), &link(long, "eth1", ""));
    assert!(said.contains("`name: abcdefghij-abcdefghij-abcdefghi3`"), "{said}");
}

/// Device names hold a long link name only in part.
#[test]
fn long_link_names_with_equal_device_names_are_found() {
    let said = printed(&link("branch-office-aoy", "eth0", ""), &link("branch-office-cya", "eth1", ""));
    assert!(
        said.contains("create devices with the same name") && said.contains("`ifb-branc_9b12`"),
        "{said}"
    );
    assert_eq!(
        codes(&link("branch-office-aoy", "eth0", ""), &link("branch-office-zzz", "eth1", "")),
        [""; 0]
    );
}

#[test]
fn no_file_may_name_a_device_that_another_script_creates() {
    for ifb in ["ifb-dsl", "ifb2-dsl", "ifbp-dsl"] {
        assert_eq!(codes(&link("dsl", "eth0", ""), &link("lte", ifb, "")), ["Q1103"], "{ifb}");
        let lan = format!("lan: {{ device: {ifb} }}\n");
        assert_eq!(codes(&link("dsl", "eth0", ""), &link("lte", "wwan0", &lan)), ["Q1103"], "{ifb}");
    }
}

#[test]
fn two_files_may_not_disagree_on_kernel_settings() {
    let (one, other) =
        (link("dsl", "eth0", "tuning: { ecn: true }\n"), link("lte", "wwan0", "tuning: { ecn: false }\n"));
    assert_eq!(codes(&one, &other), ["Q1103"]);
    let (one, other) = (
        link("dsl", "eth0", "tuning: { tcp: { rtt: 40ms } }\n"),
        link("lte", "wwan0", "tuning: { tcp: { rtt: 400ms } }\n"),
    );
    assert_eq!(codes(&one, &other), ["Q1103"]);
}

#[test]
fn two_links_may_not_mark_the_same_connections() {
    let (home, lte) = (link("home", "eth0", MARKED), link("lte", "wwan0", LOOKS));
    assert_eq!(codes(&home, &lte), ["Q1104"]);
    let nested = link("home", "eth0", &format!("{MARKED}{FLOWS}"));
    let vpn = link("vpn", "wg0", MARKED);
    assert_eq!(codes(&nested, &vpn), ["Q1104"]);
    let cured = format!("{vpn}tuning: {{ mark_mask: 0xf0000000 }}\n");
    assert_eq!(codes(&nested, &cured), [""; 0], "the cure");
}

#[test]
fn the_flag_of_downloads_causes_no_conflict() {
    let all = LOOKS.replace("0x1000000/0x7000000", "100");
    assert_eq!(codes(&link("dsl", "eth0", &all), &link("lte", "wwan0", &all)), [""; 0]);
}

#[test]
fn all_codes_except_that_of_marks_are_errors() {
    let all = [Code::SameRouterDevice, Code::SameRouterTunnel, Code::SameRouterNames, Code::SameRouterMarks];
    let severities = all.map(|code| code.severity().as_str());
    assert_eq!(severities, ["error", "error", "error", "warning"]);
}

/// Pairs of files with a finding of each sort.
fn pairs() -> Vec<(String, String)> {
    let (wan, vpn) = (link("home", "eth0", QUEUED), link("vpn", "wg0", ""));
    let (one, other) = (link("wan", "eth0", MARKED), link("wan", "eth1", MARKED));
    // The link is named after its file, `second.yaml`.
    let unnamed = other.replace("name: wan\n", "");
    let tcp = |rtt: &str| format!("tuning: {{ tcp: {{ rtt: {rtt} }} }}\n");
    vec![
        (link("dsl", "eth0", ""), link("lte", "eth0", "")),
        (wan.clone(), vpn.clone()),
        (vpn.clone(), wan),
        (link("dsl", "eth0", QUEUED), link("lte", "wwan0", QUEUED)),
        (link("home", "eth0", "lan: { device: [br-lan, wg0] }\n"), vpn),
        (one, other),
        (link("second", "eth0", ""), unnamed),
        (link("dsl", "eth0", ""), link("lte", "ifb-dsl", "")),
        (link("dsl", "eth0", &tcp("40ms")), link("lte", "wwan0", &tcp("400ms"))),
        (link("home", "eth0", MARKED), link("lte", "wwan0", LOOKS)),
        (link("home", "eth0", &format!("{MARKED}{FLOWS}")), link("vpn", "wg0", MARKED)),
    ]
}

/// Codes of the findings that are tested here.
pub(in crate::check) fn codes_of_samples() -> BTreeSet<Code> {
    let found = pairs().into_iter().flat_map(|(first, second)| {
        let (first, mut second) = (compiled("first.yaml", &first), compiled("second.yaml", &second));
        conflicts(&claims(&first), &claims(&second), &mut second.sources)
    });
    found.map(|finding| finding.code).collect()
}

#[test]
fn findings_name_both_places_and_the_help() {
    let printed: Vec<String> = pairs().iter().map(|(first, second)| printed(first, second)).collect();
    crate::golden::assert_golden!(printed.join("\n"));
}
