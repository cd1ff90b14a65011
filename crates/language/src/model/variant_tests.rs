use super::{Variant, switches};
use crate::diag::{FileId, Span};
use crate::units::Days;

fn variant(name: &str, when: &str, days: &str) -> Variant {
    let span = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };
    Variant { name: name.to_owned(), span, when: when.parse().unwrap(), days: days.parse().unwrap() }
}

/// Returns the switches as day, hour and minute.
fn clock(variants: &[Variant]) -> Vec<String> {
    let text = |(minute, name): &(u16, Option<&str>)| {
        format!("{}-{:02}:{:02} {}", minute / 1440, minute % 1440 / 60, minute % 60, name.unwrap_or("base"))
    };
    switches(variants).iter().map(text).collect()
}

#[test]
fn a_night_ends_on_the_next_day() {
    let night = variant("night", "23:00-06:00", "fri-sat");
    assert_eq!(clock(&[night]), ["4-23:00 night", "5-06:00 base", "5-23:00 night", "6-06:00 base"]);
    let sunday = variant("sunday", "22:30-01:00", "sun");
    assert_eq!(clock(&[sunday]), ["0-01:00 base", "6-22:30 sunday"], "the week goes around");
}

#[test]
fn whole_days_need_no_switch_at_midnight() {
    let weekend = [variant("weekend", "00:00-24:00", "sat-sun")];
    assert_eq!(clock(&weekend), ["0-00:00 base", "5-00:00 weekend"]);
    assert_eq!(clock(&[variant("rest", "06:00-06:00", "sat")]), ["5-06:00 rest", "6-06:00 base"]);
    assert_eq!(clock(&[variant("always", "00:00-24:00", "mon-sun")]), ["0-00:00 always"]);
    assert_eq!(clock(&[]), [""; 0]);
}

#[test]
fn one_variant_may_follow_another_without_a_gap() {
    let all = [variant("night", "23:00-06:00", "mon"), variant("early", "06:00-08:00", "tue")];
    assert_eq!(clock(&all), ["0-23:00 night", "1-06:00 early", "1-08:00 base"]);
    assert_eq!(all[0].meets(&all[1]), None);
    let late = variant("late", "05:59-07:00", "mon-sun");
    assert_eq!(all[0].meets(&late), Some(1440 + 359));
    assert_eq!(late.meets(&all[1]), Some(1440 + 360));
}

#[test]
fn the_text_names_days_only_if_they_are_not_all() {
    assert_eq!(variant("night", "23:00-6:00", "mon-sun").times(), "23:00-06:00");
    assert_eq!(variant("night", "23:00-6:00", "fri-sat").times(), "23:00-06:00 on fri, sat");
    assert_eq!(variant("night", "23:00-6:00", "fri").days, "fri".parse::<Days>().unwrap());
}
