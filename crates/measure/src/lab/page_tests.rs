//! Tests of the page for a measured report and for parts of it.

use super::super::human::tests::{expectations_alone, measured};
use super::{page, parts};
use crate::page::{Chart, Item};

fn charts(report: &crate::lab::LabReport) -> Vec<Chart> {
    let items = parts(report).sections.into_iter().flat_map(|section| section.items);
    items.filter_map(|item| if let Item::Chart(chart) = item { Some(chart) } else { None }).collect()
}

#[test]
fn titles_state_the_results() {
    let page = parts(&measured());
    let titles: Vec<String> =
        std::iter::once(page.title).chain(page.sections.into_iter().map(|it| it.title)).collect();
    crate::golden::assert_golden!(titles.join("\n"));
}

#[test]
fn charts_show_every_ping_including_lost_ones() {
    let report = measured();
    for pair in crate::lab::facts::pairs(&report).into_iter().skip(1) {
        let lost =
            |samples: &[crate::lab::protocol::Sample]| samples.iter().filter(|it| it.took.is_none()).count();
        let wanted = [lost(&pair.without.course.ping), lost(&pair.with.course.ping)];
        let found = charts(&report).into_iter().any(|chart| {
            let [_, without, with] = chart.series.as_slice() else { return false };
            let count = |one: &crate::page::Series| one.data.iter().filter(|(_, y)| y.is_none()).count();
            [count(without), count(with)] == wanted && without.data.len() == pair.without.course.ping.len()
        });
        assert!(found, "{:?}", pair.load());
    }
}

#[test]
fn rates_are_drawn_until_the_end_of_the_window() {
    let report = measured();
    let rates: Vec<Chart> = charts(&report).into_iter().filter(|chart| chart.series.len() == 4).collect();
    assert_eq!(rates.len(), 4);
    for chart in rates {
        let (_, end, _) = chart.shaded[0];
        let last = |one: &crate::page::Series| one.data.last().map_or(0.0, |(at, _)| *at);
        assert!(chart.series.iter().all(|one| (end - 1.0..end).contains(&last(one))));
    }
}

#[test]
fn sections_that_were_not_measured_are_left_out() {
    let mut report = expectations_alone();
    report.expectations.clear();
    let made = parts(&report);
    assert_eq!(made.sections.len(), 1);
    assert_eq!(made.title, "home: without and with the script");
    assert!(page(&report).expect("a page").contains("</html>"));
}
