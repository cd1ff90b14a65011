//! Excerpt of the lines that a finding points at, made safe for a terminal.
//!
//! The renderer never gets the file itself. A file may be large, its lines long, its characters hostile, and each of
//! many findings must be cheap. So the lines are copied, cleaned and cut, and the places are moved accordingly.

use super::clean::shown;
use crate::diag::Label;
use std::ops::Range;

/// Length in characters above which a line is cut.
const LINE_MAX: usize = 140;
/// Characters of a cut line that are kept before the first place.
const BEFORE: usize = 40;
/// Characters of a cut line that are kept in total.
const KEPT: usize = 120;
/// Largest number of lines of a place. If a place is longer, only its first line is shown.
const PLACE_LINES_MAX: usize = 8;
/// Distance in lines from a place up to which lines are copied, in case they are drawn between two places.
const NEAR: usize = 3;
/// Distance in lines above which two places are drawn separately.
const APART: usize = 200;

/// Start of each line of a text.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// First byte of each line, in order; the first is 0.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Splits a text into lines. As in YAML, a line ends with LF, CR LF, or a single CR.
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter_map(|(at, byte)| match byte {
            b'\n' => Some(at + 1),
            b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some(at + 1),
            _ => None,
        });
        Lines { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the number of the line with this byte, from 0.
    fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// Returns the bytes of a line without its line break, and without the byte order mark of the first line.
    fn range(&self, line: usize) -> Range<usize> {
        let start = match self.starts.get(line) {
            Some(0) if self.text.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
            start => start.copied().unwrap_or(self.text.len()),
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end).unwrap_or_default();
        start..start + text.trim_end_matches(['\r', '\n']).len()
    }

    /// Returns the bytes of a label, limited to the text and to a number of lines that can be drawn. The range begins
    /// and ends at character boundaries and has no trailing white space.
    fn place(&self, label: &Label) -> Range<usize> {
        let start = floor(self.text, label.span.start);
        let end = floor(self.text, label.span.end).max(start);
        let line = self.at(start);
        let length = self.text.get(start..end).unwrap_or_default().trim_end().len();
        let end = if length == 0 { end.min(self.range(line).end.max(start)) } else { start + length };
        let last_byte = end.saturating_sub(1).max(start);
        if self.at(last_byte) - line < PLACE_LINES_MAX {
            return start..end;
        }
        start..self.range(line).end.max(start)
    }
}

/// Returns the character boundary at `at` or before it.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..4).map(|back| at.saturating_sub(back)).find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Lines of a file with the places in them, ready to be drawn.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    /// Lines, each with a final LF. Those that are not drawn are empty.
    pub(super) text: String,
    /// Number of the first line, from 1.
    pub(super) first: usize,
    /// Places in `text`, each with the index of its label.
    pub(super) places: Vec<(Range<usize>, usize)>,
}

/// Returns the excerpts for all `labels` in this file, which are given with their indices. Places that are far apart
/// have separate excerpts. The excerpt with the first label comes first.
pub(super) fn excerpts(lines: &Lines<'_>, labels: &[(usize, &Label)]) -> Vec<Excerpt> {
    let mut places: Vec<(Range<usize>, usize)> =
        labels.iter().map(|(index, label)| (lines.place(label), *index)).collect();
    places.sort_by_key(|(place, index)| (place.start, place.end, *index));
    let mut groups: Vec<Vec<(Range<usize>, usize)>> = Vec::new();
    for place in places {
        let line = lines.at(place.0.start);
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|(p, _)| line - lines.at(p.start) <= APART) => {
                group.push(place)
            }
            _ => groups.push(vec![place]),
        }
    }
    groups.sort_by_key(|group| group.iter().map(|(_, index)| *index).min());
    groups.iter().map(|group| excerpt(lines, group)).collect()
}

/// Returns the excerpt with these places.
fn excerpt(lines: &Lines<'_>, places: &[(Range<usize>, usize)]) -> Excerpt {
    // the lines of each place, and its first byte
    let spans: Vec<(usize, usize, usize)> = places
        .iter()
        .map(|(place, _)| (lines.at(place.start), lines.at(place.end.max(place.start)), place.start))
        .collect();
    let first = spans.iter().map(|(from, _, _)| *from).min().unwrap_or(0);
    let last = spans.iter().map(|(_, to, _)| *to).max().unwrap_or(first);
    let mut out = Excerpt { first: first + 1, ..Excerpt::default() };
    let mut moved: Vec<Range<usize>> = vec![0..0; places.len()];
    for line in first..=last {
        let range = lines.range(line);
        let near = spans.iter().any(|(from, to, _)| line + NEAR >= *from && line <= to + NEAR);
        if near {
            let at = spans.iter().filter(|(from, _, _)| *from == line).map(|(_, _, start)| *start).min();
            let kept = kept(lines.text, &range, at);
            let copied = Copied::new(lines.text, &range, &kept, &mut out.text);
            let line_end = lines.starts.get(line + 1).copied().unwrap_or(usize::MAX);
            let line_start = lines.starts.get(line).copied().unwrap_or(range.start);
            let here = |byte: usize| (line_start..line_end).contains(&byte);
            for ((place, _), moved) in places.iter().zip(&mut moved) {
                if here(place.start) {
                    moved.start = copied.moved(place.start);
                }
                if here(place.end) {
                    moved.end = copied.moved(place.end);
                }
            }
        }
        out.text.push('\n');
    }
    out.places = moved
        .into_iter()
        .zip(places)
        .map(|(moved, (_, index))| (moved.start..moved.end.max(moved.start), *index))
        .collect();
    out
}

/// Returns the bytes of a line to keep: all of them, or a window around the first place.
fn kept(text: &str, line: &Range<usize>, first_place: Option<usize>) -> Range<usize> {
    let content = text.get(line.clone()).unwrap_or_default();
    if content.chars().nth(LINE_MAX).is_none() {
        return line.clone();
    }
    let place = first_place.unwrap_or(line.start).clamp(line.start, line.end);
    let before = text.get(line.start..place).unwrap_or_default();
    let start = before.char_indices().rev().nth(BEFORE - 1).map_or(line.start, |(at, _)| line.start + at);
    let after = text.get(start..line.end).unwrap_or_default();
    let end = after.char_indices().nth(KEPT).map_or(line.end, |(at, _)| start + at);
    start..end
}

/// A copied line.
struct Copied<'a> {
    text: &'a str,
    kept: Range<usize>,
    /// Position of the first kept byte in the copy.
    start: usize,
    /// Position in the copy of the last kept byte and of all cut bytes after it.
    end: usize,
}

impl<'a> Copied<'a> {
    /// Appends the kept bytes of a line to `out`, cleaned, with `…` for each cut end.
    fn new(text: &'a str, line: &Range<usize>, kept: &Range<usize>, out: &mut String) -> Self {
        if kept.start > line.start {
            out.push('…');
        }
        let start = out.len();
        out.push_str(&cleaned(text.get(kept.clone()).unwrap_or_default()));
        if kept.end < line.end {
            out.push('…');
        }
        Copied { text, kept: kept.clone(), start, end: out.len() }
    }

    /// Returns the position of a byte in the copy. A cut byte moves to the nearer end.
    fn moved(&self, byte: usize) -> usize {
        if byte < self.kept.start {
            self.start
        } else if byte > self.kept.end {
            self.end
        } else {
            self.start + cleaned(self.text.get(self.kept.start..byte).unwrap_or_default()).len()
        }
    }
}

/// Cleans a text but keeps tabs, because the drawing library knows their width.
fn cleaned(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { c } else { shown(c) }).collect()
}
