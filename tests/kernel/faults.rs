//! Starts in which each step fails in turn, as the tools themselves fail: every process, and every line of a batch. The
//! start restores the state before it and names the line of the YAML.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::kills::{anew, guest_for, marked, pair, steps};
use crate::report::Report;
use crate::share::share;
use crate::streams::expect_exactly;
use std::time::Duration;

/// The disturbed call, its disturbance, and the selection of turns.
pub struct Turns {
    /// The guest script.
    pub guest: &'static str,
    /// The call: `start` of the second configuration, or `change` or `restart` from the first to the second.
    pub what: &'static str,
    /// The disturbance; see `spy.c`.
    pub plan: &'static str,
    /// A part of all steps, and the number of parts.
    pub part: (usize, usize),
    /// The number of turns, spread over all steps; `None` for all.
    pub most: Option<usize>,
}

/// A disturbed call: its two configurations, its steps, and the turns that were taken.
pub struct Case {
    pub a: House,
    pub b: House,
    pub report: Report,
    pub steps: Vec<String>,
    pub turns: Vec<usize>,
}

fn run(
    pair: (House, House),
    what: &'static str,
    plan: &'static str,
    part: usize,
    parts: usize,
) -> Option<Case> {
    Case::run(pair, &Turns { guest: "faults.sh", what, plan, part: (part, parts), most: None })
}

/// Returns the place in the YAML that the end of a step names.
pub fn place(step: &str) -> Option<String> {
    let (_, after) = step.split_once("(cuts.yaml:")?;
    let (line, _) = after.split_once(')')?;
    Some(format!("(cuts.yaml:{line})"))
}

impl Case {
    /// Runs the undisturbed call and all turns in a guest.
    pub fn run((a, b): (House, House), turns: &Turns) -> Option<Case> {
        let Turns { what, plan, part: (part, parts), .. } = *turns;
        let guest = guest_for(&a, &format!("{}-{plan}-{what}-{part}", turns.guest.trim_end_matches(".sh")));
        let guest = guest.file("a.sh", a.script.as_str()).file("b.sh", b.script.as_str());
        let guest = guest.variable("WHAT", what).variable("PLAN", plan);
        let guest = guest.variable("PART", &part.to_string()).variable("PARTS", &parts.to_string());
        let guest = match turns.most {
            Some(most) => guest
                .variable("MOST", &most.to_string())
                .variable("SEED", &crate::random_walk::seed().to_string()),
            None => guest,
        };
        let report = guest.limit(Duration::from_secs(1800)).run(turns.guest)?;
        for step in ["start", "performed"] {
            report.expect_code(&format!("whole/{step}"), 0);
        }
        expect_exactly(&b, &report, "whole/performed");
        let steps = steps(&report);
        let all = plan == "refuse" && turns.most.is_none();
        let turns = crate::kills::turns(&report, &steps, (part, parts), all);
        Some(Case { a, b, report, steps, turns })
    }

    /// Checks the message about a failed step: it is an error, and names the step's place if it has one.
    #[track_caller]
    fn expect_message(&self, turn: usize) {
        let said = self.report.text(&format!("out/{turn}/start.err"));
        assert!(said.contains("error: "), "{}", self.report.about(&format!("{turn}/start")));
        if let Some(place) = place(&self.steps[turn - 1]) {
            assert!(said.contains(&place), "{place}: {}", self.report.about(&format!("{turn}/start")));
        }
    }

    /// The glance of a step without the objects of tc and the devices' numbers: devices, offloads, and our files.
    fn beside(&self, step: &str) -> Vec<String> {
        let text = self.report.text(&format!("out/{step}.glance")).replace("ifb2-", "ifb-");
        let lines = text.lines().skip_while(|line| !line.contains(": <BROADCAST"));
        let numberless = |line: &str| match line.split_once(": ") {
            Some((number, rest)) if number.parse::<u32>().is_ok() => rest.to_owned(),
            _ => line.to_owned(),
        };
        // A recreated device has another Ethernet address.
        lines.filter(|line| !line.contains("link/ether")).map(numberless).collect()
    }

    #[track_caller]
    pub fn expect_as_before(&self, turn: usize, what: &str) {
        if what == "start" {
            self.report.expect_same("out/whole/before.glance", &format!("out/{turn}/start.glance"));
        } else {
            expect_exactly(&self.a, &self.report, &format!("{turn}/start"));
            let step = format!("{turn}/start");
            assert_eq!(self.beside("whole/start"), self.beside(&step), "{}", self.report.about(&step));
        }
        self.report.expect_code(&format!("{turn}/ping"), 0);
    }
}

fn refuse(pair: (House, House), what: &'static str, part: usize, parts: usize) {
    let Some(case) = run(pair, what, "refuse", part, parts) else { return };
    let (mut failed, mut unharmed) = (0, Vec::new());
    for &turn in &case.turns {
        match case.report.text(&format!("out/{turn}/start.code")).trim() {
            // A start tolerates the failure of some queries and of some changes.
            "0" => unharmed.push(case.steps[turn - 1].as_str()),
            _ => {
                case.report.expect_code(&format!("{turn}/start"), 1);
                case.expect_message(turn);
                case.expect_as_before(turn, what);
                failed += 1;
            }
        }
    }
    eprintln!(
        "{}: {failed} of {} steps failed the start, {unharmed:#?} did not",
        case.report.name(),
        case.steps.len()
    );
    let must = |step: &&str| step.starts_with("tc ") && place(step).is_some() || step.starts_with("nft -f");
    assert_eq!(unharmed.iter().find(|step| must(step)), None, "a refused step was overlooked");
}

#[test]
fn a_failed_step_of_a_start_leaves_nothing() {
    refuse(pair(), "start", 1, 1);
}

#[test]
fn a_failed_odd_step_of_a_change_is_rolled_back() {
    refuse(pair(), "change", 1, 2);
}

#[test]
fn a_failed_even_step_of_a_change_is_rolled_back() {
    refuse(pair(), "change", 2, 2);
}

#[test]
fn a_failed_step_of_a_rebuild_is_rolled_back() {
    refuse(anew(), "change", 1, 1);
}

#[test]
fn a_failed_step_of_a_change_of_marks_is_rolled_back() {
    refuse(marked(), "change", 1, 1);
}

#[test]
fn a_failed_rollback_removes_all_our_objects() {
    let Some(case) = run(pair(), "change", "never", 1, 1) else { return };
    let mut removed = 0;
    for &turn in &case.turns {
        let report = &case.report;
        // This plan skips deletions, which the rollback needs too.
        assert!(place(&case.steps[turn - 1]).is_some());
        report.expect_code(&format!("{turn}/start"), 1);
        case.expect_message(turn);
        let said = report.text(&format!("out/{turn}/start.err"));
        // If the first change fails, the rollback has nothing to do.
        if said.contains("everything was put back") {
            case.expect_as_before(turn, "change");
            continue;
        }
        report.expect_same("out/whole/before.glance", &format!("out/{turn}/start.glance"));
        assert!(
            said.contains("everything of ours was removed"),
            "{}",
            report.about(&format!("{turn}/start"))
        );
        report.expect_code(&format!("{turn}/ping"), 0);
        removed += 1;
    }
    eprintln!("{}: {removed} of {} steps", case.report.name(), case.steps.len());
    assert!(removed > if share().is_some() { 0 } else { 10 }, "{removed}");
}
