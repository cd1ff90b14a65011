//! Inputs beyond the limits of `docs/limits.md`: an error names the limit. `tests/script/cost.rs` has those within the limits.

#![cfg(test)]

use qosc_compiler::compile::Options;
use std::fmt::Write as _;
use std::process::Command;

const LINK: &str = "name: many\nlink: { device: eth0, profile: ethernet, up: 10gbit, down: 10gbit }\n";
const REST: &str = "classes:\n  rest: { default: true }\n";

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _infallible = writeln!(text, "  {}", line(number));
        text
    })
}

/// Codes and messages of the errors.
fn errors(text: &str) -> Vec<(&'static str, String)> {
    let compiled = qosc_compiler::compile(text, &Options::of("many.yaml"));
    compiled.errors().map(|error| (error.code.as_str(), error.message.clone())).collect()
}

#[test]
fn errors_beyond_the_limit_are_counted() {
    let named = "g, ".repeat(50_007);
    let found = errors(&format!("{LINK}{REST}  web: {{ match: {{ host: [{named}] }} }}\n"));
    let (more, shown) = found.split_last().unwrap();
    assert!(shown.iter().all(|(code, _)| *code == "Q0301") && shown.len() > 20_000, "{}", shown.len());
    let hidden = 50_007 - shown.len();
    assert_eq!(more, &("Q0106", format!("{hidden} more findings from here on are not shown")));
}

/// Only the budget limits the number of tunnels and policers.
#[test]
fn a_link_may_have_thousands_of_tunnels_and_policers() {
    let tunnel =
        |n: usize| format!("t{n}: {{ kind: ipip, device: t{n}, remote: 198.18.{}.{} }}", n / 256, n % 256);
    let police = |n: usize| {
        format!("p{n}: {{ direction: up, rate: 4mbit, match: {{ remote: 198.18.{}.{} }} }}", n / 256, n % 256)
    };
    assert_eq!(errors(&format!("{LINK}{REST}tunnels:\n{}", lines(20_001, tunnel))), []);
    assert_eq!(errors(&format!("{LINK}{REST}police:\n{}", lines(12_001, police))), []);
}

#[test]
fn names_cannot_make_a_script_of_any_size() {
    let hosts = |count, emoji: usize| {
        let host = |n: usize| {
            let (name, address) = (format!("{n:04x}{}", "\u{1f600}".repeat(emoji)), n % 256);
            format!(
                "\"{name}\": {{ address: [10.0.{}.{address}, \"2001:db8::{n:x}\"], ceiling: 9mbit }}",
                n / 256
            )
        };
        format!("{LINK}lan: {{ networks: [10.0.0.0/8], nat: true }}\n{REST}hosts:\n{}", lines(count, host))
    };
    assert_eq!(errors(&hosts(3000, 58)), []);
    assert_eq!(errors(&hosts(11_900, 0)), []);
    let message = "this file needs more than one run may take: 11900 hosts x 2 listed values";
    assert_eq!(errors(&hosts(11_900, 58)), [("Q0106", message.to_owned())]);
}

/// Different masks of marks, so many that comparing all of them would take minutes. Each has `one` in bit 0.
fn masks(count: usize, one: bool) -> String {
    let mask = |n: usize| {
        let mask = (1..=15)
            .fold(1, |mask, bit| mask | if n >> (bit - 1) & 1 == 1 { 2 << bit } else { 1 << (16 + bit) });
        format!("{:#x}/{mask:#x}", if one { mask } else { mask - 1 })
    };
    (0..count).map(mask).collect::<Vec<_>>().join(", ")
}

#[test]
fn contradictions_of_many_masks_end_in_a_limit() {
    let mark = |one| format!("match: {{ mark: [{}] }}", masks(3000, one));
    let children = (0..40).map(|n| format!("c{n}: {{ {} }}", mark(false))).collect::<Vec<_>>().join(", ");
    let text = format!("{LINK}{REST}  p: {{ {}, classes: {{ own: {{}}, {children} }} }}\n", mark(true));
    let found = errors(&text);
    let message = "this file needs more than one run may take: 2 classes x 3000 listed values";
    assert_eq!(found, [("Q0106", message.to_owned())]);
}

#[test]
fn many_masks_of_a_policer_compile() {
    let all = masks(30_000, true).replace(", ", " }, { mark: ");
    let police = format!("police:\n  p: {{ direction: up, rate: 4mbit, match: [{{ mark: {all} }}] }}\n");
    assert_eq!(errors(&format!("{LINK}{REST}{police}")), []);
}

/// A folder of files that each need too many filters takes no longer than a few of them.
#[test]
fn all_files_of_a_check_share_a_budget() {
    let dir = tempfile::tempdir().unwrap();
    let match_ = "{ protocol: udp, local_port: 1-65534, remote_port: 1-65534, length: 1-65534 }";
    for n in 0..90 {
        let link = LINK.replace("many", &format!("many{n}"));
        let text = format!("{link}{REST}  a: {{ match: [{match_}] }}\n");
        std::fs::write(dir.path().join(format!("{n:02}.yaml")), text).unwrap();
    }
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    let output = qosc.args(["check", "--format", "short", "."]).current_dir(dir.path()).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let words = "this file and the files before it need more than one run may take: ";
    assert_eq!(said.matches(words).count() + said.matches("took all the time of a run").count(), 1, "{said}");
    assert!(said.contains("90 files: 0 without errors, "), "{said}");
}

#[test]
fn an_explanation_has_at_most_2000_classes_and_policers() {
    let dir = tempfile::tempdir().unwrap();
    let police = |n: usize| {
        format!("p{n}: {{ direction: up, rate: 4mbit, match: {{ remote: 198.18.{}.{} }} }}", n / 256, n % 256)
    };
    for (count, code) in [(1999, 0), (2000, 2)] {
        let text = format!("{LINK}{REST}police:\n{}", lines(count, police));
        std::fs::write(dir.path().join("many.yaml"), text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .args(["explain", "many.yaml"])
            .current_dir(dir.path())
            .output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        let words = "error: `explain` shows at most 2000 classes and policers, and this file has 1 class and 2000 policers";
        assert_eq!(said.starts_with(words), code == 2, "{said}");
    }
}
