//! A queue of the file.

use crate::diag::Span;
use crate::import::text::{Line, Word};
use crate::import::uci::{Section, UciOption};
use std::collections::HashMap;

/// A queue of the file.
pub(super) struct Queue<'a> {
    pub(super) name: String,
    pub(super) section: &'a Section,
    pub(super) options: HashMap<&'a str, &'a UciOption>,
}

impl Queue<'_> {
    pub(super) fn word(&self, key: &str) -> Option<&Word> {
        self.options.get(key).map(|option| &option.value).filter(|word| !word.text.is_empty())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.word(key).map(|word| word.text.as_str())
    }

    /// Place of an option, or of the section without it.
    pub(super) fn span(&self, key: &str) -> Span {
        self.options.get(key).map_or(self.section.kind.span, |option| option.span)
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.text("enabled").is_some_and(|text| text.trim_start_matches('0') == "1")
    }
}

/// Returns whether CAKE is the root of both directions.
pub(super) fn is_cake(queue: &Queue<'_>) -> bool {
    let script = queue.text("script").unwrap_or_default();
    let script_of_cake = matches!(script, "piece_of_cake.qos" | "layer_cake.qos" | "layer_cake_ct.qos");
    script_of_cake
        || (queue.text("qdisc").is_some_and(|qdisc| qdisc.starts_with("cake"))
            && script != "simplest_tbf.qos")
}

/// Returns the words of an option, each with its place.
pub(super) fn words(queue: &Queue<'_>, key: &str) -> Vec<Word> {
    let Some(word) = queue.word(key) else { return Vec::new() };
    let mut words = Line { text: &word.text, at: word.span }.plain();
    // Quotes and backslashes shift the places inside the value, so each word has the place of the whole value.
    words.iter_mut().for_each(|part| part.span = word.span);
    words
}
