//! Text to nodes: the only place that names the YAML crate.
//!
//! serde-saphyr's own parser is used as it is, event by event, without its serde layer. The events give every key,
//! bracket, alias and tag its place; serde would hide the ends of collections, and would merge keys that are the
//! same number (`1` and `0x1`) before they can be reported.

mod build;
mod complaint;
mod culprit;
mod mapping;
mod opened;

use super::findings::Findings;
use super::node::Value;
use crate::diag::{FileId, Span, Spanned};
use serde_saphyr::granit_parser::{Event, Parser, options};

/// Collections inside each other, at most. The deepest file that means something needs half of it.
pub(super) const MAX_DEPTH: usize = 32;
/// Keys and values in a file, those that aliases stand for included, at most: a dozen for each of 60,000 classes.
pub(super) const MAX_NODES: usize = 750_000;

/// Reading ends here; the finding that says why is pushed already.
enum Stop {
    /// What was read so far is a whole document.
    Whole,
    /// What was read so far is a fragment.
    Broken,
}

/// Reads the one document of a text. `None` when it is no YAML, is beyond the limits, or holds nothing at all; the
/// finding that says so is pushed, but for what comes of a `tab` in the indentation, which has been said.
pub(super) fn parse(text: &str, file: FileId, tab: Option<Span>, found: &mut Findings<'_>) -> Option<Value> {
    // One more level than we take, so that the finding is ours and has the place of what opens it.
    let options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
        emit_comments: false,
    };
    let mut builder = build::Builder::new(text, file, found);
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((Event::StreamEnd, _)) => break,
            Ok((event, span)) => {
                let place = place(file, &span);
                match builder.event(event, place) {
                    Ok(()) => {}
                    Err(Stop::Whole) => break,
                    Err(Stop::Broken) => return None,
                }
            }
            Err(error) => {
                let (at, stuck) = (mark(file, error.marker()), builder.stuck());
                if tab.is_none_or(|tab| at.start < tab.start) {
                    complaint::report(&error, text, at, &stuck, found);
                }
                return None;
            }
        }
    }
    builder.finish()
}

/// The comments of a text in its order, each with what follows the `#`. Of a text that is no YAML, those up to where it
/// is none.
pub(super) fn comments(text: &str, file: FileId) -> Vec<Spanned<String>> {
    let options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
        emit_comments: true,
        // No more than the file holds; the parser's own limit is a hundred in a row.
        max_buffered_comment_events: usize::MAX,
    };
    let events = Parser::new_from_str_with_options(text, options).map_while(Result::ok);
    let comments = events.filter_map(|(event, span)| match event {
        Event::Comment(text, _) => Some(Spanned::new(text.into_owned(), place(file, &span))),
        _ => None,
    });
    comments.collect()
}

/// A place of the YAML crate as one of ours.
fn place(file: FileId, span: &serde_saphyr::granit_parser::Span) -> Span {
    let mut place = mark(file, &span.start);
    place.end = span.end.byte_offset().unwrap_or(place.start).max(place.start);
    place
}

/// A point in the text as an empty place.
fn mark(file: FileId, marker: &serde_saphyr::granit_parser::Marker) -> Span {
    let start = marker.byte_offset().unwrap_or(0);
    Span {
        file,
        start,
        end: start,
        line: u32::try_from(marker.line()).unwrap_or(u32::MAX),
        column: u32::try_from(marker.col()).unwrap_or(u32::MAX).saturating_add(1),
    }
}
