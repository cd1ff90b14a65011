//! Scripts that describe the same link differently and are started at the same moment: one after the other has its way, and
//! what is there in the end is what one of them describes.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::kills::pair;
use crate::report::Report;
use crate::streams::held;
use std::time::Duration;

/// Whether the kernel holds exactly this.
fn is_held(house: &House, report: &Report, leg: &str) -> bool {
    let held = held(house, &report.text(&format!("out/{leg}/left.held")));
    qosc::diff::compare(&house.program.on(house.facts()), &held).is_empty()
}

/// Which of them is there; the other one's `check` says so, too.
#[track_caller]
fn winner(report: &Report, leg: &str, houses: [(&str, &House); 2]) -> Option<String> {
    let there: Vec<&str> =
        houses.iter().filter(|(_, house)| is_held(house, report, leg)).map(|(name, _)| *name).collect();
    assert!(there.len() < 2);
    for (name, _) in houses {
        let code = match there.first() {
            Some(winner) if *winner == name => 0,
            Some(_) => 1,
            None => 3,
        };
        report.expect_code(&format!("{leg}/check-{name}"), code);
    }
    if there.is_empty() {
        report.expect_same("out/whole/before.glance", &format!("out/{leg}/left.glance"));
    }
    there.first().map(|name| (*name).to_owned())
}

/// A start that waited for longer than it may says so, and has changed nothing.
#[track_caller]
fn expect_done_or_tired(report: &Report, step: &str) -> bool {
    if report.text(&format!("out/{step}.code")).trim() == "0" {
        return true;
    }
    report.expect_code(step, 1);
    assert!(report.text(&format!("out/{step}.err")).contains("has been at work"), "{}", report.about(step));
    false
}

#[test]
fn one_of_those_who_start_at_once_has_its_way() {
    let (a, b) = pair();
    let houses = [("a", &a), ("b", &b)];
    let guest = a.guest("together").file("a.sh", a.script.as_str()).file("b.sh", b.script.as_str());
    let Some(report) = guest.limit(Duration::from_secs(900)).run("together.sh") else { return };
    for round in 1..=4 {
        let leg = format!("two-{round}");
        for step in ["a", "b"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        assert!(winner(&report, &leg, houses).is_some(), "{leg}: neither is there");
    }
    let done = (1..=10).filter(|number| expect_done_or_tired(&report, &format!("ten/{number}"))).count();
    let won = winner(&report, "ten", houses).expect("one of ten is there");
    eprintln!("{}: of ten at once {done} had their turn, {won} was last", report.name());
    assert!(done > 2);
    let mut stopped = 0;
    for number in 1..=7 {
        let leg = format!("stop-{number}");
        for step in ["b", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        let left = winner(&report, &leg, houses);
        assert!(left.as_deref().is_none_or(|name| name == "b"), "{leg}: {left:?}");
        stopped += usize::from(left.is_none());
    }
    eprintln!("{}: of 7 starts that were stopped meanwhile {stopped} left nothing", report.name());
    report.expect_code("whole/stop", 0);
    report.expect_same("out/whole/before.glance", "out/whole/after.glance");
}
