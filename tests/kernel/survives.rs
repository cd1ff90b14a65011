//! Faults from outside that a script survives: other calls at the same moment, a slow change, a full disk, closed
//! streams. It also survives being replaced while it runs, and says if it was cut in transfer.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::Report;
use crate::tools;
use std::process::Command;

/// A link on this device.
fn link(name: &str, device: &str, rest: &str) -> House {
    let text = format!(
        "name: {name}\nlink: {{ device: {device}, profile: docsis, up: 5mbit, down: 20mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n{rest}  rest: {{ default: true }}\n"
    );
    House::of(name, text.into_bytes())
}

/// The first link, and the same after a change.
fn houses() -> [House; 2] {
    ["", "  bulk: { match: [{ dscp: cs1 }] }\n"].map(|rest| link("survives", "eth0", rest))
}

/// Runs a part of `guest/survives.sh` with the scripts of two links, and of a change of the first.
fn run(part: &str) -> Option<Report> {
    let [house, changed] = houses();
    let guest = house.guest(part).file("other.sh", link("other", "eth9", "").script);
    guest
        .file("changed.sh", changed.script)
        .variable("PART", part)
        .variable("OTHER_WAN", "eth9")
        .run("survives.sh")
}

#[test]
fn two_links_that_stop_at_once_leave_nothing() {
    let Some(report) = run("two_stops") else { return };
    for call in ["start", "stop"] {
        for script in ["router", "other"] {
            report.expect_code(&format!("stops/{call}-{script}.sh"), 0);
        }
    }
    let [before, started] = ["before", "started"].map(|name| report.text(&format!("out/stops/{name}.state")));
    assert_ne!(before, started);
    report.expect_same("out/stops/before.state", "out/stops/after.state");
}

#[test]
fn the_deadline_of_a_trial_counts_from_the_end_of_its_change() {
    let Some(report) = run("slow_try") else { return };
    let [old, new] = houses();
    report.expect_code("slow/try", 0);
    for step in ["try", "status"] {
        assert!(
            report.out(&format!("slow/{step}")).contains("it goes back in"),
            "{}",
            report.about("slow/try")
        );
    }
    expect_held(&new, &report, "slow/dump");
    expect_held(&old, &report, "slow/back");
}

#[test]
fn a_rollback_waits_for_the_lock_and_for_space() {
    let Some(report) = run("late_rollback") else { return };
    let [old, new] = houses();
    for fault in ["locked", "full"] {
        report.expect_code(&format!("late/try-{fault}"), 0);
        expect_held(&new, &report, &format!("late/tried-{fault}"));
        let said = report.out(&format!("late/status-{fault}"));
        assert!(said.contains("it goes back in 0 s"), "{said}");
        expect_held(&old, &report, &format!("late/back-{fault}"));
        report.expect_code(&format!("late/check-{fault}"), 0);
    }
}

#[test]
fn a_script_that_is_copied_over_while_it_runs_is_not_read_on() {
    let Some(report) = run("copied_over") else { return };
    let [house, _] = houses();
    for shell in ["dash", "bash", "ash"] {
        let step = |name: &str| format!("copied-{shell}/{name}");
        report.expect_code(&step("start"), 0);
        assert_eq!(report.text(&format!("out/{}.err", step("start"))), "");
        expect_held(&house, &report, &step("dump"));
        report.expect_code(&step("went-on"), 2);
    }
}

#[test]
fn a_start_without_standard_streams_is_complete() {
    let Some(report) = run("closed_streams") else { return };
    let [old, new] = houses();
    for shell in ["dash", "bash", "ash"] {
        for step in ["start", "change", "stop"] {
            report.expect_code(&format!("closed-{shell}/{step}"), 0);
        }
        expect_held(&old, &report, &format!("closed-{shell}/dump"));
        expect_held(&new, &report, &format!("closed-{shell}/changed"));
    }
}

