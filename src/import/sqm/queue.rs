//! A queue of the file.

use crate::diag::Span;
use crate::import::text::Word;
use crate::import::uci::{Section, UciOption};

/// A queue of the file.
pub(super) type Queue = Section;

impl Queue {
    fn option(&self, key: &str) -> Option<&UciOption> {
        self.options.get(key).inspect(|option| option.is_read.set(true))
    }

    pub(super) fn word(&self, key: &str) -> Option<&Word> {
        self.option(key).map(|option| &option.value).filter(|word| !word.text.is_empty())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.word(key).map(|word| word.text.as_str())
    }

    /// Returns the words of an option, each with its place.
    pub(super) fn words(&self, key: &str) -> Vec<Word> {
        self.word(key).into_iter().flat_map(Word::parts).collect()
    }

    /// Place of an option, or of the section without it.
    pub(super) fn span(&self, key: &str) -> Span {
        self.option(key).map_or(self.kind.span, |option| option.span)
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.text("enabled").is_some_and(|text| text.trim_start_matches('0') == "1")
    }

    /// Returns whether CAKE is the root of both directions.
    pub(super) fn is_cake(&self) -> bool {
        match self.text("script").unwrap_or_default() {
            "piece_of_cake.qos" | "layer_cake.qos" | "layer_cake_ct.qos" => true,
            "simplest_tbf.qos" => false,
            _ => self.text("qdisc").is_some_and(|qdisc| qdisc.starts_with("cake")),
        }
    }
}
