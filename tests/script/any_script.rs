//! The script of any valid configuration passes dash and shellcheck, and no name in it becomes shell code.

#![cfg(test)]

use crate::shellcheck::{assert_parts_sound, assert_sound};
use crate::tools;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::path::Path;
use std::process::{Command, Output};

/// Names with characters that are special in shell, YAML, templates or terminal escapes.
fn name() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "$(reboot)",
        "`reboot`",
        "'",
        "\"",
        "\\",
        "END",
        "#",
        "${IFS}",
        "$((1/0))",
        "{{ x }}",
        "{% x %}",
        "{# x #}",
        "; reboot;",
        "&& reboot",
        "|",
        "<",
        ">",
        "*",
        "?",
        "!",
        "~",
        "é",
        "☎",
        "日本",
        "%s",
        "\\n",
        "\\033[31m",
        "=",
        ":",
        "\\'",
        "’",
        "‘",
    ]);
    prop::collection::vec(prop_oneof![nasty.prop_map(str::to_owned), "[a-zA-Z0-9 ._-]{1,6}"], 1..5)
        .prop_map(|parts| parts.concat())
        .prop_filter("a name is 1 to 64 characters and does not begin or end with space", |name| {
            !name.is_empty() && name.chars().count() <= 60 && name.trim() == name
        })
}

/// Text after the `#` of a YAML comment, with attempts to leave the comment that carries it in the script.
fn remark() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "; reboot",
        "\r",
        "\r\n#",
        "\rreboot",
        "\u{202e}",
        "\u{feff}",
        "\u{a0}",
        "\t",
        "\\",
        "\\\n#",
        "\n#\n# | # \\ x",
        "$(reboot)",
        "`reboot`",
        "'",
        "\"",
        "END\n#",
        "{{ x }}",
        "{% x %}",
        "shellcheck disable=all",
        "--- the YAML that this was made from ---",
    ]);
    prop::collection::vec(prop_oneof![nasty.prop_map(str::to_owned), "[a-z ]{1,6}"], 0..6).prop_map(|parts| {
        // In YAML, a carriage return alone ends a line and with it the comment.
        parts.concat().replace('\r', "\r#").replace("#\n", "\n")
    })
}

/// A YAML string in double quotes. JSON quotes strings in the same way.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

fn alternative() -> impl Strategy<Value = String> {
    let ports = (1u16..60000, 0u16..300).prop_map(|(first, more)| format!("{first}-{}", first + more));
    prop_oneof![
        (
            prop::sample::select(vec!["tcp", "udp"]),
            ports,
            prop::sample::select(vec!["local_port", "remote_port", "port"])
        )
            .prop_map(|(protocol, ports, key)| format!("{{ protocol: {protocol}, {key}: {ports} }}")),
        (0u8..64).prop_map(|dscp| format!("{{ dscp: {dscp}, direction: up }}")),
        (any::<[u8; 4]>(), 8u8..33).prop_map(|(a, length)| {
            let net = ipnet::Ipv4Net::new(a.into(), length).expect("a prefix").trunc();
            format!("{{ remote: {net} }}")
        }),
        (any::<[u16; 8]>(), 8u8..129).prop_filter_map("mapped", |(a, length)| {
            let net = ipnet::Ipv6Net::new(a.into(), length).ok()?.trunc();
            net.addr()
                .to_ipv4_mapped()
                .is_none()
                .then(|| format!("{{ remote: {} }}", quoted(&net.to_string())))
        }),
        (41u16..1500).prop_map(|length| format!("{{ length: \"<{length}\" }}")),
        Just("{ tcp: ack }".to_owned()),
        Just("{ tcp: [syn, fin, rst] }".to_owned()),
        (any::<u32>(), 1u32..).prop_map(|(value, mask)| format!("{{ mark: {:#x}/{mask:#x} }}", value & mask)),
    ]
}

/// A class with every key that a class may have. The compiler chooses the guarantees, so that every tree adds up.
fn class() -> impl Strategy<Value = String> {
    let queue = prop::sample::select(vec!["fq_codel", "cake", "fifo"]);
    (prop::collection::vec(alternative(), 1..4), 0u8..8, queue, prop::option::of(0u8..64)).prop_map(
        |(matches, priority, queue, dscp)| {
            let dscp = dscp.map(|d| format!(", set_dscp: {d}")).unwrap_or_default();
            format!("{{ priority: {priority}, queue: {queue}{dscp}, match: [{}] }}", matches.join(", "))
        },
    )
}