#[test]
fn a_check_tells_a_change_at_work_from_an_interrupted_one() {
    let Some(report) = run("watched_change") else { return };
    for (script, code, state) in [("router", 3, "not started"), ("changed", 1, "drifted")] {
        for call in ["check", "status"] {
            let step = format!("watched/{call}-{script}.sh");
            report.expect_code(&step, code);
            let said = report.out(&step);
            assert!(said.starts_with(&format!("survives: {state}: a change is at work now\n")), "{said}");
            assert!(!said.contains("interrupted"), "{said}");
        }
    }
    report.expect_code("watched/check-killed", 1);
    let said = report.out("watched/check-killed");
    assert!(
        said.contains("drifted: the last change was interrupted; `start` completes it, `stop` removes it"),
        "{said}"
    );
    report.expect_code("watched/stop", 0);
}

#[test]
fn a_read_only_folder_is_named_as_the_reason() {
    let Some(report) = run("read_only") else { return };
    for shell in ["dash", "bash", "ash"] {
        for step in ["first", "change"] {
            report.expect_code(&format!("read-only-{shell}/{step}"), 1);
            let said = report.text(&format!("out/read-only-{shell}/{step}.err"));
            let words = "survives: error: cannot write /run/disk/qosc/survives: Read-only file system\n";
            assert_eq!(said, words, "{shell} {step}");
        }
        for step in ["start", "check", "stop"] {
            report.expect_code(&format!("read-only-{shell}/{step}"), 0);
        }
    }
}

/// Where a script may be cut: after some lines, and within the last ones at each byte.
fn cuts(script: &str) -> Vec<usize> {
    let runtime = script.split_once("\n# --- the YAML").expect("the YAML").0.trim_end();
    let trap = runtime.find("EXIT").expect("a trap");
    let lines = runtime.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at > trap);
    let last = runtime.len() - 40..runtime.len();
    lines.step_by(23).chain(last).filter(|at| script.is_char_boundary(*at)).collect()
}

/// A whole script would print its usage here.
#[test]
fn a_script_that_was_cut_says_so_and_does_nothing() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    let [house, _] = houses();
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("cut.sh");
    for shell in [&["dash"][..], &["bash"], &["busybox", "ash"]] {
        let mut said_so = 0;
        for cut in cuts(&house.script) {
            std::fs::write(&file, house.script.split_at(cut).0).expect("written");
            let run =
                Command::new(shell[0]).args(&shell[1..]).arg(&file).arg("--help").output().expect("a shell");
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(matches!(run.status.code(), Some(1 | 2)), "{shell:?} {cut}: {said}");
            assert!(run.stdout.is_empty(), "{shell:?} {cut}");
            let message = "cut.sh: error: this script is incomplete: it was cut in transfer; copy it again\n";
            said_so += usize::from(said.ends_with(message));
        }
        assert!(said_so > 20, "{shell:?}: {said_so}");
        std::fs::write(&file, &house.script).expect("written");
        let whole =
            Command::new(shell[0]).args(&shell[1..]).arg(&file).arg("--help").output().expect("a shell");
        assert!(whole.status.success() && whole.stderr.is_empty() && !whole.stdout.is_empty(), "{shell:?}");
    }
}

/// A call that was forgotten starts nothing.
#[test]
fn without_a_call_a_script_prints_its_usage() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    let [house, _] = houses();
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("home.sh");
    std::fs::write(&file, &house.script).expect("written");
    for shell in [&["dash"][..], &["bash"], &["busybox", "ash"]] {
        for options in [&[][..], &["--device", "none0", "--if-present"]] {
            let run =
                Command::new(shell[0]).args(&shell[1..]).arg(&file).args(options).output().expect("a shell");
            assert_eq!(run.status.code(), Some(2), "{shell:?} {options:?}");
            assert!(
                run.stdout.is_empty() && run.stderr.starts_with(b"usage: home.sh "),
                "{shell:?} {options:?}"
            );
        }
    }
}
