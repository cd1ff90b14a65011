use super::super::{Micros, Percent};
use super::Rate;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

proptest! {
    #[test]
    fn a_share_is_rounded_down(bps in any::<u64>(), ppm in 0u32..=1_000_000) {
        let share = Percent::from_ppm(ppm);
        let part = u128::from(Rate::from_bps(bps).percent(share).bps());
        let exact_millionths = u128::from(bps) * u128::from(ppm);
        prop_assert!(part * 1_000_000 <= exact_millionths);
        prop_assert!((part + 1) * 1_000_000 > exact_millionths, "more than one bit/s lost");
    }

    #[test]
    fn a_share_and_its_rest_add_up_to_the_rate(bps in any::<u64>(), ppm in 0u32..=1_000_000) {
        let share = Percent::from_ppm(ppm);
        prop_assert_eq!(share.ppm() + share.rest().ppm(), 1_000_000);
        let rate = Rate::from_bps(bps);
        let both = u128::from(rate.percent(share).bps()) + u128::from(rate.percent(share.rest()).bps());
        prop_assert!(both <= u128::from(bps) && both + 1 >= u128::from(bps));
    }

    /// Every text that a message about a rate proposes is a rate that a class or a line can have.
    #[test]
    fn rates_proposed_in_messages_are_accepted(
        text in "[-+]?(0|[1-9][0-9]{0,12}|0[0-9]{1,4})([.,_][0-9]{0,3}){0,2}(e[0-9])? ?[kmgtKMG]?(i?bits?|bps|b|B|bytes?|)(/s|/sec|)",
    ) {
        if let Err(error) = text.parse::<Rate>() {
            let fix = error.mended(&text);
            for proposed in error.help.iter().flat_map(|help| ticked(&help.words)).chain(fix.as_deref()) {
                let example = ["bit", "kbit", "mbit", "gbit"].contains(&proposed);
                let rate = proposed.parse::<Rate>().map(Rate::bps);
                prop_assert!(example || matches!(rate, Ok(8_000..=800_000_000_000)), "{text}: {error:?}");
            }
        }
    }

    #[test]
    fn scaling_rounds_down(bps in any::<u64>(), numerator in 0u64..1_000_000, more in 0u64..1_000_000) {
        let denominator = numerator + more;
        let scaled = Rate::from_bps(bps).scale(numerator, denominator).bps();
        prop_assert!(scaled <= bps);
        prop_assert!(u128::from(scaled) * u128::from(denominator) <= u128::from(bps) * u128::from(numerator));
    }

    #[test]
    fn time_is_rounded_up_and_bytes_down(bps in 8u64..=400_000_000_000, bytes in 0u64..=1 << 32) {
        let rate = Rate::from_bps(bps);
        let time = rate.time_for(bytes);
        prop_assert!(u128::from(time.us()) * u128::from(bps) >= u128::from(bytes) * 8_000_000);
        prop_assert!(rate.bytes_in(time) >= bytes);
        let less = Micros::from_us(time.us().saturating_sub(1));
        prop_assert!(bytes == 0 || rate.bytes_in(less) < bytes);
    }
}

/// The texts in backticks.
fn ticked(words: &str) -> impl Iterator<Item = &str> {
    words.split('`').skip(1).step_by(2)
}

#[test]
fn extreme_rates_do_not_overflow() {
    let most = Rate::from_bps(u64::MAX);
    assert_eq!(most.percent(Percent::ALL), most);
    assert_eq!(most.scale(2, 1), most);
    assert_eq!(most.scale(1, 0), Rate::from_bps(0));
    assert_eq!(Rate::from_bps(0).time_for(1), Micros::MAX);
    assert_eq!([most, most].into_iter().sum::<Rate>(), most);
}

#[test]
fn rates_print_in_the_largest_unit_with_few_decimals() {
    let printed = |bps| Rate::from_bps(bps).to_string();
    assert_eq!(printed(0), "0bit");
    assert_eq!(printed(999), "999bit");
    assert_eq!(printed(1_001), "1.001kbit");
    assert_eq!(printed(400_000), "400kbit");
    assert_eq!(printed(6_500_000), "6.5mbit");
    assert_eq!(printed(6_272_000), "6.272mbit");
    assert_eq!(printed(6_271_999), "6271.999kbit");
    assert_eq!(printed(40_000_000_000), "40gbit");
}

#[test]
fn common_spellings_of_rates_are_read() {
    for (text, bps) in [
        ("6.5mbit", 6_500_000),
        ("400 kbit/s", 400_000),
        ("1Gbit", 1_000_000_000),
        ("25 MBIT /s", 25_000_000),
        ("0.5kbit", 500),
        ("1.10mbit", 1_100_000),
        ("0bit", 0),
        (" 8bit ", 8),
        ("9223372036854775807bit", i64::MAX as u64),
        ("0.000000001gbit", 1),
        ("1.0bit", 1),
    ] {
        assert_eq!(text.parse(), Ok(Rate::from_bps(bps)), "{text}");
    }
}
