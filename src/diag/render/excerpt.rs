//! The few lines of a file that a finding points at, made fit for a terminal.
//!
//! What is drawn is never the file itself: a file may be large, its lines long, its characters hostile, and a finding
//! must cost little however many there are. So the lines are copied, cleaned and cut, and the places moved along.

use super::clean::shown;
use crate::diag::Label;
use std::ops::Range;

/// A longer line, in characters, is cut.
const LINE_MAX: usize = 140;
/// What is kept of a cut line before the first place in it, in characters.
const BEFORE: usize = 40;
/// What is kept of a cut line in all, in characters.
const KEPT: usize = 120;
/// A place that goes over more lines is shown by its first one.
const PLACE_LINES_MAX: usize = 8;
/// Lines this near to a place are copied, in case they are drawn between two places.
const NEAR: usize = 3;
/// Places further apart, in lines, are drawn apart.
const APART: usize = 200;

/// Where the lines of a text begin.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// First bytes, in order; the first is 0.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of a text, ended by LF, CR LF, or CR alone, as in YAML.
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter_map(|(at, byte)| match byte {
            b'\n' => Some(at + 1),
            b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some(at + 1),
            _ => None,
        });
        Lines { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The line that a byte is in, from 0.
    fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// The bytes of a line without its break, nor the byte order mark that the first may begin with.
    fn range(&self, line: usize) -> Range<usize> {
        let start = match self.starts.get(line) {
            Some(0) if self.text.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
            start => start.copied().unwrap_or(self.text.len()),
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end).unwrap_or_default();
        start..start + text.trim_end_matches(['\r', '\n']).len()
    }

    /// A byte range of a label that lies in the text, on the boundaries of characters, without white space at its
    /// end, and short enough to be drawn.
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

/// The boundary of a character at `at` or before it.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..4).map(|back| at.saturating_sub(back)).find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Lines of a file with the places in them, fit to be drawn.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    /// The lines, each ended by LF. Those that will not be drawn are empty.
    pub(super) text: String,
    /// The number of the first line, from 1.
    pub(super) first: usize,
    /// The places in `text`, each with its label's index.
    pub(super) places: Vec<(Range<usize>, usize)>,
}

/// The excerpts that show all `labels` (indices into them, and they), all in this file: the one with the first label
/// first, places that are far apart in different ones.
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

/// The excerpt that shows these places.
fn excerpt(lines: &Lines<'_>, places: &[(Range<usize>, usize)]) -> Excerpt {
    // the lines of each place, and the byte where it begins
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

/// Which bytes of a line are kept: all of them, or a window around the first place.
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

/// A line as it was copied.
struct Copied<'a> {
    text: &'a str,
    kept: Range<usize>,
    /// Where the first kept byte went.
    start: usize,
    /// Where the last kept byte went, and what stands for the rest.
    end: usize,
}

impl<'a> Copied<'a> {
    /// Appends the kept bytes of a line to `out`, cleaned, with `…` for what is left out.
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

    /// Where a byte of the line went; one that was left out goes to the edge.
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

/// Tabs stay, since what draws them knows their width.
fn cleaned(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { c } else { shown(c) }).collect()
}
