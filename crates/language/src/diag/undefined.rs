//! The error for a name that does not exist.

use super::{Code, Diagnostic, Fix, Spanned, did_you_mean, surely, ticked};

/// Returns the error for a name that is none of these. `otherwise` is the help if no name is near.
#[must_use]
pub fn undefined(
    noun: &str,
    name: &Spanned<String>,
    names: &[&str],
    otherwise: impl FnOnce() -> String,
) -> Diagnostic {
    let known = || names.iter().copied();
    let near = did_you_mean(&name.value, known());
    let help = near.map_or_else(otherwise, |near| format!("did you mean {}?", ticked(near)));
    let message = format!("there is no {noun} {}", ticked(&name.value));
    let sure = near.and_then(|_| surely(&name.value, known()));
    let fix = sure.map(|meant| Fix::name(meant, name.span));
    Diagnostic::new(Code::UndefinedName, name.span, message).help(help).fix(fix)
}
