//! Reads text into nodes. No other module names the YAML crate.
//!
//! This module uses serde-saphyr's own parser event by event, without its serde layer. The events give a place to every
//! key, bracket, alias and tag. The serde layer would hide the ends of collections. It would also merge keys that are
//! the same number (`1` and `0x1`) before they can be reported.

mod build;
mod complaint;
mod culprit;
mod mapping;
mod opened;
mod stop;

use super::findings::Findings;
use super::node::YamlValue;
use crate::diag::{FileId, Span, Spanned};
use serde_saphyr::granit_parser::{Event, Parser, options};
use stop::{MAX_DEPTH, Stop};

/// Reads the only document of a text. If the text is not YAML, exceeds the limits, or is empty, reports that and
/// returns `None`. Errors caused by a `tab` in the indentation are not repeated, because the caller has reported the
/// tab.
pub(super) fn parse(
    text: &str,
    file: FileId,
    tab: Option<Span>,
    found: &mut Findings<'_>,
) -> Option<YamlValue> {
    // One level more than allowed, so that this module reports the finding, at the place of the opening bracket.
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
                if tab.is_none_or(|tab| at.start < tab.start && !complaint::is_tab(error.kind())) {
                    complaint::report(&error, text, at, &stuck, found);
                }
                return None;
            }
        }
    }
    builder.finish()
}

/// Returns the comments of a text in its order, each with the text after its `#`. In an invalid YAML text, these are
/// the comments before the error.
pub(super) fn comments(text: &str, file: FileId) -> Vec<Spanned<String>> {
    let options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
        emit_comments: true,
        // The file size limits the number; the parser's own limit is a hundred in a row.
        max_buffered_comment_events: usize::MAX,
    };
    let events = Parser::new_from_str_with_options(text, options).map_while(Result::ok);
    let comments = events.filter_map(|(event, span)| match event {
        Event::Comment(text, _) => Some(Spanned::new(text.into_owned(), place(file, &span))),
        _ => None,
    });
    comments.collect()
}

/// Converts a place of the YAML crate.
fn place(file: FileId, span: &serde_saphyr::granit_parser::Span) -> Span {
    let mut place = mark(file, &span.start);
    place.end = span.end.byte_offset().unwrap_or(place.start).max(place.start);
    place
}

/// Converts a point in the text to an empty place.
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
