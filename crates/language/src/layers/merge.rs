//! The rule for all layers: mappings merge by key, everything else replaces, and `null` removes.

use crate::syntax::{Entry, Node, YamlValue};
use std::collections::HashMap;

/// Lays `over` on top of `base`.
///
/// - Two mappings merge by key. A key of the base keeps its position, and new keys follow.
/// - Any other value replaces that of the base.
/// - `null` (or `~`) for a key of the base removes it. An empty value is no `null`: it is often a slip.
/// - A removed key that comes back begins anew.
pub(super) fn merge(base: YamlValue, over: YamlValue) -> YamlValue {
    match (base.node, over.node) {
        (Node::Map(base), Node::Map(own)) => YamlValue { node: Node::Map(by_key(base, own)), ..over },
        (_, node) => YamlValue { node, ..over },
    }
}

fn by_key(mut base: Vec<Entry>, over: Vec<Entry>) -> Vec<Entry> {
    let mut places: HashMap<String, usize> =
        base.iter().enumerate().map(|(at, entry)| (entry.key.value.clone(), at)).collect();
    for entry in over {
        let there = places.get(&entry.key.value).and_then(|at| base.get_mut(*at));
        let Some(there) = there else {
            places.insert(entry.key.value.clone(), base.len());
            base.push(entry);
            continue;
        };
        let node = std::mem::replace(&mut there.value.node, Node::Removed);
        let was_removed = node == Node::Removed || node.is_null();
        if entry.value.node.is_null() {
            (there.key, there.quoted) = (entry.key, entry.quoted);
        } else if was_removed || entry.fresh {
            *there = Entry { fresh: true, ..entry };
        } else {
            let base = YamlValue { node, span: there.value.span, anchored: None };
            *there = Entry { lowest: there.lowest, value: merge(base, entry.value), ..entry };
        }
    }
    base
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
