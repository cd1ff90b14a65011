//! Result of an import.

use crate::diag::Diagnostic;

/// A configuration made from an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Name in the input, for a file name.
    pub name: String,
    /// Commented YAML.
    pub yaml: String,
}

/// All configurations made from an input, and everything that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Configurations in the order of the input.
    pub results: Vec<Imported>,
    /// Findings in the order of the input, each with its place.
    pub findings: Vec<Diagnostic>,
}
