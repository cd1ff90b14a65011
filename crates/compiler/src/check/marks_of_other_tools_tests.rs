use crate::compile::{Options, compile};
use crate::diag::{Code, Diagnostic};

/// Returns the finding on a file with these alternatives.
fn finding(tuning: &str, alternatives: &str) -> Option<Diagnostic> {
    of(&format!(
        "hosts: {{ ata: {{ address: 192.168.1.5 }} }}
{tuning}
classes:
  some: {{ match: [{alternatives}] }}
  rest: {{ default: true }}
"
    ))
}

/// Returns the finding on a file with these sections.
fn of(rest: &str) -> Option<Diagnostic> {
    let text = format!("link: {{ device: wan, profile: ethernet, up: 20mbit, down: 50mbit }}\n{rest}");
    let findings = compile(text, &Options::of("home.yaml")).findings;
    findings.into_iter().find(|own| own.code == Code::MarksOfOtherTools)
}

#[test]
fn automatically_chosen_mark_bits_are_checked() {
    // six bits for the DSCP, one for the host
    assert!(finding("", "{ host: ata }, { dscp: ef, direction: down }").is_none());
    assert!(
        finding("", "{ host: ata }, { dscp: [ef, cs0], direction: down }, { mark: 0x10/0xff }").is_none()
    );
    let found = finding(
        "",
        "{ host: ata }, { dscp: [ef, cs0], direction: down }, { mark: 0x10/0xff }, { mark: 0x1000000/0x3f000000 }",
    );
    let found = found.unwrap();
    assert!(found.message.contains("`pbr` and `Tailscale`"), "{found:?}");
    // one for the host, one for the flag of a restored mark
    assert_eq!(found.labels.len(), 2, "{found:?}");
}

#[test]
fn the_finding_about_a_given_mask_names_mark_mask() {
    let found = finding("tuning: { mark_mask: 0x0000ff00 }", "{ host: ata }").unwrap();
    assert!(found.message.contains("`mark_mask`") && found.message.contains("`mwan3`"), "{found:?}");
}

/// Hosts with a rate, which need bits.
fn hosts(count: usize) -> String {
    let host = |host| format!("  h{host}: {{ address: 192.168.1.{host}, ceiling: 10mbit }}\n");
    format!("hosts:\n{}", (1..=count).map(host).collect::<String>())
}

#[test]
fn the_help_names_a_cure_for_the_dscp_of_downloads() {
    // four bits for the DSCPs of the default classes, and four or five for the hosts
    assert!(of(&hosts(15)).is_none());
    let helps = |rest: &str| of(&format!("{}{rest}", hosts(16))).map(|found| found.help.join(" / "));
    let helped = helps("").unwrap();
    assert!(helped.contains("as `qosc profiles PRESET` prints them, with `direction: up`"), "{helped}");
    let set = include_str!("../../../../profiles/classes/home.yaml");
    let helped = helps(set).unwrap();
    assert!(helped.starts_with("write `direction: up` in each match"), "{helped}");
    let cured = set.replace("- dscp: [", "- direction: up\n        dscp: [");
    assert_eq!(helps(&cured), None);
}
