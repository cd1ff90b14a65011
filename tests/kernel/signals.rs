//! Starts that are interrupted, or lose their terminal or their reader, after one of their steps. HUP, QUIT and a closed
//! pipe stop no change, and INT and TERM roll back. No lock and no half-built tree is left.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::faults::{Case, Turns, place};
use crate::kills::pair;
use crate::share::share;
use crate::streams::expect_exactly;

/// The number of turns of each test, spread over all steps.
const SOME: usize = 9;

fn run(what: &'static str, plan: &'static str) -> Option<Case> {
    Case::run(pair(), &Turns { guest: "signals.sh", what, plan, part: (1, 1), most: Some(SOME) })
}

/// Sends a signal after each of some steps. `code` is the exit code of a start that ends because of it.
fn signalled(what: &'static str, plan: &'static str, code: &str) {
    let Some(case) = run(what, plan) else { return };
    let survives = matches!(plan, "hup" | "quit");
    let (mut completed, mut rolled_back) = (0, 0);
    for &turn in &case.turns {
        let step = &case.steps[turn - 1];
        let about = || format!("{plan} after {step}\n{}", case.report.about(&format!("{turn}/start")));
        let ended = case.report.text(&format!("out/{turn}/start.code"));
        let changed = place(step).is_some();
        if ended.trim() == "0" {
            assert!(survives || !changed, "{}", about());
            expect_exactly(&case.b, &case.report, &format!("{turn}/start"));
            case.report.expect_code(&format!("{turn}/ping"), 0);
            completed += 1;
        } else {
            assert_eq!(ended.trim(), code, "{}", about());
            assert!(!survives || !changed, "{}", about());
            case.expect_as_before(turn, what);
            rolled_back += usize::from(changed);
        }
    }
    eprintln!("{}: {completed} completed, {rolled_back} rolled back", case.report.name());
    assert!(share().is_some() || if survives { completed } else { rolled_back } > 0);
}

#[test]
fn a_start_outlives_its_terminal() {
    signalled("start", "hup", "129");
}

#[test]
fn a_change_outlives_its_terminal() {
    signalled("change", "hup", "129");
}

#[test]
fn a_change_outlives_a_quit() {
    signalled("change", "quit", "131");
}

#[test]
fn a_restart_outlives_its_terminal() {
    signalled("restart", "hup", "129");
}

#[test]
fn an_interrupted_start_is_rolled_back() {
    signalled("start", "int", "130");
}

#[test]
fn an_interrupted_change_is_rolled_back() {
    signalled("change", "int", "130");
}

#[test]
fn a_terminated_change_is_rolled_back() {
    signalled("change", "term", "143");
}

/// Refuses some steps while nobody reads the output.
fn unread(what: &'static str) {
    let Some(case) = run(what, "refuse") else { return };
    let mut failed = 0;
    for &turn in &case.turns {
        if case.report.text(&format!("out/{turn}/start.code")).trim() != "0" {
            case.report.expect_code(&format!("{turn}/start"), 1);
            case.expect_as_before(turn, what);
            failed += 1;
        }
    }
    assert!(share().is_some() || failed > 0, "{failed}");
}

#[test]
fn a_failed_start_without_a_reader_leaves_nothing() {
    unread("start");
}

#[test]
fn a_failed_change_without_a_reader_is_rolled_back() {
    unread("change");
}
