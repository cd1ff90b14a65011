//! Errors of the interpreter.

/// An error of an awk program: something that the interpreter does not know, or a fault while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    text: String,
    /// Line of the program, from 1; 0 if it is unknown.
    line: usize,
}

impl Error {
    pub(super) fn new(text: impl Into<String>) -> Error {
        Error { text: text.into(), line: 0 }
    }

    /// Adds the line of the program, unless the error has one.
    pub(super) fn at(mut self, line: usize) -> Error {
        if self.line == 0 {
            self.line = line;
        }
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "line {line} of the awk program: {}", self.text),
        }
    }
}

impl std::error::Error for Error {}
