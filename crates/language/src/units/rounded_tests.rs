use super::super::{Bytes, Micros, Rate};
use super::{change_for_people, for_people, words_for_people};
use proptest::prelude::{any, prop_assert, proptest};

#[test]
fn values_for_people_have_few_digits_and_a_fitting_unit() {
    let rate = |bps| Rate::from_bps(bps).for_people();
    assert_eq!(rate(11_692_307), "11.69mbit");
    assert_eq!(rate(6_271_384), "6.271mbit");
    assert_eq!([rate(0), rate(999), rate(64_000)], ["0bit", "999bit", "64kbit"]);
    assert_eq!([rate(1_999_999), rate(1_234_567_890)], ["2mbit", "1.235gbit"]);
    let time = |us| Micros::from_us(us).for_people();
    assert_eq!([time(0), time(186), time(1_942)], ["0 us", "186 us", "1.94 ms"]);
    assert_eq!([time(123_546), time(100_000), time(1_500_000)], ["124 ms", "100 ms", "1.5 s"]);
    assert_eq!(time(999_999), "1 s");
    let size = |bytes| Bytes::new(bytes).for_people();
    assert_eq!([size(0), size(1), size(1643)], ["0 bytes", "1 byte", "1643 bytes"]);
    assert_eq!([size(12_250), size(2_359_296), size(4 << 20)], ["12 KiB", "2.25 MiB", "4 MiB"]);
}

#[test]
fn only_printed_values_are_rounded() {
    for (exact, shown) in [
        ("11692.307kbit", "11.69mbit"),
        ("20.123ms", "20.1 ms"),
        ("2250KiB", "2.2 MiB"),
        ("10%", "10%"),
        ("1643", "1643"),
        ("besteffort", "besteffort"),
        ("bit", "bit"),
        ("c05:2", "c05:2"),
        ("", ""),
    ] {
        assert_eq!(for_people(exact), shown);
    }
}

#[test]
fn different_values_differ_after_rounding() {
    let change = |old, new| {
        let (old, new) = change_for_people(old, new);
        format!("{old} -> {new}")
    };
    assert_eq!(change("11692.307kbit", "15.6mbit"), "11.69mbit -> 15.6mbit");
    assert_eq!(change("11692.307kbit", "11692.4kbit"), "11.6923mbit -> 11.6924mbit");
    assert_eq!(change("20.123ms", "20.1ms"), "20.12 ms -> 20.1 ms");
    assert_eq!(change("4096KiB", "4097KiB"), "4 MiB -> 4.001 MiB");
    assert_eq!(change("10%", "11692.307kbit"), "10% -> 11.69mbit");
    assert_eq!(change("64kbit", "64kbit"), "64kbit -> 64kbit");
}

#[test]
fn only_the_values_in_a_sentence_are_rounded() {
    assert_eq!(
        words_for_people("up 11692.307kbit -> 11692.4kbit, down 50mbit; wait 20.123ms"),
        "up 11.6923mbit -> 11.6924mbit, down 50mbit; wait 20.1 ms"
    );
    assert_eq!(words_for_people("the default (6271.384kbit)"), "the default (6.271mbit)");
    assert_eq!(words_for_people("a -> b"), "a -> b");
}

proptest! {
    #[test]
    fn any_two_rates_differ_after_rounding(old in any::<u64>(), new in any::<u64>()) {
        let text = |bps| Rate::from_bps(bps >> 1).to_string();
        let (shown, other) = change_for_people(&text(old), &text(new));
        prop_assert!((shown == other) == (old >> 1 == new >> 1), "{shown} {other}");
    }

    #[test]
    fn rates_are_rounded_to_the_nearest(bps in 0u64..=1 << 62, digits in 1u32..8) {
        let rounded = Rate::from_bps(bps).rounded(digits).bps();
        prop_assert!(rounded.abs_diff(bps) <= bps / 10u64.pow(digits - 1) / 2 + 1, "{rounded}");
    }
}
