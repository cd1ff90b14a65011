use super::prefixes;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

/// Counts the prefixes that cover `first..=last` with a walk through the binary tree. A node outside the range costs
/// none, and a node inside costs one.
fn fewest(first: u32, last: u32, from: u32, size: u32) -> usize {
    let to = from + size - 1;
    if last < from || to < first {
        0
    } else if first <= from && to <= last {
        1
    } else {
        fewest(first, last, from, size / 2) + fewest(first, last, from + size / 2, size / 2)
    }
}

/// Returns the numbers that a pair matches, if its mask consists of leading ones.
fn block((value, mask): (u16, u16)) -> (u32, u32) {
    (u32::from(value), u32::from(value) + u32::from(!mask))
}

proptest! {
    #[test]
    fn prefixes_cover_exactly_the_range(a in any::<u16>(), b in any::<u16>()) {
        let (first, last) = (a.min(b), a.max(b));
        let pairs = prefixes(first, last);
        let mut next = u32::from(first);
        for pair in &pairs {
            prop_assert_eq!(pair.0 & !pair.1, 0, "value {:#x} outside mask {:#x}", pair.0, pair.1);
            prop_assert_eq!(pair.1.leading_ones() + pair.1.trailing_zeros(), 16, "holes in {:#x}", pair.1);
            let (from, to) = block(*pair);
            prop_assert_eq!(from, next, "a gap or an overlap");
            next = to + 1;
        }
        prop_assert_eq!(next, u32::from(last) + 1);
        prop_assert_eq!(pairs.len(), fewest(first.into(), last.into(), 0, 0x1_0000));
        prop_assert!(pairs.len() <= 30);
    }

    #[test]
    fn a_value_of_the_range_matches_exactly_one_prefix(a in any::<u16>(), b in any::<u16>(), n in any::<u16>()) {
        let (first, last) = (a.min(b), a.max(b));
        for n in [n, first, last, first.wrapping_sub(1), last.wrapping_add(1)] {
            let met = prefixes(first, last).iter().filter(|(value, mask)| n & mask == *value).count();
            prop_assert_eq!(met, usize::from((first..=last).contains(&n)), "{} in {}-{}", n, first, last);
        }
    }
}

#[test]
fn prefixes_of_extreme_ranges_are_right() {
    assert_eq!(prefixes(0, u16::MAX), [(0, 0)]);
    assert_eq!(prefixes(53, 53), [(53, 0xffff)]);
    assert_eq!(prefixes(5060, 5061), [(5060, 0xfffe)]);
    assert_eq!(prefixes(0, 127), [(0, 0xff80)]);
    assert_eq!(prefixes(2, 1), []);
    assert_eq!(prefixes(1, u16::MAX - 1).len(), 30);
}
