use super::{cells, has_problem, name, used};
use crate::watch::history::ClassHistory;
use qosc_compiler::units::{Micros, Rate};
use qosc_preview::live::Seen;

#[test]
fn figures_have_few_digits_and_unknown_ones_a_dash() {
    let row = ClassHistory {
        name: "voice".to_owned(),
        depth: 2,
        seen: Seen {
            present: true,
            rate: Some(Rate::from_bps(5_917_321)),
            ceiling: Some(Rate::from_bps(6_272_000)),
            drops: Some(3),
            backlog: Some((34_912, 24)),
            delay: Some(Micros::from_us(47_199)),
            ..Seen::default()
        },
        ..ClassHistory::default()
    };
    assert_eq!(cells(&row), ["5.92mbit", "6.272mbit", "94 %", "3", "34.1 KiB", "47 ms"]);
    assert_eq!(name(&row), "    voice");
    assert_eq!(cells(&ClassHistory::default()), ["-"; 6]);
}

#[test]
fn a_class_without_ceiling_has_no_share() {
    let row = ClassHistory {
        seen: Seen { rate: Some(Rate::from_bps(1)), ..Seen::default() },
        ..ClassHistory::default()
    };
    assert_eq!(used(&row), None);
}

#[test]
fn a_class_that_the_kernel_lacks_is_marked() {
    assert_eq!(
        name(&ClassHistory { name: "voice".to_owned(), ..ClassHistory::default() }),
        "voice (missing)"
    );
}

#[test]
fn few_drops_of_a_busy_class_are_no_problem() {
    let problem = |lost, rate| {
        let rates = (Some(Rate::from_bps(rate)), Some(Rate::from_bps(1_000_000)));
        has_problem(&ClassHistory {
            seen: Seen { lost, rate: rates.0, guarantee: rates.1, ..Seen::default() },
            ..ClassHistory::default()
        })
    };
    assert!(!problem(Some(50), 900_000) && problem(Some(51), 900_000));
    assert!(!problem(Some(10), 100_000) && problem(Some(11), 899_999));
    assert!(!problem(None, 0) && !problem(Some(0), 0));
}
