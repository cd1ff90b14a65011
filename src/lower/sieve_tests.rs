use super::*;
use crate::lower::distinct::tests::small_selector;
use proptest::prelude::*;

proptest! {
    /// The quick way finds what holding each against each finds, in that order.
    #[test]
    fn the_same_as_each_against_each(
        all in prop::collection::vec(small_selector(), 0..200),
        others in prop::collection::vec(small_selector(), 0..5),
    ) {
        let each = all.iter().flat_map(|own| others.iter().filter_map(|other| own.and(other)));
        prop_assert_eq!(Sieve::new(&all).product(&others).unwrap(), each.collect::<Vec<_>>());
    }
}
