use super::*;
use proptest::prelude::*;

fn small_word() -> impl Strategy<Value = Word> {
    (0u32..8, 0u32..8).prop_map(|(value, mask)| Word { value: value & mask, mask })
}

prop_compose! {
    pub(in crate::lower) fn small_selector()(
        words in prop::collection::btree_map((0u16..3).prop_map(|n| 4 * n), small_word(), 0..3),
        mark in prop::option::of(small_word()),
    ) -> Selector {
        let words = words.into_iter().filter(|(_, word)| word.mask != 0).collect();
        Selector { words, mark: mark.filter(|word| word.mask != 0), came_by: None }
    }
}

proptest! {
    /// The index finds the same as a comparison of all pairs.
    #[test]
    fn distinct_agrees_with_a_comparison_of_all_pairs(selectors in prop::collection::vec(small_selector(), 0..30)) {
        let mut distinct = Distinct::default();
        let mut kept: Vec<Selector> = Vec::new();
        for selector in selectors {
            let adds = !kept.iter().any(|earlier| earlier.covers(&selector));
            prop_assert_eq!(distinct.adds(&selector), adds, "{:?}", selector);
            if adds {
                kept.push(selector);
            }
        }
    }
}

#[test]
fn the_empty_selector_makes_all_later_ones_idle() {
    let mut distinct = Distinct::default();
    assert!(distinct.adds(&Selector::word(0, Word { value: 1, mask: 1 })));
    assert!(distinct.adds(&Selector::default()));
    assert!(!distinct.adds(&Selector::word(4, Word { value: 1, mask: 1 })));
    assert!(!distinct.adds(&Selector::default()));
}
