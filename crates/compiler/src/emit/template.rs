//! Renders templates: the built-in ones, and those that a user puts beside or in place of them.

use super::template_advice::advised;
use super::template_error::{EmitError, TemplateError};
use super::values::Values;
use crate::units::Rate;
use serde::Serialize;
use std::io::Write;
use std::sync::LazyLock;

/// Template of the script.
pub(super) const SCRIPT: &str = "script.sh.tera";
/// Template of the plain script.
pub(super) const PLAIN: &str = "plain.sh.tera";
/// Prefix with which templates of users name the built-in ones, to extend or include them.
const BUILT_IN: &str = "qosc/";
/// Largest result of a user's template in bytes.
pub const MOST_RENDERED: usize = 64 << 20;

const TEXTS: [(&str, &str); 2] = [
    (SCRIPT, include_str!("../../../../templates/script.sh.tera")),
    (PLAIN, include_str!("../../../../templates/plain.sh.tera")),
];

static TEMPLATES: LazyLock<Result<tera::Tera, tera::Error>> = LazyLock::new(|| {
    let mut tera = tera::Tera::default();
    tera.add_raw_templates(TEXTS)?;
    Ok(tera)
});

/// Returns a built-in template with its values.
///
/// # Errors
/// Fails if the template does not render with these values, which a test rules out.
pub(super) fn render(name: &str, values: &impl Serialize) -> Result<String, EmitError> {
    let templates = TEMPLATES.as_ref().map_err(EmitError::of)?;
    let values = tera::Context::from_serialize(values).map_err(|e| EmitError::of(&e))?;
    let mut out = Vec::new();
    write(templates, name, &values, &mut out).map_err(|e| EmitError::of(&e))?;
    String::from_utf8(out).map_err(|e| EmitError::of(&e))
}

/// Renders into a writer of any kind: tera would compile its interpreter once more for another kind.
fn write(from: &tera::Tera, name: &str, values: &tera::Context, out: &mut dyn Write) -> tera::TeraResult<()> {
    from.render_to(name, values, out)
}

/// Templates of a user. `script.sh.tera` and `plain.sh.tera` replace the built-in frames. A template can extend or include
/// the other ones, and the built-in ones as `qosc/script.sh.tera` and `qosc/plain.sh.tera`. It reads no files.
#[derive(Debug)]
pub struct Templates {
    tera: tera::Tera,
    /// Names and texts, for the advice about failures.
    texts: Vec<(String, String)>,
    /// Values of the file that is compiled.
    pub(super) values: Values,
}

impl Templates {
    /// Returns the templates with these file names and texts, for a file with these values.
    ///
    /// # Errors
    /// Fails if a template cannot be read, or refers to something that does not exist.
    pub fn new(texts: &[(String, String)], values: Values) -> Result<Self, TemplateError> {
        let mut tera = tera::Tera::default();
        // These endings escape what HTML and XML would take for markup.
        tera.autoescape_on([".html.tera", ".xml.tera", ".svg.tera"]);
        tera.register_filter("rate", |bits: u64, _: tera::Kwargs, _: &tera::State<'_>| {
            Rate::from_bps(bits).to_string()
        });
        let own = texts.iter().map(|(name, text)| (name.clone(), text.as_str()));
        let built_in = TEXTS.iter().map(|(name, text)| (format!("{BUILT_IN}{name}"), *text));
        let missing = TEXTS
            .iter()
            .filter(|(name, _)| texts.iter().all(|(own, _)| own != name))
            .map(|(name, text)| ((*name).to_owned(), *text));
        let all: Vec<_> = own.chain(built_in).chain(missing).collect();
        tera.add_raw_templates(all.iter().map(|(name, text)| (name.as_str(), *text)))
            .map_err(|e| advised(TemplateError::of(&e), &all, None))?;
        Ok(Templates { tera, texts: texts.to_vec(), values })
    }

    /// Renders a template.
    ///
    /// # Errors
    /// Fails if the template does not render with these values, or if the result is larger than [`MOST_RENDERED`].
    pub(super) fn render(&self, name: &str, values: &impl Serialize) -> Result<String, TemplateError> {
        let context = tera::Context::from_serialize(values).map_err(|e| TemplateError::of(&e))?;
        let mut out = Limited::default();
        let rendered = write(&self.tera, name, &context, &mut out);
        if out.full {
            let most = MOST_RENDERED >> 20;
            return Err(TemplateError::in_file(name, format!("the result is larger than {most} MiB")));
        }
        rendered.map_err(|e| {
            let texts: Vec<_> = self.texts.iter().map(|(name, text)| (name.clone(), text.as_str())).collect();
            advised(TemplateError::of(&e), &texts, serde_json::to_value(values).ok().as_ref())
        })?;
        String::from_utf8(out.text)
            .map_err(|_| TemplateError::in_file(name, "the result is not UTF-8".to_owned()))
    }
}

/// A text of at most [`MOST_RENDERED`] bytes.
#[derive(Default)]
struct Limited {
    text: Vec<u8>,
    full: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.text.len() + bytes.len() > MOST_RENDERED {
            self.full = true;
            return Err(std::io::Error::other("too large"));
        }
        self.text.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
