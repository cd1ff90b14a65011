//! The [`Model`] as kernel objects.

use crate::diag::Sink;
use crate::model::Model;
use crate::tc::Program;

/// Lowers a model without errors. Pushes what only shows here (a match that nothing can meet, or that takes too many
/// filters); `None` only then.
#[must_use]
pub fn lower(_model: &Model, _sink: &mut Sink) -> Option<Program> {
    None
}
