//! The Ansible collection: `ansible-playbook` configures two routers over ssh, which have neither Python nor SFTP.

use crate::report::Report;
use crate::tools;
use crate::uml::Guest;
use std::path::Path;
use std::time::Duration;

const INVENTORY: &str = "[routers]\n\
    one ansible_host=10.0.1.2\n\
    broken ansible_host=10.0.1.2\n\
    two ansible_host=10.0.2.2\n\
    [routers:vars]\n\
    ansible_user=root\n\
    ansible_python_interpreter=/nonexistent\n";

const PLAYBOOK: &str = "- hosts: routers\n  gather_facts: false\n  roles:\n    - role: qosc.qosc.router\n      \
    vars:\n        qosc_src: \"{{ playbook_dir }}/{{ inventory_hostname }}.yaml\"\n        qosc_system: debian\n";

fn yaml(name: &str, device: &str, up: &str) -> String {
    format!(
        "name: {name}\n\
         link: {{ device: {device}, profile: docsis, up: {up}, down: 50mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true }}\n"
    )
}

/// Checks the line of a host in the summary of a run.
#[track_caller]
fn expect_recap(report: &Report, step: &str, host: &str, changed: u8, failed: u8) {
    let said = report.out(&format!("run/{step}"));
    let line = said.lines().find(|line| line.starts_with(&format!("{host} ")) && line.contains("ok="));
    let line = line.unwrap_or_else(|| panic!("no {host}\n{}", report.about(&format!("run/{step}"))));
    let right = [format!("changed={changed} "), "unreachable=0".to_owned(), format!("failed={failed} ")];
    assert!(right.iter().all(|word| line.contains(word)), "{line}\n{}", report.about(&format!("run/{step}")));
}

/// Checks whether both routers have the same state after two steps.
#[track_caller]
fn expect_states(report: &Report, left: &str, right: &str, same: bool) {
    for host in ["one", "two"] {
        let [left, right] = [left, right].map(|step| report.text(&format!("out/run/{step}.{host}.state")));
        assert!(!left.is_empty());
        assert_eq!(left == right, same, "{host}\n--- first\n{left}--- second\n{right}");
    }
}

#[test]
fn ansible_configures_routers_without_python() {
    if !tools::found(&["ansible", "sshd", "ssh"]) {
        return;
    }
    let programs = tools::kept("ansible/bin");
    let (old, new) = (yaml("home", "eth0", "20mbit"), yaml("home", "eth0", "12mbit"));
    let guest = Guest::new("ansible")
        .file("inventory.ini", INVENTORY)
        .file("site.yaml", PLAYBOOK)
        .file("one.yaml", old.as_str())
        .file("two.yaml", old)
        .file("broken.yaml", yaml("broken", "eth9", "20mbit"))
        .file("changed.yaml", new)
        .variable("ANSIBLE", &programs.display().to_string())
        .variable("COLLECTION", concat!(env!("CARGO_MANIFEST_DIR"), "/ansible"))
        .variable("QOSC", &Path::new(env!("CARGO_BIN_EXE_qosc")).display().to_string())
        .memory(768)
        .limit(Duration::from_secs(1800));
    let Some(report) = guest.run("ansible.sh") else { return };

    // A check run says what would change, and changes nothing. The host that fails does not stop the others.
    for (step, host, changed, failed) in [
        ("check", "one", 1, 0),
        ("check", "broken", 0, 1),
        ("check", "two", 1, 0),
        ("first", "one", 1, 0),
        ("first", "broken", 0, 1),
        ("first", "two", 1, 0),
        ("second", "one", 0, 0),
        ("second", "two", 0, 0),
        ("preview", "one", 1, 0),
        ("preview", "two", 1, 0),
        ("probe", "two", 0, 1),
        ("changed", "one", 1, 0),
        ("changed", "two", 1, 0),
        ("removal", "one", 1, 0),
        ("absent", "one", 1, 0),
        ("absent", "two", 1, 0),
        ("gone", "one", 0, 0),
    ] {
        expect_recap(&report, step, host, changed, failed);
    }
    for (left, right, same) in [
        ("before", "checked", true),
        ("checked", "first", false),
        ("first", "second", true),
        // A preview changes nothing, and a change that fails its probe is rolled back.
        ("second", "kept", true),
        ("second", "changed", false),
        ("before", "absent", true),
    ] {
        expect_states(&report, left, right, same);
    }

    for (step, words) in [
        ("check", &["+ 3 classes", "write /etc/qosc/home.sh", "write /etc/network/if-up.d/qosc-home"][..]),
        ("check", &["there is no device eth9"]),
        ("preview", &["loses no packet", "write /etc/qosc/home.sh"]),
        ("probe", &["the probe failed with exit code 4: no answer", "returns to its previous state"]),
        ("removal", &["stop home", "remove /etc/qosc/home.uninstall.sh"]),
    ] {
        let said = report.out(&format!("run/{step}"));
        for word in words {
            assert!(said.contains(word), "no `{word}`\n{}", report.about(&format!("run/{step}")));
        }
    }
    assert_eq!(report.text("python"), "", "a router ran Python");
}
