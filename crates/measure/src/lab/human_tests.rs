//! Tests of the terminal output for a measured report and for parts of it.

use super::human;
use crate::lab::LabReport;
use crate::lab::report::Expectation;
use qosc_compiler::model::{Direction, Load};

/// A report of the lab on `examples/vdsl2-home.yaml` with some expectations, shortened to a part of the pings.
pub(in crate::lab) fn measured() -> LabReport {
    serde_json::from_str(include_str!("../../../../tests/measure/page/lab.json")).expect("a report")
}

/// The same report with only the expectations.
pub(in crate::lab) fn expectations_alone() -> LabReport {
    let mut report = measured();
    report.situations.clear();
    report.small.clear();
    report.flows.clear();
    report.classes.clear();
    report
}

#[test]
fn the_report_matches_the_snapshot() {
    let text = human(&measured(), false);
    assert!(text.lines().all(|line| line.chars().count() <= 100));
    crate::golden::assert_golden!(text);
}

#[test]
fn sections_that_were_not_measured_are_left_out() {
    let text = human(&expectations_alone(), false);
    for word in ["what changes", "situations", "packets of 64", "eight of another", "classes up"] {
        assert!(!text.contains(word), "{word}");
    }
    assert!(text.contains("\nexpectations\n"));
}

#[test]
fn a_line_without_line_rates_is_said_to_have_the_shaped_ones() {
    let mut report = expectations_alone();
    let said = |report: &LabReport| {
        let text = human(report, false);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!said(&report).contains("not known"));
    report.line.unknown = vec![Direction::Down];
    assert!(said(&report).contains("its line rate for downloads is not known, so it has the shaped rate, and downloads queue at the provider;"));
    report.line.unknown = Direction::BOTH.to_vec();
    assert!(said(&report).contains(
        "its line rates are not known, so it has the shaped rates, and downloads queue at the provider;"
    ));
}

#[test]
fn a_load_that_does_not_fill_the_line_is_told() {
    let mut report = measured();
    report.situations.iter_mut().for_each(|one| one.used = Some(970_000));
    report.flows.iter_mut().for_each(|one| one.used = Some(970_000));
    let text = human(&report, false);
    assert!(text.contains("\n  line used ") && text.contains("97.0%"), "{text}");
    assert!(!text.contains("not full") && !text.contains("did not fill"), "{text}");
    report.situations[4].used = Some(160_000);
    report.flows[0].used = Some(160_000);
    let text = human(&report, false);
    assert_eq!(
        (text.matches("16.0%, not full").count(), text.matches("did not fill").count()),
        (2, 1),
        "{text}"
    );
}

#[test]
fn losses_and_unfinished_fetches_are_shown() {
    let mut report = measured();
    for one in report.situations.iter_mut().filter(|one| one.load == Load::Upload && one.shaped) {
        let nothing = crate::lab::Times { sent: 500, lost: 500, ..Default::default() };
        (one.ping, one.fetch) = (nothing, crate::lab::Times { sent: 1, lost: 1, ..Default::default() });
    }
    let text = human(&report, false);
    let line = text.lines().find(|line| line.contains("three bulk uploads")).expect("a line");
    assert!(line.ends_with("never with; fetch p50") || line.contains("never with"), "{line}");
    assert!(text.contains("100.0%"));
}

/// The remark appears only if packets wait and are lost in spite of the script.
#[test]
fn the_remark_on_the_provider_needs_delay_and_loss() {
    let words = "no router can hold back";
    let flat = |report: &LabReport| human(report, false).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut report = measured();
    assert!(flat(&report).contains(words));
    for one in report.situations.iter_mut().filter(|one| one.load == Load::FloodDown && one.shaped) {
        (one.ping.lost, one.ping.p50) = (0, Some(21_000));
    }
    assert!(!flat(&report).contains(words));
}

#[test]
fn names_cannot_send_control_characters() {
    let mut report = measured();
    report.link = "a\u{1b}[2Jb".to_owned();
    report.roles.quiet = "c\u{7}".to_owned();
    report.expectations.push(Expectation { what: "d\u{1b}".to_owned(), ..report.expectations[0].clone() });
    report.classes.iter_mut().for_each(|one| one.class.push('\u{8}'));
    let text = human(&report, false);
    assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()));
    assert!(human(&report, true).contains("\u{1b}[1m"));
}
