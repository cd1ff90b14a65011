//! The error for a text that is not the expected quantity.

use crate::diag::ticked;

/// A text that is not the expected quantity: the cause, and a cure if there is one.
///
/// Both are fragments for a diagnostic: lower case, no final period, user input in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    /// Cause, such as ``a rate needs a unit``.
    pub message: String,
    /// Texts to write instead, such as ``write `6.5mbit` ``, with one entry per possible meaning.
    pub help: Vec<String>,
    /// Certain cure, if there is one: a piece of the text and its replacement.
    pub fix: Option<(String, String)>,
}

impl UnitError {
    /// Creates an error with a cause and no cure.
    pub fn new(message: impl Into<String>) -> Self {
        UnitError { message: message.into(), help: Vec::new(), fix: None }
    }

    /// Adds one more piece of advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
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
        self.help(format!("write {}", ticked(meant))).certain(written, meant)
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
