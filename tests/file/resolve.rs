//! From texts to models: every message of `resolve` and `check`, and the built-in class sets.

#![cfg(test)]

use crate::golden;
use qosc_compiler::compile::{Compilation, Options};
use qosc_compiler::diag::{Code, Diagnostic, Format, Severity, render};
use qosc_compiler::model::{Model, Origin, Shape};
use qosc_compiler::profile::sets;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The model of a text, and all findings.
fn compile(text: &str, stem: &str) -> Compilation {
    qosc_compiler::compile(text, &Options::of("home.yaml").stem(stem))
}

/// All findings in their printed form.
fn said(compiled: &Compilation) -> String {
    render(&compiled.findings, &compiled.sources, Format::Human { colour: false })
}

fn cases() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/resolve");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

#[test]
fn messages() {
    insta::glob!("../resolve", "*.yaml", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        golden::assert_golden!(said(&compile(&text, "home")));
    });
}

/// Every code that `resolve` and `check` can report is in some case.
#[test]
fn every_code_has_a_case() {
    let mut seen = BTreeSet::new();
    for path in cases() {
        let compiled = compile(&std::fs::read_to_string(path).unwrap(), "home");
        seen.extend(compiled.findings.iter().map(|finding| finding.code));
    }
    // Other tests cover these codes. The reasons, in this order: another stage reports it; a test below covers it; it
    // needs 16,001 classes; it needs a lab; it needs two files; only `import` reports it.
    let elsewhere = [
        Code::MatchTooLarge,
        Code::BadName,
        Code::TooMany,
        Code::ExpectNotMet,
        Code::SameLinkName,
        Code::SameRouterDevice,
        Code::SameRouterTunnel,
        Code::SameRouterNames,
        Code::SameRouterMarks,
        Code::NoEquivalent,
        Code::ImportDiffers,
        Code::NotImportable,
        Code::OtherwiseExpressed,
    ];
    for code in Code::ALL {
        let here = code.as_str() >= "Q0301";
        assert_eq!(
            here && !elsewhere.contains(code),
            seen.contains(code) && here,
            "{code}: {}",
            code.title()
        );
    }
}

#[test]
fn an_unsuitable_file_name_requires_a_link_name() {
    let text = "link: { device: ppp0, profile: raw, up: 6mbit, down: 25mbit }\n";
    let compiled = compile(text, "My Home=Router");
    assert_eq!(compiled.model, None);
    golden::assert_golden!(said(&compiled));
    let named = compile(&format!("name: casa\n{text}"), "My Home=Router");
    assert_eq!(named.model.unwrap().name.value.as_str(), "casa");
}

/// The types ensure that every value of a model has an origin. This test ensures that the origin is explained.
#[test]
fn every_value_states_its_origin() {
    let compiled =
        compile("link: { device: eth1, up: 10mbit, down: 50mbit }\ntuning: { tcp: { rtt: 40ms } }", "home");
    let json = serde_json::to_value(compiled.model.unwrap()).unwrap();
    let mut origins = 0;
    let mut stack = vec![&json];
    while let Some(value) = stack.pop() {
        if let Some(origin) = value.get("origin") {
            let text = origin.get("default").and_then(|o| o.get("why"));
            let text = text.or_else(|| origin.get("derived").and_then(|o| o.get("formula")));
            assert!(text.is_none_or(|text| text.as_str().is_some_and(|text| text.len() > 3)), "{value}");
            origins += 1;
        }
        stack.extend(value.as_object().into_iter().flat_map(|map| map.values()));
        stack.extend(value.as_array().into_iter().flatten());
    }
    assert!(origins > 100, "{origins}");
}

