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

/// Three ranges give thousands of combinations of masks, but only a few for each place.
#[test]
fn products_of_ranges_need_few_comparisons() {
    let mut distinct = Distinct::default();
    let masks = || (0..13).map(|bit| u32::MAX << bit & 0xffff).map(|mask| Word { value: mask, mask });
    for (one, other) in masks().flat_map(|one| masks().map(move |other| (one, other))) {
        for third in masks() {
            let words = [(0, one), (20, other), (24, third)].into_iter().collect();
            distinct.adds(&Selector { words, ..Selector::default() });
        }
    }
    assert!(distinct.compared < 13 * 13 * 13 * 100, "{}", distinct.compared);
}

#[test]
fn after_many_comparisons_only_equal_selectors_are_idle() {
    let of = |mask| Selector::word(0, Word { value: 0, mask });
    let mut distinct = Distinct { compared: MOST, ..Distinct::default() };
    assert!(distinct.adds(&of(1)) && distinct.adds(&of(3)));
    assert!(!distinct.adds(&of(1)) && !distinct.adds(&of(3)));
}

#[test]
fn the_empty_selector_makes_all_later_ones_idle() {
    let mut distinct = Distinct::default();
    assert!(distinct.adds(&Selector::word(0, Word { value: 1, mask: 1 })));
    assert!(distinct.adds(&Selector::default()));
    assert!(!distinct.adds(&Selector::word(4, Word { value: 1, mask: 1 })));
    assert!(!distinct.adds(&Selector::default()));
}
