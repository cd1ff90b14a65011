//! Renders the built-in templates.

use serde::Serialize;
use std::sync::LazyLock;

/// Template of the script.
pub(super) const SCRIPT: &str = "script.sh.tera";
/// Template of the plain script.
pub(super) const PLAIN: &str = "plain.sh.tera";

static TEMPLATES: LazyLock<Result<tera::Tera, tera::Error>> = LazyLock::new(|| {
    let mut tera = tera::Tera::default();
    tera.add_raw_templates([
        (SCRIPT, include_str!("../../../../templates/script.sh.tera")),
        (PLAIN, include_str!("../../../../templates/plain.sh.tera")),
    ])?;
    Ok(tera)
});

/// Failure to print a script because its built-in template is broken. A test rules this out.
#[derive(Debug)]
pub struct EmitError(String);

impl EmitError {
    fn of(error: &tera::Error) -> EmitError {
        EmitError(error.to_string())
    }
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the script's frame is broken: {}", self.0)
    }
}

impl std::error::Error for EmitError {}

/// Returns a built-in template with its values.
///
/// # Errors
/// Fails if the template does not render with these values, which a test rules out.
pub(super) fn render(name: &str, values: &impl Serialize) -> Result<String, EmitError> {
    let templates = TEMPLATES.as_ref().map_err(EmitError::of)?;
    let values = tera::Context::from_serialize(values).map_err(|e| EmitError::of(&e))?;
    templates.render(name, &values).map_err(|e| EmitError::of(&e))
}
