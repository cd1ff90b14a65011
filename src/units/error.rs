//! Why a text is not the quantity it should be.

/// A text that is not the quantity that was expected: the cause, and the cure where there is one.
///
/// Both are fragments for a diagnostic: lower case, no final period, user input in backticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    /// What is wrong, such as ``a rate needs a unit``.
    pub message: String,
    /// What to write instead, such as ``write `6.5mbit` ``; several readings are several entries.
    pub help: Vec<String>,
}

impl UnitError {
    /// An error with a cause and no cure of its own.
    pub fn new(message: impl Into<String>) -> Self {
        UnitError { message: message.into(), help: Vec::new() }
    }

    /// The same error with one more piece of advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnitError {}
