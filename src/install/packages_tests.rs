//! The packages of configurations, and those that the script's messages name.

use super::{NEEDS, debian, openwrt};
use qosc_compiler::compile::{Options, compile};
use std::collections::BTreeSet;

fn packages(yaml: &str) -> (String, String) {
    let compiled = compile(yaml, &Options::of("home.yaml"));
    let (_, program) = compiled.finished().expect("a program");
    (debian(program), openwrt(program))
}

#[test]
fn a_plain_line_needs_few_packages() {
    let yaml = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n\
                classes:\n  rest: { default: true, share: per-flow }\n";
    let always = "tc-tiny ip-tiny kmod-ifb kmod-sched-core";
    assert_eq!(packages(yaml), ("iproute2 ethtool".to_owned(), format!("{always} ethtool")));
}

#[test]
fn each_feature_adds_its_packages() {
    for (file, expected) in [
        ("examples/guests.yaml", "kmod-sched-act-police"),
        ("examples/marks.yaml", "nftables kmod-sched-ctinfo"),
        ("tests/cases/cake/home.yaml", "kmod-sched-cake"),
        ("tests/cases/decrypted/home.yaml", "wireguard-tools kmod-sched-act-vlan"),
        ("tests/cases/before_encryption/home.yaml", "nftables kmod-nft-netdev"),
    ] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let (_, openwrt) = packages(&std::fs::read_to_string(path).expect("a file"));
        assert!(openwrt.contains(expected), "{file}: {openwrt}");
    }
}

/// The messages may also name packages that bring a tool in another form, or one that is only a substitute.
#[test]
fn the_messages_of_the_script_name_the_same_packages() {
    let runtime = concat!(
        include_str!("../../templates/runtime/apply.sh"),
        include_str!("../../templates/runtime/preflight.sh"),
        include_str!("../../templates/runtime/mark_rules.sh"),
        include_str!("../../templates/runtime/tunnels.sh"),
    );
    let module = |word: &&str| word.starts_with("kmod-");
    let words = runtime.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let named: BTreeSet<&str> = words.filter(module).collect();
    let ours: BTreeSet<&str> = NEEDS.iter().flat_map(|need| need.openwrt).copied().filter(module).collect();
    let missing: Vec<_> = named.difference(&ours).collect();
    assert!(missing.is_empty(), "only the messages name {missing:?}");
    let unnamed: Vec<_> = ours.difference(&named).collect();
    assert!(unnamed.is_empty(), "no message names {unnamed:?}");
    for tool in NEEDS.iter().map(|need| need.debian).filter(|name| !name.is_empty()) {
        assert!(runtime.contains(tool), "no message names {tool}");
    }
}
