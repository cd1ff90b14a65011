use super::*;
use crate::lower::distinct::tests::small_selector;
use proptest::prelude::*;

proptest! {
    /// The index finds the same as a comparison of every pair, in the same order.
    #[test]
    fn the_index_agrees_with_a_comparison_of_all_pairs(
        all in prop::collection::vec(small_selector(), 0..200),
        others in prop::collection::vec(small_selector(), 0..5),
    ) {
        let intersect = SelectorIndex::new(&all, usize::MAX);
        prop_assert_eq!(intersect.by_bits.is_some(), all.len() > FEW);
        prop_assert_eq!(intersect.product(&others).unwrap(), each(&all, &others).unwrap());
    }

    /// The same for many selectors on both sides, of which most test bits that the other side does not.
    #[test]
    fn the_index_agrees_for_many_others(
        all in prop::collection::vec(word_of([0xffff, 0x0fff, 0xff0f]), 200..300),
        others in prop::collection::vec(word_of([0xfff0, 0xff00, 0xf0ff]), 200..300),
    ) {
        let found = SelectorIndex::new(&all, usize::MAX).product(&others);
        prop_assert_eq!(found, each(&all, &others));
    }
}

/// A selector that tests one of these masks at one of two places.
fn word_of(masks: [u32; 3]) -> impl Strategy<Value = Selector> {
    let mask = prop::sample::select(masks.to_vec());
    (mask, 0u32..0x1_0000, 0u16..2).prop_map(|(mask, value, place)| {
        let other = Selector::word(16, Word { value: value & 0xff, mask: 0xff });
        let own = Selector::word(12, Word { value: value & mask, mask });
        if place == 0 { own } else { own.and(&other).unwrap() }
    })
}
