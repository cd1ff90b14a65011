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
    assert_eq!(found.len(), 50_001);
    assert!(found.iter().take(50_000).all(|(code, _)| *code == "Q0301"));
    assert_eq!(found.last().unwrap(), &("Q0106", "7 more errors from here on are not shown".to_owned()));
}

#[test]
fn a_link_has_at_most_20000_tunnels() {
    let tunnels = |count| {
        lines(count, |n| {
            format!("t{n}: {{ kind: ipip, device: t{n}, remote: 198.18.{}.{} }}", n / 256, n % 256)
        })
    };
    assert_eq!(errors(&format!("{LINK}{REST}tunnels:\n{}", tunnels(20_000))), []);
    let found = errors(&format!("{LINK}{REST}tunnels:\n{}", tunnels(20_001)));
    let message = "20001 tunnels are too many: a link can have at most 20000";
    assert_eq!(found, [("Q0304", message.to_owned())]);
}

#[test]
fn a_link_has_at_most_12000_policers() {
    let police = |n: usize| {
        format!("p{n}: {{ direction: up, rate: 4mbit, match: {{ remote: 198.18.{}.{} }} }}", n / 256, n % 256)
    };
    let found = errors(&format!("{LINK}{REST}police:\n{}", lines(12_001, police)));
    let message = "12001 policers are too many: a link can have at most 12000";
    assert_eq!(found, [("Q0304", message.to_owned())]);
}

#[test]
fn names_cannot_make_a_script_larger_than_48_mib() {
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
    let message = "the script of this file would have more than 48 MiB";
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
    assert_eq!(found.last().unwrap().0, "Q0503", "{found:?}");
    assert!(found.len() < 10, "{found:?}");
}

#[test]
fn many_masks_of_a_policer_compile() {
    let all = masks(30_000, true).replace(", ", " }, { mark: ");
    let police = format!("police:\n  p: {{ direction: up, rate: 4mbit, match: [{{ mark: {all} }}] }}\n");
    assert_eq!(errors(&format!("{LINK}{REST}{police}")), []);
}

/// A folder of files that each need too many filters takes no longer than a few of them.
#[test]
fn the_filters_of_all_files_of_a_check_are_limited() {
    let dir = tempfile::tempdir().unwrap();
    let match_ = "{ protocol: udp, local_port: 1-65534, remote_port: 1-65534, length: 1-65534 }";
    for n in 0..9 {
        let link = LINK.replace("many", &format!("many{n}"));
        let text = format!("{link}{REST}  a: {{ match: [{match_}] }}\n");
        std::fs::write(dir.path().join(format!("{n}.yaml")), text).unwrap();
    }
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    let output = qosc.args(["check", "--format", "short", "."]).current_dir(dir.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let words = "cannot check `./7.yaml`: the files before it need more than 1000000 filters together";
    assert!(said.contains(words) && !said.contains("`./6.yaml`"), "{said}");
    assert!(said.contains("9 files: 0 without errors, 7 with errors, 2 that cannot be read"), "{said}");
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
