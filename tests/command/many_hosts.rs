//! Very many hosts, each with a host class.

#![cfg(test)]

use std::fmt::Write as _;
use std::process::{Command, Output};

/// Hosts with a ceiling each, and a class whose match covers some packets of every host.
fn yaml(hosts: usize) -> String {
    let mut text = String::from(
        "name: many\n\
         link: { device: eth0, profile: ethernet, up: 10gbit, down: 10gbit }\n\
         lan: { device: br-lan, networks: [10.0.0.0/8], nat: false }\n\
         classes:\n  rest: { default: true, share: per-flow }\n  web: { match: [{ protocol: tcp, remote_port: 22 }] }\n\
         hosts:\n",
    );
    for host in 0..hosts {
        let _ =
            writeln!(text, "  h{host}: {{ address: 10.1.{}.{}, ceiling: 100mbit }}", host / 250, host % 250);
    }
    text
}

fn qosc(what: &str, text: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many.yaml");
    std::fs::write(&file, text).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_qosc")).arg(what).arg(&file).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    out
}

#[test]
fn ten_thousand_hosts_compile() {
    let text = yaml(10_000);
    let out = qosc("compile", &text);
    let script = String::from_utf8(out.stdout).unwrap();
    for direction in ["src", "dst"] {
        let asked = format!(": match ip {direction} 10.1.");
        assert_eq!(script.matches(&asked).count(), 10_000, "{direction}");
    }
    // Findings about so many hosts are combined into one.
    let found = String::from_utf8(qosc("check", &text).stderr).unwrap();
    assert!(found.lines().count() < 30, "{found}");
    assert!(found.contains("note[Q0411]: 10000 hosts can exceed their ceilings"), "{found}");
    assert!(
        found.contains("`h0`, `h1`, `h2`, `h3` and 9996 more apply only in their home classes"),
        "{found}"
    );
    assert!(found.contains("warning[Q0412]: the queues take about 264 MiB of memory"), "{found}");
    assert!(found.contains("\n1 warning, 1 note\n"), "{found}");
}

#[test]
fn a_script_grows_linearly_with_its_hosts() {
    let length = |hosts: usize| qosc("compile", &yaml(hosts)).stdout.len();
    let (one, two) = (length(1_000), length(2_000));
    assert!(10 * two <= 22 * one, "{one}, {two}");
}

#[test]
fn findings_about_more_than_eight_hosts_are_combined() {
    let count = |hosts: usize| {
        let out = qosc("check", &yaml(hosts));
        let text = [out.stdout, out.stderr].concat();
        String::from_utf8(text).unwrap().matches("[Q0411]").count()
    };
    assert_eq!((count(8), count(9)), (8, 1));
}

/// A class for packets of five thousand hosts that also match `rest`, beside the default class. With `police`, a police
/// instead.
fn matched(rest: &str, police: bool) -> String {
    let hosts: Vec<String> = (0..5_000).map(|host| format!("10.1.{}.{}", host / 250, host % 250)).collect();
    let asked = format!("match: [{{ local: [{}]{rest} }}]", hosts.join(", "));
    let (class, police) = match police {
        false => (format!("  hosts: {{ {asked} }}\n"), String::new()),
        true => (String::new(), format!("police:\n  hosts: {{ direction: up, rate: 1mbit, {asked} }}\n")),
    };
    format!(
        "name: many\n\
         link: {{ device: eth0, profile: ethernet, up: 10gbit, down: 10gbit }}\n\
         lan: {{ device: br-lan, networks: [10.0.0.0/8], nat: false }}\n\
         classes:\n  rest: {{ default: true }}\n{class}{police}"
    )
}

#[test]
fn a_match_that_is_one_lookup_may_be_long() {
    let script = String::from_utf8(qosc("compile", &matched("", false)).stdout).unwrap();
    assert!(script.matches(": match ip src 10.1.").count() >= 5_000);
    let refused = |text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .args(["check", "-"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        String::from_utf8([out.stdout, out.stderr].concat()).unwrap()
    };
    let message = "error[Q0503]: this match needs more than 4000 filters";
    for text in [
        matched(", protocol: udp", false),
        matched("", false).replacen("device: eth0", "device: eth0, frames: pppoe", 1),
    ] {
        assert!(!refused(&text).contains(message), "{text:.300}");
    }
    // a police compares its filters one by one
    assert!(refused(&matched("", true)).contains(message));
}
