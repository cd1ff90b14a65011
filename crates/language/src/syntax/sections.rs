//! Sections of a file, and the sections in which an error leaves something out.

use super::node::{Node, YamlValue};
use crate::diag::{Diagnostic, FileId, Severity, Span};
use crate::terms::FileSection;
use std::ops::Range;
use strum::VariantArray;

/// Bytes of a file.
type Piece = (FileId, Range<usize>);

/// Places of each section of a file: its own, and those of its alias targets and of what it takes from other files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSections(Vec<(FileSection, Vec<Piece>)>, Vec<(FileSection, Span)>);

impl FileSections {
    /// Returns the sections of a whole document.
    #[must_use]
    pub fn of(root: &YamlValue) -> Self {
        let Node::Map(entries) = &root.node else { return FileSections::default() };
        let start = |span: Span| (span.file, span.start);
        let mut starts: Vec<(FileId, usize)> = entries.iter().map(|entry| start(entry.key.span)).collect();
        starts.sort_unstable();
        let parts = entries.iter().filter_map(|entry| {
            let part = FileSection::from_key(&entry.key.value)?;
            let from = start(entry.key.span);
            // up to the next key, because something may be missing at the end
            let next = starts.get(starts.partition_point(|start| *start <= from));
            let next = next.filter(|(file, _)| *file == from.0).map_or(usize::MAX, |(_, start)| *start);
            let own = (from.0, from.1..next);
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
    #[must_use]
    pub fn keys(&self) -> &[(FileSection, Span)] {
        &self.1
    }

    /// Returns the sections with errors, whose values in a model may be placeholders. If an error belongs to no
    /// section, such as an unknown key at the top, the result contains all sections.
    #[must_use]
    pub fn with_errors<'a>(&self, found: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<FileSection> {
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
        let holds = move |pieces: &[Piece]| {
            let after =
                pieces.partition_point(|(file, range)| (*file, range.start) <= (place.file, place.start));
            after.checked_sub(1).and_then(|last| pieces.get(last)).is_some_and(|piece| contains(piece, place))
        };
        self.0.iter().filter(move |(_, ranges)| holds(ranges)).map(|(part, _)| *part)
    }
}

fn contains((file, range): &Piece, place: Span) -> bool {
    *file == place.file && range.contains(&place.start)
}

/// Collects the places outside `own` that belong to a value.
fn elsewhere(value: &YamlValue, own: &Piece, ranges: &mut Vec<Piece>) {
    let mut take = |span: &Span| {
        if !contains(own, *span) {
            ranges.push((span.file, span.start..span.end.max(span.start + 1)));
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
        Node::Null | Node::Removed | Node::Unread | Node::Scalar { .. } => {}
    }
}

/// Merges pieces into ascending ones that neither overlap nor touch.
fn merged(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_unstable_by_key(|(file, range)| (*file, range.start));
    let mut merged: Vec<Piece> = Vec::new();
    for (file, range) in pieces {
        match merged.last_mut() {
            Some((of, last)) if *of == file && range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push((file, range)),
        }
    }
    merged
}

#[cfg(test)]
#[path = "sections_tests.rs"]
mod tests;
