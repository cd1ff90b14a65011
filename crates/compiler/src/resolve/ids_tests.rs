use super::{FEW, MOST, Taken, Wanted, assign, deal, id_at, places};
use crate::diag::{Code, FileId, Sink, Span, Spanned};
use crate::model::{ClassId, Val};
use crate::resolve::places::wish;
use crate::tc::{SLOT_BIT, class_minor, class_number};
use proptest::prelude::{Strategy, any, prop, proptest};
use std::collections::{BTreeMap, BTreeSet};

const AT: Span = Span { file: FileId(0), start: 0, end: 0, line: 1, column: 1 };

fn ids_of(names: &[String], pins: &BTreeMap<String, u16>) -> (BTreeMap<String, Val<ClassId>>, Vec<Code>) {
    let names: Vec<Spanned<String>> = names.iter().map(|name| Spanned::new(name.clone(), AT)).collect();
    let wanted: Vec<Wanted<'_>> = names
        .iter()
        .map(|name| Wanted { name, pinned: pins.get(&name.value).map(|id| Spanned::new(*id, AT)) })
        .collect();
    let mut sink = Sink::default();
    let ids = assign(&wanted, AT, &mut sink);
    (ids, sink.into_sorted().into_iter().map(|finding| finding.code).collect())
}

fn ids(names: &[String]) -> BTreeMap<String, u16> {
    let (ids, found) = ids_of(names, &BTreeMap::new());
    assert_eq!(found, []);
    ids.into_iter().map(|(name, id)| (name, id.value.0)).collect()
}

fn numbered(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("class {i}")).collect()
}

#[test]
fn few_names_have_ids_that_begin_with_one_digit() {
    for (names, number, last) in [(FEW, 4080, 0xafff), (FEW + 1, 28_656, 0x2fff)] {
        let all: BTreeSet<u16> = (0..places(names)).map(|place| class_minor(id_at(place))).collect();
        assert_eq!(all.len(), number);
        assert!(all.iter().all(|minor| minor & SLOT_BIT == 0 && *minor > 0xfff));
        assert_eq!(class_minor(id_at(number - 1)), last);
        for id in (0..places(names)).map(id_at) {
            assert_eq!([class_number(class_minor(id)), class_number(class_minor(id) | SLOT_BIT)], [id, id]);
        }
    }
}

/// Released ids must never change.
#[test]
fn released_ids_never_change() {
    let names = ["voice", "interactive", "normal", "bulk", "gäste $(reboot)"].map(str::to_owned);
    let hex: Vec<String> = ids(&names).iter().map(|(name, id)| format!("{name} {id:#06x}")).collect();
    insta::assert_snapshot!(
        hex.join(", "),
        @"bulk 0x0f8d, gäste $(reboot) 0x08e1, interactive 0x054b, normal 0x0102, voice 0x09e9"
    );
}

#[test]
fn all_class_ids_can_be_used() {
    let (mut taken, mut all) = (Taken(vec![false; usize::from(u16::MAX) + 1]), BTreeMap::new());
    let number = places(MOST);
    deal(numbered(number).iter().map(String::as_str), number, &mut taken, &mut all);
    let used: BTreeSet<u16> = all.values().map(|id| id.value.0).collect();
    assert_eq!((all.len(), used.len()), (number, number));
}

#[test]
fn a_link_has_a_limited_number_of_classes() {
    let all = ids(&numbered(MOST));
    let used: BTreeSet<&u16> = all.values().collect();
    assert_eq!((all.len(), used.len()), (MOST, MOST));
    let (none, found) = ids_of(&numbered(MOST + 1), &BTreeMap::new());
    assert_eq!((none.len(), found), (0, vec![Code::TooMany]));
}

#[test]
fn pinned_ids_come_first() {
    let names = ["voice", "normal", "bulk"].map(str::to_owned);
    let voice = ids(&names)["voice"];
    let pins = BTreeMap::from([("bulk".to_owned(), voice), ("normal".to_owned(), 0x10)]);
    let (ids, found) = ids_of(&names, &pins);
    assert_eq!(found, []);
    assert_eq!((ids["bulk"].value.0, ids["normal"].value.0), (voice, 0x10));
    assert_eq!(ids["voice"].value.0, voice + 1);
    let twice = BTreeMap::from([("bulk".to_owned(), 0x20), ("normal".to_owned(), 0x20)]);
    assert_eq!(ids_of(&names, &twice).1, [Code::TakenId]);
}

/// Enough names that some of them want the same place.
fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(any::<u32>().prop_map(|n| format!("c{n}")), 1..800)
        .prop_map(|names| names.into_iter().collect())
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    #[test]
    fn ids_do_not_depend_on_the_order_of_names(mut names in names(), by in any::<usize>()) {
        let first = ids(&names);
        let by = by % names.len();
        names.rotate_left(by);
        names.reverse();
        assert_eq!(ids(&names), first);
    }

    /// A name that comes or goes does not move a name whose place no other name wants.
    #[test]
    fn a_removed_name_moves_only_names_that_collide(names in names(), index in any::<usize>()) {
        let before = ids(&names);
        let gone = &names[index % names.len()];
        let without: Vec<String> = names.iter().filter(|name| *name != gone).cloned().collect();
        let after = ids(&without);

        let mut wanted: BTreeMap<Option<usize>, usize> = BTreeMap::new();
        for name in &names {
            *wanted.entry(wish(name, places(names.len()))).or_default() += 1;
        }
        for name in without.iter().filter(|name| before[*name] != after[*name]) {
            assert!(wanted[&wish(name, places(names.len()))] > 1, "{name} was alone at its place and moved");
        }
    }
}