fn configuration() -> impl Strategy<Value = String> {
    let profile = prop::sample::select(vec![
        "ethernet",
        "raw",
        "docsis",
        "vdsl2-pppoe",
        "adsl-pppoa-vcmux",
        "adsl-pppoe-llc",
        "wireless",
        "conservative",
    ]);
    let ingress = prop::sample::select(vec!["shape", "shape", "police", "none"]);
    let classes = prop::collection::btree_map(name(), class(), 0..6);
    let police = prop::collection::btree_map(name(), (alternative(), 10u64..500, any::<bool>()), 0..3);
    let rest = (any::<bool>(), remark());
    (profile, ingress, 1_000u64..10_000_000, 1_000u64..10_000_000, classes, police, rest).prop_map(
        |(profile, ingress, up, down, classes, police, (wash, remark))| {
            let wash = if wash { ", wash: both" } else { "" };
            let mut yaml = format!(
                "name: any\nlink: {{ device: eth0, profile: {profile}, up: {up}kbit, down: {down}kbit, ingress: {ingress}{wash} }}\n\
                 lan: {{ device: br-lan, nat: false }}\nclasses:\n"
            );
            for (name, class) in &classes {
                yaml += &format!("  {}: {class}\n", quoted(name));
            }
            yaml += "  the rest: { default: true }\n";
            if !police.is_empty() {
                yaml += "police:\n";
            }
            for (name, (what, rate, bypass)) in &police {
                let bypass = if *bypass { ", bypass: true" } else { "" };
                yaml += &format!("  {}: {{ direction: up, match: [{what}], rate: {rate}kbit{bypass} }}\n", quoted(name));
            }
            yaml + "#" + &remark
        },
    )
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the program starts")
}

/// Compiles a file into a script. The error is the text that qosc prints.
fn compile(yaml: &Path, script: &Path) -> Result<(), String> {
    let run = run(Command::new(env!("CARGO_BIN_EXE_qosc")).arg("compile").arg(yaml).arg("-o").arg(script));
    if run.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&run.stderr).into_owned()) }
}

#[test]
fn any_script_passes_dash_and_shellcheck() {
    if !tools::found(&["dash", "bash", "busybox", "shellcheck"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let scripts = RefCell::new(Vec::new());
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let made = runner.run(&(configuration(), any::<u64>()), |(yaml, number)| {
        let file = dir.path().join(format!("{number}.yaml"));
        std::fs::write(&file, &yaml).expect("written");
        let script = dir.path().join(format!("{number}.sh"));
        compile(&file, &script).map_err(|why| TestCaseError::fail(format!("{yaml:?}\n{why}")))?;
        let text = std::fs::read_to_string(&script).expect("text");
        prop_assert_eq!(qosc_compiler::emit::carried(&text).map(|carried| carried.yaml), Some(yaml.clone()));
        scripts.borrow_mut().push(text);
        for shell in [&["dash"][..], &["bash"], &["busybox", "ash"]] {
            let parsed = run(Command::new(shell[0]).args(&shell[1..]).arg("-n").arg(&script));
            prop_assert!(
                parsed.status.success(),
                "{shell:?}: {}\n{yaml}",
                String::from_utf8_lossy(&parsed.stderr)
            );
        }
        Ok(())
    });
    made.expect("every configuration gives a script that every shell parses");
    assert_sound(&scripts.borrow()[0]);
    assert_parts_sound(&scripts.borrow());
}

/// Each name contains what a rule of shellcheck takes for a mistake between single quotes.
#[test]
fn names_with_quotes_pass_shellcheck() {
    if !tools::found(&["shellcheck"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let mut scripts = Vec::new();
    for (number, name) in [r"tv\'s", "tv’s", "‘tv", "$tv", "`tv`", r"tv\"].into_iter().enumerate() {
        let (yaml, script) = (dir.path().join("a.yaml"), dir.path().join(format!("{number}.sh")));
        let text = format!(
            "link: {{ device: eth0, profile: docsis, up: 1mbit, down: 9mbit }}\nclasses: {{ {}: {{ default: true }} }}\n",
            quoted(name)
        );
        std::fs::write(&yaml, text).expect("written");
        compile(&yaml, &script).expect("a script");
        scripts.push(std::fs::read_to_string(&script).expect("text"));
    }
    assert_parts_sound(&scripts);
}

/// The script carries its YAML in the lines at its end. A shell that runs these lines alone does nothing.
#[test]
fn the_yaml_in_a_script_is_never_run() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (file, script, tail) =
        (dir.path().join("a.yaml"), dir.path().join("a.sh"), dir.path().join("tail.sh"));
    let mut runner = TestRunner::new(Config { cases: 16, failure_persistence: None, ..Config::default() });
    let made = runner.run(&remark(), |remark| {
        let remark = remark.replace("reboot", "echo run");
        let yaml = format!("link: {{ device: eth0, profile: docsis, up: 1mbit, down: 9mbit }}\n#{remark}");
        std::fs::write(&file, &yaml).expect("written");
        compile(&file, &script).map_err(|why| TestCaseError::fail(format!("{yaml:?}\n{why}")))?;
        let text = std::fs::read_to_string(&script).expect("text");
        let (_, carried) = text.rsplit_once("; exit; }\n").expect("the last line of the runtime");
        std::fs::write(&tail, format!("{carried}\necho alive\n")).expect("written");
        for shell in [&["dash"][..], &["bash"], &["busybox", "ash"]] {
            let ran = run(Command::new(shell[0]).args(&shell[1..]).arg(&tail));
            prop_assert_eq!(String::from_utf8_lossy(&ran.stdout), "alive\n", "{:?}: {:?}", shell, &yaml);
            prop_assert!(ran.stderr.is_empty());
        }
        Ok(())
    });
    made.expect("no shell sees what is carried");
}
