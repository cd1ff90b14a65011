use super::*;
use crate::lower::selectors::{self, End};
use crate::lower::tests::fixture::ports;
use crate::units::Family;

/// Source networks of this prefix length.
fn networks(count: usize, bits: u8) -> Vec<Selector> {
    let parsed = |place: usize| format!("10.{}.{}.0/{bits}", place / 200, place % 200).parse().unwrap();
    (0..count).filter_map(|place| selectors::address(parsed(place), End::Source, Family::Ipv4)).collect()
}

fn compared(lists: &[Vec<Selector>]) -> usize {
    let mut found = Comparisons::default();
    lists.iter().for_each(|list| found.add(list));
    found.sum()
}

#[test]
fn a_hash_table_counts_as_one_filter() {
    let of = |lists: &[Vec<Selector>]| compared(lists);
    assert_eq!(of(&[networks(LEAST - 1, 24)]), LEAST - 1);
    assert_eq!(of(&[networks(LEAST, 24)]), 1);
    assert_eq!(of(&[networks(10_000, 24)]), 1);
    // one table holds several prefix lengths
    assert_eq!(of(&[networks(LEAST, 24), networks(LEAST, 25)]), 1);
    // alternating entries are grouped within one alternative, but not across alternatives
    let port = |end| selectors::ports(&ports(&[(80, 80)]), end, Family::Ipv4);
    let (some, sources) = (networks(LEAST, 24), port(End::Source));
    let both: Vec<Selector> = some.iter().filter_map(|one| one.and(sources.first()?)).collect();
    let turns: Vec<Selector> = some.iter().zip(&both).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    assert_eq!(of(std::slice::from_ref(&turns)), 2);
    let each: Vec<Vec<Selector>> = turns.into_iter().map(|one| vec![one]).collect();
    assert_eq!(of(&each), 2 * LEAST);
    // a port between two lists ends the first list
    assert_eq!(of(&[some.clone(), sources, some]), 3);
    assert_eq!(of(&[both]), 1);
}
