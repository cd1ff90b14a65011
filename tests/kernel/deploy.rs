//! `qosc deploy` to a router with a real sshd: what it changes, what it leaves, and its line for each failure.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::Report;
use crate::uml::Guest;

fn yaml(rest: &str) -> String {
    format!(
        "name: home\n\
         link: {{ device: eth0, profile: docsis, up: 20mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true }}\n{rest}"
    )
}

/// The lines of a step, one for each host.
fn expect_lines(report: &Report, step: &str, code: u8, lines: &[&str]) {
    report.expect_code(step, code);
    let out = report.out(step);
    let about = report.about(step);
    assert!(!about.contains("authorized users only"), "the banner is no warning\n{about}");
    assert_eq!(out.lines().count(), lines.len(), "{about}");
    for (line, start) in out.lines().zip(lines) {
        assert!(line.starts_with(start), "`{line}` does not begin with `{start}`\n{about}");
    }
}

/// The commands that sshd ran in a step. Before each is `yes` if the copy for the boot existed, and else `no`.
fn expect_commands(report: &Report, step: &str, commands: &[&str]) {
    let ran = report.text(&format!("out/{step}.commands"));
    assert_eq!(ran.lines().collect::<Vec<_>>(), commands, "{}", report.about(step));
}

#[test]
fn only_a_router_that_still_answers_keeps_the_change() {
    let (home, changed) = (yaml(""), yaml("  bulk: { match: [{ dscp: cs1 }] }\n"));
    // The script names its file, so both have the name that `deploy` reads.
    let [old, new] = [("home", &home), ("changed", &changed)]
        .map(|(stem, text)| House::of(stem, text.clone().into_bytes()));
    let guest: Guest =
        old.guest("deploy").variable("QOSC", env!("CARGO_BIN_EXE_qosc")).variable("HOME", "/root");
    let guest = guest.file("home.yaml", home).file("changed.yaml", changed);
    let guest = guest.file("home.sh", old.script.as_str()).file("changed.sh", new.script.as_str());
    let Some(report) = guest.run("deploy.sh") else { return };

    let refused = [
        "unknown: failed: its host key is unknown; type `ssh unknown` once",
        "changed: failed: its host key has changed; if you expected that, type `ssh-keygen -R changed`",
        "stranger: failed: it accepts no key that works without a question",
        "visitor: failed: the login is not root; write `root@visitor`",
        "absent: failed: unreachable: no",
        "closed: failed: unreachable: nothing answers at the port of ssh",
    ];
    expect_lines(&report, "refused/deploy", 2, &refused);
    expect_commands(&report, "refused/deploy", &["no sh -s"]);
    report.expect_same("out/refused/before.state", "out/refused/after.state");

    expect_lines(&report, "first/dry", 0, &["router: would change; nothing starts it at boot"]);
    report.expect_same("out/refused/before.state", "out/first/dry.state");
    let lines = [
        "stranger: failed: ",
        "router: deployed; nothing starts it at boot: add `--system",
        "absent: failed: ",
    ];
    expect_lines(&report, "first/deploy", 2, &lines);
    let commands = ["no sh -s", "no sh -s try 60", "no true", "no sh -s confirm", "no sh -s"];
    expect_commands(&report, "first/deploy", &commands);
    report.expect_code("first/check", 0);
    report.expect_code("first/same", 0);
    expect_held(&old, &report, "first/dump");

    expect_lines(&report, "second/deploy", 0, &["router: up to date; nothing starts it at boot"]);
    expect_commands(&report, "second/deploy", &["yes sh -s", "yes sh -s try 60", "yes sh -s"]);
    report.expect_silence("second/second");
    expect_lines(&report, "second/hooks", 0, &["router: up to date; files for the boot written"]);
    expect_lines(&report, "second/again", 0, &["router: up to date"]);
    assert_eq!(report.out("second/again"), "router: up to date\n");
    for file in ["home.uninstall.sh", "qosc-home"] {
        assert!(!report.text("out/second/deploy.files").contains(file), "{file}");
        assert!(report.text("out/second/hooks.files").contains(file), "{file}");
    }
    report.expect_same("out/first/first.state", "out/second/second.state");

    let cut = "router: failed: no new connection worked after the change; it was not confirmed, so the router rolls back";
    expect_lines(&report, "cut/deploy", 2, &[cut]);
    expect_commands(&report, "cut/deploy", &["yes sh -s", "yes sh -s try 20"]);
    report.expect_code("cut/check", 0);
    expect_lines(&report, "gone/deploy", 2, &[cut]);
    for leg in ["cut", "gone"] {
        report.expect_code(&format!("{leg}/same"), 0);
        expect_held(&old, &report, &format!("{leg}/dump"));
    }

    expect_lines(&report, "blinked/deploy", 0, &["router: deployed"]);
    for step in ["check", "same"] {
        report.expect_code(&format!("blinked/{step}"), 0);
    }
    expect_held(&new, &report, "blinked/dump");

    let back = "router: the configuration before is back; another `--undo` returns";
    for (step, script) in [("undo", "dump"), ("again", "again-dump")] {
        expect_lines(&report, &format!("undone/{step}"), 0, &[back]);
        let house = if step == "undo" { &old } else { &new };
        expect_held(house, &report, &format!("undone/{script}"));
    }
    let commands = ["yes sh -s", "yes sh '/etc/qosc/home.before.sh' try 60", "yes true", "yes sh -s confirm"];
    expect_commands(&report, "undone/undo", &[&commands[..], &["yes sh -s"]].concat());
    for step in ["same", "before", "again-same", "again-before"] {
        report.expect_code(&format!("undone/{step}"), 0);
    }

    expect_lines(&report, "local/deploy", 0, &["localhost: deployed"]);
    expect_held(&old, &report, "local/dump");
    report.expect_code("local/refused", 2);
    let shown = report.out("local/refused");
    assert!(shown.contains("localhost: not kept: what was before is back"), "{shown}");
    report.expect_code("local/trial", 2);
    expect_held(&old, &report, "local/back");
    report.expect_code("local/kept", 0);
    expect_held(&new, &report, "local/kept-dump");
    for step in ["back-same", "kept-same"] {
        report.expect_code(&format!("local/{step}"), 0);
    }
    assert_eq!(report.text("out/local/commands"), "", "no call needs sshd");

    expect_lines(
        &report,
        "foreign/deploy",
        2,
        &[
            "router: failed: not ours, so nothing was changed (--take-over removes it): qdisc prio 7: at the root of eth0",
        ],
    );
    report.expect_same("out/foreign/before.state", "out/foreign/after.state");
    expect_lines(&report, "foreign/take", 0, &["router: deployed without a trial"]);
    report.expect_code("foreign/check", 0);
    expect_held(&old, &report, "foreign/dump");

    for step in ["start", "check", "try", "again", "confirm"] {
        report.expect_code(&format!("pipe/{step}"), 0);
    }
    expect_held(&old, &report, "pipe/dump");
    expect_held(&new, &report, "pipe/tried");
    expect_held(&old, &report, "pipe/back");
    expect_held(&new, &report, "pipe/kept");
}
