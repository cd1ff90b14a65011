//! Why a text is not the quantity it should be.

use crate::diag::ticked;

/// A text that is not the quantity that was expected: the cause, and the cure where there is one.
///
/// Both are fragments for a diagnostic: lower case, no final period, user input in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    /// What is wrong, such as ``a rate needs a unit``.
    pub message: String,
    /// What to write instead, such as ``write `6.5mbit` ``; several readings are several entries.
    pub help: Vec<String>,
    /// The cure that is certain, where there is one: a piece of the text, and what to write for it.
    pub fix: Option<(String, String)>,
}

impl UnitError {
    /// An error with a cause and no cure of its own.
    pub fn new(message: impl Into<String>) -> Self {
        UnitError { message: message.into(), help: Vec::new(), fix: None }
    }

    /// The same error with one more piece of advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The same error with a cure that is certain: nothing but `meant` can be meant by `written`, a piece of the text.
    #[must_use]
    pub fn certain(mut self, written: impl Into<String>, meant: impl Into<String>) -> Self {
        self.fix = Some((written.into(), meant.into()));
        self
    }

    /// The same error with that cure as advice, too.
    #[must_use]
    pub fn write(self, written: &str, meant: &str) -> Self {
        self.help(format!("write {}", ticked(meant))).certain(written, meant)
    }

    /// The whole text as the cure has it.
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
