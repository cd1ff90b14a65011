use super::*;
use crate::lower::selectors::{self, End};
use crate::lower::tests::fixture::{model, ports};
use crate::model::Frames;

/// Source networks of this prefix length.
fn networks(count: usize, bits: u8) -> Vec<Selector> {
    let parsed = |place: usize| format!("10.{}.{}.0/{bits}", place / 200, place % 200).parse().unwrap();
    (0..count).filter_map(|place| selectors::address(parsed(place), End::Source, Family::Ipv4)).collect()
}

fn compared(model: &Model, lists: &[Vec<Selector>]) -> usize {
    let mut found = Comparisons::default();
    lists.iter().for_each(|list| found.add(list, model, Family::Ipv4));
    found.sum()
}

#[test]
fn a_hash_table_counts_as_one_filter() {
    let model = model(vec![]);
    let of = |lists: &[Vec<Selector>]| compared(&model, lists);
    assert_eq!(of(&[networks(LEAST - 1, 24)]), LEAST - 1);
    assert_eq!(of(&[networks(LEAST, 24)]), 1);
    assert_eq!(of(&[networks(10_000, 24)]), 1);
    // alternating entries are grouped within one alternative, but not across alternatives
    let (some, others) = (networks(LEAST, 24), networks(LEAST, 25));
    let turns: Vec<Selector> = some.iter().zip(&others).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    assert_eq!(of(std::slice::from_ref(&turns)), 2);
    let each: Vec<Vec<Selector>> = turns.into_iter().map(|one| vec![one]).collect();
    assert_eq!(of(&each), 2 * LEAST);
    // a port between two lists ends the first list
    let port = selectors::ports(&ports(&[(80, 80)]), End::Source, Family::Ipv4);
    assert_eq!(of(&[some.clone(), port.clone(), some.clone()]), 3);
    let both = some.iter().filter_map(|one| one.and(port.first()?)).collect();
    assert_eq!(of(&[both]), LEAST);
}

/// In PPPoE frames, addresses are at offsets that no table reads.
#[test]
fn pppoe_frames_use_no_hash_table() {
    let mut model = model(vec![]);
    model.link.frames.value = Frames::Pppoe;
    assert_eq!(compared(&model, &[networks(LEAST, 24)]), LEAST);
}