/// Each set gives a whole model without an error or warning of its own, from the slowest line that it is for.
#[test]
fn every_preset_resolves_on_every_line() {
    assert_eq!(sets::names(), ["diffserv", "home", "simple"]);
    for set in sets::names() {
        let slowest = if set == "simple" { "9kbit" } else { "100kbit" };
        for rate in [slowest, "128kbit", "1mbit", "25mbit", "10gbit"] {
            let text = format!(
                "link: {{ device: eth0, profile: docsis, up: {rate}, down: {rate} }}\nclasses: {{ preset: {set} }}\n"
            );
            let compiled = compile(&text, "home");
            // This finding is about the line alone.
            let of_set = compiled.findings.iter().filter(|finding| finding.code != Code::UnlikelyRate);
            // A share of a slow line carries no call.
            let too_small = |finding: &&Diagnostic| finding.code == Code::GuaranteeTooSmall;
            let slow = set != "simple" && ["100kbit", "128kbit"].contains(&rate);
            assert_eq!(of_set.clone().filter(too_small).count(), usize::from(slow), "{set} at {rate}");
            let of_set = of_set.filter(|finding| !too_small(finding));
            let worst = of_set.map(|finding| finding.severity).min();
            let said = said(&compiled);
            assert!(worst.is_none_or(|worst| worst == Severity::Note), "{set} at {rate}:\n{said}");
            assert!(compiled.model.is_some());
        }
    }
}

/// A model on one page: the tree with its rates and matches.
fn page(model: &Model) -> String {
    fn classes(list: &[qosc_compiler::model::Class], depth: usize, out: &mut String) {
        for class in list {
            let direction = |d| {
                let (g, c) = (class.guarantee.get(d), class.ceiling.get(d));
                let from = match &g.origin {
                    Origin::Given(_) => "given".to_owned(),
                    Origin::Default { why } => why.to_string(),
                    Origin::Derived { formula, .. } => formula.to_string(),
                };
                format!("{} ({from}) to {}", g.value, c.value)
            };
            use qosc_compiler::model::Direction::{Down, Up};
            let indent = "  ".repeat(depth);
            let default = match &class.shape {
                Shape::Leaf(leaf) if leaf.default => ", default",
                Shape::Leaf(_) | Shape::Inner(_) => "",
            };
            *out += &format!(
                "{indent}{} id {:#06x} priority {}{default}\n",
                class.name, class.id.value.0, class.priority.value
            );
            *out += &format!("{indent}  up {}\n{indent}  down {}\n", direction(Up), direction(Down));
            for alternative in class.matches.iter().flatten() {
                *out += &format!("{indent}  - {}\n", alternative.text);
            }
            if let Shape::Inner(children) = &class.shape {
                classes(children, depth + 1, out);
            }
        }
    }
    let mut out = String::new();
    classes(&model.classes, 0, &mut out);
    for police in &model.police {
        out += &format!(
            "police {} {:?} {} burst {}\n",
            police.name, police.direction, police.rate.value, police.burst.value
        );
        for alternative in &police.matches {
            out += &format!("  - {}\n", alternative.text);
        }
    }
    out
}

#[test]
fn a_resolved_tree_matches_the_snapshot() {
    let text = r#"
link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit, trust_dscp: true }
lan: { nat: false }
hosts:
  ata: { address: [192.168.1.5, "2001:db8:1::5"] }
  desk: { address: [192.168.1.10, "2001:db8:1::10"] }
tunnels:
  vps: { kind: wireguard, remote: 198.51.100.7, inner: opaque }
classes:
  voice:
    priority: 0
    guarantee: 400kbit
    match:
      - host: ata
      - dscp: [ef, cs5]
      - { protocol: udp, remote_port: [3478, 5060-5061, 3479] }
  work:
    priority: 2
    guarantee: 40%
    ceiling: { up: 50% }
    match: [{ host: desk }, { tunnel: vps, direction: up }]
    classes:
      calls: { priority: 1, guarantee: 20%, match: [{ protocol: [udp, tcp], port: 9000, length: "<300", family: ipv6 }] }
      acks: { match: [{ tcp: ack, remote: 203.0.113.0/24 }] }
      other: { ceiling: 100kbit }
  normal: { share: per-flow, default: true }
  bulk: { priority: 5, guarantee: 5%, ceiling: { up: 90%, down: 95% }, id: 0x20, match: [{ mark: 0x1/0xf, direction: up }] }
police:
  cap: { direction: down, match: [{ host: ata }], rate: 10%, exceed: reclassify bulk }
"#;
    let compiled = compile(text, "home");
    let trusted = "home.yaml:2:84: note[Q0516]: any sender on the internet can choose its class";
    let said = render(&compiled.findings, &compiled.sources, Format::Short);
    assert_eq!((said.split(" (").next(), said.lines().count()), (Some(trusted), 1));
    golden::assert_golden!(page(&compiled.model.unwrap()));
}
