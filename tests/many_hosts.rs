//! Very many hosts, each with a class of its own.

#![cfg(test)]

use std::fmt::Write as _;
use std::process::{Command, Output};

/// Hosts with a ceiling each, and a class that takes something of every one.
fn yaml(hosts: usize) -> String {
    let mut text = String::from(
        "name: many\n\
         link: { device: eth0, profile: ethernet, up: 10gbit, down: 10gbit }\n\
         lan: { device: br-lan, networks: [10.0.0.0/8], nat: false }\n\
         classes:\n  rest: { default: true, share: per-flow }\n  web: { match: [{ protocol: tcp, remote_port: 443 }] }\n\
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
fn ten_thousand_compile() {
    let out = qosc("compile", &yaml(10_000));
    let script = String::from_utf8(out.stdout).unwrap();
    for direction in ["src", "dst"] {
        let asked = format!(" protocol ip flower {direction}_ip 10.1.");
        // preflight tries one more
        assert!((10_000..=10_001).contains(&script.matches(&asked).count()), "{direction}");
    }
    // what is to be said of so many is said once
    let found = String::from_utf8(out.stderr).unwrap();
    assert!(found.lines().count() < 30, "{found}");
    assert!(found.contains("note[Q0411]: 10000 hosts can get more than their ceilings"), "{found}");
    assert!(found.contains("`h0`, `h1`, `h2`, `h3` and 9996 more hold"), "{found}");
    assert!(found.contains("warning[Q0412]: the queues take about 277 MB of memory"), "{found}");
    assert!(found.ends_with("1 warning, 1 note\n"), "{found}");
}

#[test]
fn a_script_grows_as_its_hosts_do() {
    let length = |hosts: usize| qosc("compile", &yaml(hosts)).stdout.len();
    let (one, two) = (length(1_000), length(2_000));
    assert!(10 * two <= 22 * one, "{one}, {two}");
}

#[test]
fn a_few_have_a_finding_each() {
    let count = |hosts: usize| {
        let out = qosc("check", &yaml(hosts));
        let text = [out.stdout, out.stderr].concat();
        String::from_utf8(text).unwrap().matches("[Q0411]").count()
    };
    assert_eq!((count(8), count(9)), (8, 1));
}
