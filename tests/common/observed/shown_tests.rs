use super::{same_bucket, same_size, same_time, shown_rate};
use qosc_compiler::units::{Bytes, Micros, Rate};

fn rate(bps: u64) -> Rate {
    Rate::from_bps(bps)
}

/// Pairs as printed by iproute2 6.1 on kernel 6.1.176.
#[test]
fn rates_equal_those_that_tc_prints() {
    for (asked, shown) in [
        (128_000, 128_000),
        (1_234_567, 1_234_000),
        (6_271_384, 6_271_000),
        (999_999_999, 999_999_000),
        (9_800_000_000, 9_800_000_000),
        (40_123_456_789, 40_123_000_000),
        (23_000_000, 23_000_000),
        (807, 800),
        (0, 0),
    ] {
        assert_eq!(shown_rate(rate(asked)), rate(shown), "{asked}");
    }
    assert!(shown_rate(rate(u64::MAX)).bps() > 0);
}

#[test]
fn buckets_equal_those_that_tc_prints() {
    for (asked, held, bps) in [
        (1600, 1599, 6_271_384),
        (1600, 1595, 23_000_000),
        (1544, 1543, 128_000),
        (5_015_432, 5_005_401, 40_123_456_789),
        (1_048_576, 1_048_374, 999_999_999),
        (65_550, 65_374, 999_999_992),
        (1_225_000, 1_225_000, 9_800_000_000),
    ] {
        assert!(same_bucket(Bytes::new(asked), Bytes::new(held), rate(bps)), "{asked} {held}");
    }
    assert!(!same_bucket(Bytes::new(1600), Bytes::new(1500), rate(6_271_384)));
    assert!(!same_bucket(Bytes::new(1600), Bytes::new(1700), rate(6_271_384)));
}

#[test]
fn sizes_and_times_equal_those_that_tc_prints() {
    assert!(same_size(Bytes::new(2_304_000), Bytes::new(2250 * 1024)));
    assert!(same_size(Bytes::new(33_554_432), Bytes::new(32 << 20)));
    assert!(!same_size(Bytes::new(300_000), Bytes::new(307_200)));
    for (asked, held) in
        [(12_345, 12_300), (1_234_567, 1_230_000), (40_500, 40_500), (5000, 5000), (999, 998)]
    {
        assert!(same_time(Micros::from_us(asked), Micros::from_us(held)), "{asked} {held}");
    }
    assert!(!same_time(Micros::from_us(5000), Micros::from_us(5100)));
    assert!(!same_time(Micros::from_us(12_345), Micros::from_us(12_500)));
}
