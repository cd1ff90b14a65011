//! Result of a run, and what several commands need.

use std::path::Path;

/// Result of a run, as in its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// 0: no problem.
    Fine,
    /// 1: the configuration has errors, something differs, or a target never answered.
    Errors,
    /// 2: wrong usage, or something could not be read or written.
    Unable,
    /// Exit code of another program, for which this one stands.
    Code(u8),
}

impl Outcome {
    /// Returns the outcome of a comparison that was printed.
    pub(super) const fn of_comparison(self, differs: bool) -> Outcome {
        match self {
            Outcome::Fine if differs => Outcome::Errors,
            outcome => outcome,
        }
    }
}

/// Result of a command. An error is a message for standard error, and the outcome [`Outcome::Unable`].
pub(super) type Done = Result<Outcome, String>;

/// True if a path stands for standard input or standard output.
pub(super) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// True if an argument names a configuration, where a host is expected.
pub(super) fn is_configuration(argument: &str) -> bool {
    [".yaml", ".yml"].iter().any(|end| argument.ends_with(end))
}
