use super::choose;
use crate::layers::fixture::{flat, tree};
use crate::layers::tree::entry;

const NIGHT: &str = "\
link: { device: ppp0, up: 6mbit }
classes: { bulk: { ceiling: 50%, priority: 6 }, rest: {} }
variants:
  night: { when: \"23:00-06:00\", set: { link: { up: 5mbit }, classes: { bulk: { ceiling: 100%, priority: null }, extra: {} } } }
  odd: { when: \"06:00-07:00\", set: 5 }
";

fn section(variant: &str, key: &str) -> String {
    flat(&entry(&choose(tree(NIGHT), variant), key).unwrap().value)
}

#[test]
fn a_variant_lies_on_top_of_everything() {
    assert_eq!(section("night", "link"), "{device: ppp0, up: 5mbit}");
    assert_eq!(
        section("night", "classes"),
        "{bulk: {ceiling: 100%, priority: removed}, rest: {}, extra: {}}"
    );
    assert!(section("night", "variants").contains("set: ?"), "what it sets is read once");
}

#[test]
fn a_variant_that_sets_nothing_or_does_not_exist_changes_nothing() {
    for name in ["odd", "morning"] {
        assert_eq!(section(name, "classes"), "{bulk: {ceiling: 50%, priority: 6}, rest: {}}");
    }
}
