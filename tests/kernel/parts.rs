//! A script without a part takes over from one that has it, and the other way round.

use crate::house::House;
use crate::report::Report;

fn house(more: &str) -> House {
    let yaml = format!(
        "name: parts\nlink: {{ device: eth0, profile: wireless, up: 10mbit, down: 50mbit{more} }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true, share: per-host }}\n"
    );
    House::of("parts", yaml.into_bytes())
}

/// The path of a file of a leg.
fn of(leg: &str, name: &str) -> String {
    format!("out/{leg}/{name}")
}

#[track_caller]
fn expect_said(report: &Report, step: &str, words: &str) {
    let all = report.out(step) + &report.text(&format!("out/{step}.err"));
    assert!(all.contains(words), "`{words}` is missing\n{}", report.about(step));
}

#[test]
fn a_script_without_a_part_takes_over_from_one_that_has_it() {
    let (plain, varied) = (house(""), house(", vary: { up: [2mbit, 12mbit], down: [10mbit, 80mbit] }"));
    let guest = plain.guest("parts").file("varied.sh", varied.script.as_str());
    let Some(report) = guest.run("parts.sh") else { return };
    for leg in ["dash", "busybox"] {
        let step = |name: &str| format!("{leg}/{name}");
        let code = |name: &str, code: u8| report.expect_code(&step(name), code);
        let said = |name: &str, words: &str| expect_said(&report, &step(name), words);
        let same = |one: &str, other: &str| report.expect_same(&of(leg, one), &of(leg, other));

        // What is missing says what to write.
        for (name, call) in [("rate", "rate"), ("metrics", "status --metrics")] {
            code(name, 2);
            said(
                name,
                &format!(
                    "parts: error: this script has no call {call}: write `script: {{ calls: [{name}] }}`"
                ),
            );
        }
        code("follow", 1);
        said("follow", "the YAML has no `vary` in `link`");
        code("switch", 0);

        // A start ends the follower of the other script, which learns of it.
        for name in ["start", "change", "at-work", "takes", "taken-check", "second"] {
            code(name, 0);
        }
        said("at-work", "parts: in place, and `follow` adapts the rates\n");
        code("other", 1);
        code("followed", 1);
        said("followed", "another script is started");
        said("taken-check", "parts: in place\n");
        said("second", "parts: up to date\n");

        // A start returns to the rates of the file, also that of a hook.
        for name in ["change-again", "scaled", "reverts", "reverted-check"] {
            code(name, 0);
        }
        said("scaled", "parts: scaled at rate 5mbit up and 20mbit down\n");
        code("scaled-other", 1);
        said("reverted-check", "parts: in place\n");
        for name in ["taken", "reverted"] {
            same("made.out", &format!("{name}.out"));
            assert_eq!(report.out(&step(&format!("{name}-records"))), "", "{name}");
        }

        // What goes back from a trial has its rates again, and its follower goes on.
        for name in ["scaled-last", "try", "undo", "try-again", "back", "unscale", "tried", "follows", "stop"]
        {
            code(name, 0);
        }
        assert_eq!(report.out(&step("tried-records")), "");
        said("back", "parts: in place at rate 5mbit up and 20mbit down\n");
        same("scaled-last-held.out", "back-held.out");
        said("follows", "parts: in place, and `follow` adapts the rates\n");
        code("trial", 0);
        same("before.state", "after.state");
    }
}

/// The part `tunnels` makes filters at a device of the line. A script without it removes them, but cannot bring them back.
#[test]
fn a_script_without_the_part_tunnels_removes_what_that_has_made() {
    let (plain, line) = (house(""), house(", devices: { tv0: {} }"));
    assert!(!plain.script.contains("# ==== part tunnels ") && line.script.contains("# ==== part tunnels "));
    let guest = plain.guest("parts tunnels").file("line.sh", line.script.as_str());
    let Some(report) = guest.run("parts_tunnels.sh") else { return };
    for leg in ["dash", "busybox"] {
        let step = |name: &str| format!("{leg}/{name}");
        let code = |name: &str, code: u8| report.expect_code(&step(name), code);
        let said = |name: &str, words: &str| expect_said(&report, &step(name), words);
        let same = |one: &str, other: &str| report.expect_same(&of(leg, one), &of(leg, other));
        for name in ["start", "line", "line-again", "line-check"] {
            code(name, 0);
        }
        code("other", 1);
        assert!(
            report.out(&step("line-tv")).contains("Redirect to device"),
            "{}",
            report.about(&step("line-tv"))
        );
        said("line-again", "parts: up to date\n");

        // The script without the part takes the filters away, and so does its `stop`.
        for name in ["takes", "takes-check", "second", "line-back", "stop"] {
            code(name, 0);
        }
        said("takes-check", "parts: in place\n");
        said("second", "parts: up to date\n");
        same("bare-tv.out", "takes-tv.out");
        same("line-tv.out", "line-back-tv.out");
        same("bare-tv.out", "stop-tv.out");
        same("before.state", "stopped.state");

        // A trial of the script with the part goes back by itself. After one of the other script, nothing is left.
        for name in ["again", "try", "undo", "undo-check", "last", "try-other", "undo-other"] {
            code(name, 0);
        }
        said("undo", "what was before is back");
        said("undo-check", "parts: in place\n");
        said("undo-other", "everything of ours was removed");
        for name in ["undo-tv", "undo-other-tv"] {
            same("bare-tv.out", &format!("{name}.out"));
        }
        same("before.state", "after.state");
    }
}
