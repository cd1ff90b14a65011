//! The error for a text that is not the expected quantity.

use crate::diag::ticked;

/// A text that is not the expected quantity: the cause, and a cure if there is one.
///
/// Both are fragments for a diagnostic: lower case, no final period, user input in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    /// Cause, such as ``a rate needs a unit``.
    pub message: String,
    /// Advice on what to write instead, such as ``write `6.5mbit` ``; several readings are several entries.
    pub help: Vec<Advice>,
    /// Certain cure, if there is one: a piece of the text and its replacement.
    pub fix: Option<(String, String)>,
}

/// A piece of advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// Its words.
    pub words: String,
    /// The whole text that they propose, where they propose one.
    proposed: Option<String>,
}

impl UnitError {
    /// Creates an error with a cause and no cure.
    pub fn new(message: impl Into<String>) -> Self {
        UnitError { message: message.into(), help: Vec::new(), fix: None }
    }

    /// Adds one more piece of advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(Advice { words: help.into(), proposed: None });
        self
    }

    /// The same error with one more piece of advice, which proposes the whole text `meant`.
    #[must_use]
    pub fn propose(mut self, meant: impl Into<String>, help: impl Into<String>) -> Self {
        self.help.push(Advice { words: help.into(), proposed: Some(meant.into()) });
        self
    }

    /// The same error without proposals that would be refused in turn. `cure` is the advice where none is left.
    #[must_use]
    pub fn only(mut self, text: &str, accepted: impl Fn(&str) -> bool, cure: &str) -> Self {
        // A list is for the reader of the key, which takes several values.
        let keep = |meant: &str| meant.starts_with('[') || accepted(meant);
        self.help.retain(|help| help.proposed.as_deref().is_none_or(keep));
        if !self.mended(text).is_none_or(|meant| keep(&meant)) {
            self.fix = None;
        }
        if self.help.is_empty() { self.help(format!("write {cure}")) } else { self }
    }

    /// Adds a certain cure. The text `written`, a piece of the input, can only mean `meant`.
    #[must_use]
    pub fn certain(mut self, written: impl Into<String>, meant: impl Into<String>) -> Self {
        self.fix = Some((written.into(), meant.into()));
        self
    }

    /// Adds a certain cure that is also advice.
    #[must_use]
    pub fn write(self, written: &str, meant: &str) -> Self {
        self.propose(meant, format!("write {}", ticked(meant))).certain(written, meant)
    }

    /// Returns the whole text with the cure applied.
    #[must_use]
    pub fn mended(&self, text: &str) -> Option<String> {
        let (written, meant) = self.fix.as_ref()?;
        let (before, after) = text.trim().split_once(written.as_str())?;
        (!after.contains(written.as_str())).then(|| format!("{before}{meant}{after}"))
    }
}

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnitError {}
