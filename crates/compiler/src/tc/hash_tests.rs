use super::*;
use proptest::prelude::*;

fn port(value: u32, wild: u32) -> Selector {
    let mask = 0xffff << wild & 0xffff;
    Selector::word(20, Word { value: value & mask, mask })
}

/// Returns the position of the first selector that matches a word, as in the kernel.
fn found(table: &HashTable, selectors: &[&Selector], word: u32) -> Option<usize> {
    let bucket = (word & table.key.mask()) >> table.key.shift;
    match table.buckets.get(&bucket)? {
        Bucket::Table(inner) => found(inner, selectors, word),
        Bucket::Filters(list) => list.iter().copied().find(|place| matches(selectors[*place], word)),
    }
}

fn matches(selector: &Selector, word: u32) -> bool {
    selector.words.values().all(|own| word & own.mask == own.value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_table_matches_the_same_packets_as_the_list(
        list in prop::collection::vec((0u32..0x1_0000, prop_oneof![4 => 0u32..3, 1 => 0u32..16]), 1..1000),
        words in prop::collection::vec(0u32..0x1_0000, 200),
    ) {
        let selectors: Vec<Selector> = list.iter().map(|(value, wild)| port(*value, *wild)).collect();
        let selectors: Vec<&Selector> = selectors.iter().collect();
        let Some(table) = HashTable::of(&selectors) else { return Ok(()) };
        for word in words.into_iter().chain(list.iter().map(|(value, _)| *value)) {
            let first = selectors.iter().position(|selector| matches(selector, word));
            prop_assert_eq!(found(&table, &selectors, word), first);
        }
    }
}

#[test]
fn long_lists_become_short_ones() {
    for (count, tables, longest) in [(16, 1, 2), (1_000, 1, 5), (10_000, 17, 6), (60_000, 70, 25)] {
        let selectors: Vec<Selector> = (0..count).map(|number| port(1_000 + number, 0)).collect();
        let table = HashTable::of(&selectors.iter().collect::<Vec<_>>()).unwrap();
        assert!(
            table.tables() <= tables && table.longest() <= longest,
            "{count}: {} {}",
            table.tables(),
            table.longest()
        );
    }
    let same: Vec<Selector> = (0..100).map(|_| port(1, 0)).collect();
    assert_eq!(HashTable::of(&same.iter().collect::<Vec<_>>()), None);
}

/// A table of tables must not take the bits with which inner tables would divide best.
#[test]
fn inner_tables_have_bits_that_divide() {
    // entries of four classes in turns
    let numbers = (0..4).flat_map(|class| (0..2_500).map(move |number| 4 * number + class));
    let ports: Vec<Selector> = numbers.map(|number| port(1_001 + 6 * number, 0)).collect();
    let table = HashTable::of(&ports.iter().collect::<Vec<_>>()).unwrap();
    assert!(table.longest() <= 6, "{}", table.longest());
}

/// Wide filters would be in every bucket that tells the narrow ones apart.
#[test]
fn copies_are_limited() {
    fn entries(table: &HashTable) -> usize {
        let of = |bucket: &Bucket| match bucket {
            Bucket::Filters(list) => list.len(),
            Bucket::Table(table) => entries(table),
        };
        table.buckets.values().map(of).sum()
    }
    let narrow = (0..980).map(|number| port(number, 0));
    let wide = (0..43).map(|number| port(number << 10, 10));
    let selectors: Vec<Selector> = narrow.chain(wide).collect();
    let table = HashTable::of(&selectors.iter().collect::<Vec<_>>());
    let copies = table.map_or(selectors.len(), |table| entries(&table));
    assert!(copies < 3 * selectors.len(), "{copies}");
}
