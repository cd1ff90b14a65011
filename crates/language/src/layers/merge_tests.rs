use super::merge;
use crate::layers::fixture::{flat, tree};

fn merged(base: &str, over: &str) -> String {
    flat(&merge(tree(base), tree(over)))
}

#[test]
fn mappings_merge_by_key_and_keep_their_order() {
    assert_eq!(merged("{a: 1, b: 2}", "{c: 3, a: 4}"), "{a: 4, b: 2, c: 3}");
    assert_eq!(merged("{a: {x: 1, y: {z: 2}}}", "{a: {y: {w: 3}}}"), "{a: {x: 1, y: {z: 2, w: 3}}}");
}

#[test]
fn anything_else_replaces() {
    assert_eq!(
        merged("{a: [1, 2], b: {c: 1}, d: 1}", "{a: [3], b: 5, d: {e: 1}}"),
        "{a: [3], b: 5, d: {e: 1}}"
    );
}

#[test]
fn null_removes_and_an_empty_value_does_not() {
    assert_eq!(merged("{a: 1, b: 2, c: 3}", "{a: null, b: ~}"), "{a: removed, b: removed, c: 3}");
    assert_eq!(merged("{a: 1}", "a:"), "{a: -}");
    assert_eq!(merged("{a: 1}", "{a: 'null', b: null}"), "{a: null, b: null}");
}

#[test]
fn a_removed_value_can_come_back() {
    let removed = merge(tree("{a: {x: 1}}"), tree("{a: null}"));
    assert_eq!(flat(&merge(removed, tree("{a: {y: 2}}"))), "{a: {y: 2}}");
}

#[test]
fn values_keep_their_places() {
    let all = merge(tree("a: 1\nb: 2\n"), tree("\n\nb: 3\nc: 4\n"));
    let crate::syntax::Node::Map(entries) = all.node else { panic!() };
    let lines: Vec<(u32, u32)> =
        entries.iter().map(|entry| (entry.key.span.line, entry.value.span.line)).collect();
    assert_eq!(lines, [(1, 1), (3, 3), (4, 4)]);
}
