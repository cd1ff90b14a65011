//! Tests of the packets in all queues together: many hosts have a finding, fast lines have none, and nothing has two.

use crate::compile::{Options, Stage, compile};

/// Findings on memory: code and message.
fn said(text: &str) -> Vec<String> {
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{:?}", compiled.findings);
    let found =
        compiled.findings.iter().filter(|one| ["Q0412", "Q0422", "Q0428"].contains(&one.code.as_str()));
    found.map(|one| format!("{} {}: {}", one.code, one.message, one.help.join("; "))).collect()
}

fn hosts(number: u32, classes: &str) -> String {
    let hosts: Vec<String> =
        (1..=number).map(|n| format!("  h{n}: {{ address: 192.168.9.{n}, ceiling: 4mbit }}\n")).collect();
    format!(
        "link: {{ device: eth0, profile: docsis, up: 50mbit, down: 100mbit }}\nhosts:\n{}classes: {classes}\n",
        hosts.concat()
    )
}

#[test]
fn many_hosts_with_queues_give_one_finding() {
    let [one] = &said(&hosts(253, "{ rest: { default: true } }"))[..] else { panic!("not one finding") };
    assert!(one.starts_with("Q0412 packets in the queues may take 1.09 GiB"), "{one}");
    assert!(one.contains("memory: 128KiB"), "{one}");
    assert_eq!(said(&hosts(8, "{ rest: { default: true } }")), [""; 0]);
}

#[test]
fn the_proposed_limit_removes_the_finding() {
    let limited = "{ rest: { default: true, queue: { kind: fq_codel, memory: 128KiB } } }";
    assert_eq!(said(&hosts(253, limited)), [""; 0]);
}

#[test]
fn the_proposed_limit_for_a_class_that_hosts_share_removes_the_finding() {
    let [one] = &said(&hosts(253, "{ rest: { default: true, share: per-host } }"))[..] else {
        panic!("not one finding")
    };
    let limit = "share: per-flow, queue: { kind: fq_codel, memory: 128KiB }";
    assert!(one.contains(&format!("`{limit}` in class `rest`")) && !one.contains("prefix"), "{one}");
    assert_eq!(said(&hosts(253, &format!("{{ rest: {{ default: true, {limit} }} }}"))), [""; 0]);
}

#[test]
fn limits_given_in_the_file_are_left_to_q0422() {
    let given = said(&hosts(253, "{ rest: { default: true, queue: { kind: fq_codel, memory: 4MiB } } }"));
    assert_eq!(given.len(), 1, "{given:?}");
    assert!(given[0].starts_with("Q0422"), "{given:?}");
}

/// Three rules look at limits. What one of them proposes satisfies the others, also for a thousand fast devices.
#[test]
fn the_proposed_limit_holds_what_fast_hosts_need() {
    let office = |queue: &str| {
        said(&format!(
            "link: {{ device: eth0, profile: fibre, up: 500mbit, down: 500mbit }}\n\
             hosts: {{ office: {{ address: 10.0.0.0/22, each: {{ ceiling: 80% }} }} }}\n\
             classes: {{ all: {{ default: true{queue} }} }}\n"
        ))
    };
    let [one] = &office("")[..] else { panic!("not one finding") };
    assert!(one.starts_with("Q0412") && one.contains("memory: 512KiB"), "{one}");
    let with = |memory: &str| office(&format!(", queue: {{ kind: fq_codel, memory: {memory} }}"));
    assert_eq!(with("512KiB"), [""; 0]);
    for memory in ["32KiB", "256KiB"] {
        let [one] = &with(memory)[..] else { panic!("not one finding") };
        assert!(one.starts_with("Q0428") && one.contains("memory: 512KiB"), "{one}");
    }
    let [one] = &with("4MiB")[..] else { panic!("not one finding") };
    assert!(one.starts_with("Q0412") && one.contains("memory: 512KiB"), "{one}");
}

#[test]
fn a_fast_line_with_few_classes_has_no_finding() {
    let text = "link: { device: eth0, profile: fibre, up: 1gbit, down: 1gbit }\n\
                classes: { a: { match: { dscp: ef, direction: up } }, b: { match: { protocol: icmp } }, c: { match: { protocol: gre } }, rest: { default: true } }\n";
    assert_eq!(said(text), [""; 0]);
}
