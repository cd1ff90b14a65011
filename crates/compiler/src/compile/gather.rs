//! The findings of several compilations of one file: of its links, or with its variants.

use crate::diag::{Code, Diagnostic, Sink, Span, and_ticked};
use std::collections::{BTreeMap, BTreeSet};

/// What makes findings of several compilations equal: code, place and message.
type Key = (Code, Option<Span>, String);

/// Returns each finding of several compilations once, in the order of the text.
///
/// A finding that only some of them have names those. A compilation without a name stands for all of them. What one of them
/// uses is not unused.
#[must_use]
pub fn gathered(all: Vec<(Option<String>, Vec<Diagnostic>)>, kind: &str) -> Vec<Diagnostic> {
    let number = all.len();
    let mut found: BTreeMap<Key, (Diagnostic, BTreeSet<Option<String>>)> = BTreeMap::new();
    for (name, findings) in all {
        for finding in findings {
            let place = finding.labels.first().map(|label| label.span);
            let key = (finding.code, place, finding.message.clone());
            found.entry(key).or_insert_with(|| (finding, BTreeSet::new())).1.insert(name.clone());
        }
    }
    let kept = found.into_values().filter_map(|(finding, of)| {
        let unused = matches!(finding.code, Code::IdleAllow | Code::UnusedHost | Code::UnusedTunnel);
        if of.len() < number && unused {
            return None;
        }
        let names: Option<Vec<&str>> = of.iter().map(Option::as_deref).collect();
        Some(match names.filter(|_| of.len() < number) {
            Some(names) => finding.help(format!("this is about {kind} {}", and_ticked(names.into_iter()))),
            None => finding,
        })
    });
    Sink::from(kept.collect::<Vec<_>>()).into_sorted()
}
