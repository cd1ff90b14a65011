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
}
