//! Sections of a file, and the sections in which an error leaves something out.

use super::node::{Node, Value};
use crate::diag::{Diagnostic, FileId, Severity, Span};
use crate::terms::FileSection;
use std::ops::Range;
use strum::VariantArray;

/// Byte ranges of each section of a file: its own range, and those of its alias targets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSections(Vec<(FileSection, Vec<Range<usize>>)>, Vec<(FileSection, Span)>);

impl FileSections {
    /// Returns the sections of a whole document.
    pub(super) fn of(root: &Value) -> Self {
        let Node::Map(entries) = &root.node else { return FileSections::default() };
        let mut starts: Vec<usize> = entries.iter().map(|entry| entry.key.span.start).collect();
        starts.sort_unstable();
        let parts = entries.iter().filter_map(|entry| {
            let part = FileSection::from_key(&entry.key.value)?;
            let from = entry.key.span.start;
            // up to the next key, because something may be missing at the end
            let next = starts.get(starts.partition_point(|start| *start <= from));
            let own = from..next.copied().unwrap_or(usize::MAX);
            let mut ranges = Vec::new();
            elsewhere(&entry.value, &own, &mut ranges);
            ranges.push(own);
            Some((part, merged(ranges)))
        });
        let keys = entries
            .iter()
            .filter_map(|entry| Some((FileSection::from_key(&entry.key.value)?, entry.key.span)));
        FileSections(parts.collect(), keys.collect())
    }

    /// Returns the keys of the sections that the file has.
    pub(crate) fn keys(&self) -> &[(FileSection, Span)] {
        &self.1
    }

    /// Returns the sections with errors, whose values in a model may be placeholders. If an error belongs to no
    /// section, such as an unknown key at the top, the result contains all sections.
    pub(crate) fn with_errors<'a>(
        &self,
        found: impl IntoIterator<Item = &'a Diagnostic>,
    ) -> Vec<FileSection> {
        let mut with_errors = Vec::new();
        for error in found.into_iter().filter(|finding| finding.severity == Severity::Error) {
            let before = with_errors.len();
            let place = error.labels.first().map(|label| label.span);
            with_errors.extend(place.into_iter().flat_map(|place| self.at(place)));
            if with_errors.len() == before {
                return FileSection::VARIANTS.to_vec();
            }
        }
        // a missing `link` is reported at the first key of the file, whichever that is
        if !self.0.iter().any(|(part, _)| *part == FileSection::Link) {
            with_errors.push(FileSection::Link);
        }
        with_errors.sort_unstable();
        with_errors.dedup();
        with_errors
    }

    fn at(&self, place: Span) -> impl Iterator<Item = FileSection> {
        let holds = move |ranges: &[Range<usize>]| {
            let after = ranges.partition_point(|range| range.start <= place.start);
            let range = after.checked_sub(1).and_then(|last| ranges.get(last));
            place.file == FileId::OWN && range.is_some_and(|range| range.contains(&place.start))
        };
        self.0.iter().filter(move |(_, ranges)| holds(ranges)).map(|(part, _)| *part)
    }
}

/// Collects the places outside `own` that belong to a value.
fn elsewhere(value: &Value, own: &Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let mut take = |span: &Span| {
        if !own.contains(&span.start) {
            ranges.push(span.start..span.end.max(span.start + 1));
        }
    };
    take(&value.span);
    value.anchored.iter().for_each(|anchored| take(anchored));
    match &value.node {
        Node::Seq(items) => items.iter().for_each(|item| elsewhere(item, own, ranges)),
        Node::Map(entries) => {
            entries.iter().for_each(|entry| take(&entry.key.span));
            entries.iter().for_each(|entry| elsewhere(&entry.value, own, ranges));
        }
        Node::Null | Node::Unread | Node::Scalar { .. } => {}
    }
}

/// Merges ranges into ascending ranges that neither overlap nor touch.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
#[path = "sections_tests.rs"]
mod tests;
