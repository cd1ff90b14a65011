//! Tests of budgets.

use super::{Budget, CLASS, COMPARISON, FILTER, MEMORY, TIME, TIME_OF_FILE};

#[test]
fn work_beyond_the_budget_may_not_be_done() {
    let budget = Budget::default();
    assert!(budget.charge(TIME - 1, COMPARISON));
    assert!(!budget.is_used_up());
    assert!(!budget.charge(1, COMPARISON));
    assert!(budget.is_used_up() && budget.is_over());
    assert!(!Budget::default().charge(usize::MAX, CLASS));
}

#[test]
fn copies_share_what_is_left() {
    let budget = Budget::default();
    let copy = budget.clone();
    assert!(copy.charge(TIME / 2, COMPARISON));
    assert_eq!(budget.used(), (50, 0));
    assert!(!budget.charge(TIME / 2, COMPARISON));
    assert!(copy.is_over());
}

#[test]
fn the_next_file_has_all_the_memory_and_the_rest_of_the_time() {
    let budget = Budget::default();
    assert!(!budget.charge(MEMORY / FILTER.memory + 1, FILTER));
    assert!(budget.is_used_up() && !budget.is_over());
    assert!(!budget.anew().is_used_up());
    assert!(budget.anew().used().0 > 0 && budget.anew().used().1 == 0);
}

#[test]
fn a_file_of_a_folder_brings_its_time_unless_none_is_left() {
    let budget = Budget::default();
    for _ in 0..1000 {
        budget.add_file();
        assert!(budget.charge(TIME_OF_FILE, COMPARISON));
    }
    assert_eq!(budget.used(), (0, 0));
    assert!(!budget.charge(TIME, COMPARISON));
    budget.add_file();
    assert!(budget.is_over());
}

#[test]
fn a_browser_has_a_part() {
    let budget = Budget::parts(4);
    assert!(budget.charge(TIME / 4 - 1, COMPARISON));
    assert!(!budget.charge(1, COMPARISON));
}
