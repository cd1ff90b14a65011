//! Limits of a document, and the end of reading.

use crate::diag::{Code, Diagnostic, Span};
use crate::syntax::findings::Findings;

/// Maximum nesting of collections. The deepest useful file needs half of it.
pub(super) const MAX_DEPTH: usize = 32;

/// Rule for the indentation of lines.
pub(super) const INDENT: &str = "indent all keys of a mapping equally, and all dashes of a list equally";

/// End of reading; the reason is already reported.
pub(super) enum Stop {
    /// The part that was read is a whole document.
    Whole,
    /// The part that was read is a fragment.
    Broken,
}

/// Reading position when the parser failed.
pub(super) struct Stuck {
    /// Place of the innermost bracket that is still open.
    pub bracket: Option<Span>,
    /// Place of the last scalar.
    pub scalar: Option<Span>,
}

/// Reports collections that are nested beyond the limit.
pub(super) fn too_deep(span: Span, found: &mut Findings<'_>) {
    let message = format!("lists and mappings are nested more than {} deep", MAX_DEPTH);
    found.push(
        Diagnostic::new(Code::TooLarge, span, message)
            .help("no configuration needs more than half of that depth: remove some nesting"),
    );
}
