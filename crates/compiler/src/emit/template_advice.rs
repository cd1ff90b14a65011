//! Tells the author of a template what to do about a failure.

use super::template_error::TemplateError;
use crate::diag::{did_you_mean, ticked};
use serde_json::Value;

/// Returns a failure with a cure behind its reason, where one is known.
///
/// `texts` are the names and the texts of all templates. `values` are those that the template gets, if it gets any yet.
pub(super) fn advised(
    mut error: TemplateError,
    texts: &[(String, &str)],
    values: Option<&Value>,
) -> TemplateError {
    if error.file.is_empty() {
        error = located(error, texts);
    }
    let text = || texts.iter().find(|(name, _)| *name == error.file).map(|(_, text)| *text);
    let line = || text()?.lines().nth(error.place?.0.checked_sub(1)?);
    let reason = &error.reason;
    let cure = if reason.contains("undefined") {
        let found = line().zip(values).and_then(|(line, values)| {
            let column = error.place.map_or(0, |(_, column)| column);
            // The tag begins before the place; names outside of it are text.
            let before = line.get(..column).unwrap_or(line);
            let tag = before.rfind("{{").max(before.rfind("{%")).unwrap_or(0);
            undefined(line.get(tag..).unwrap_or(line), values)
        });
        Some(found.unwrap_or_else(|| "a name in this line is not defined: see `--emit context`".to_owned()))
    } else if reason.starts_with("unexpected end of input") {
        Some("a tag such as `{% endfor %}`, `{% endif %}` or `{% endblock %}` is missing".to_owned())
    } else if reason.starts_with("unknown tag") {
        Some("end each block with its own tag, such as `{% endfor %}` for `{% for %}`".to_owned())
    } else if reason.starts_with("unknown filter") {
        Some("the filters are `rate` and those of Tera".to_owned())
    } else if reason.starts_with("unknown function") || reason.starts_with("unknown test") {
        Some("only those that Tera has can be used".to_owned())
    } else if reason.starts_with("unknown template") {
        let names: Vec<_> = texts.iter().map(|(name, _)| ticked(name)).collect();
        Some(format!("the templates are {}", names.join(", ")))
    } else if reason.ends_with("is not defined in any parent template") {
        Some("the block of `qosc/script.sh.tera` is `head`".to_owned())
    } else {
        None
    };
    if let Some(cure) = cure {
        error.reason = format!("{}; {cure}", error.reason);
    }
    error
}

/// Finds the place of a failure that only names the template and its missing parent, in single quotes.
fn located(error: TemplateError, texts: &[(String, &str)]) -> TemplateError {
    let mut quoted = error.reason.split('\'').skip(1).step_by(2);
    let (Some(file), Some(parent), true) =
        (quoted.next(), quoted.next(), error.reason.contains("inheriting from"))
    else {
        return error;
    };
    let text = texts.iter().find(|(name, _)| name == file).map_or("", |(_, text)| *text);
    let place =
        text.lines().enumerate().find_map(|(number, line)| Some((number + 1, line.find(parent)? + 1)));
    TemplateError { file: file.to_owned(), place, reason: format!("unknown template {}", ticked(parent)) }
}

/// Returns a sentence about the first name of a line that is not among the values.
fn undefined(line: &str, values: &Value) -> Option<String> {
    let known = values.as_object()?;
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).find_map(|path| {
        let mut parts = path.split('.');
        let head = parts.next()?;
        let Some(mut value) = known.get(head) else {
            let near = did_you_mean(head, known.keys().map(String::as_str))?;
            return Some(format!("{} is not defined; did you mean {}?", ticked(head), ticked(near)));
        };
        for part in parts {
            let fields = value.as_object()?;
            let Some(next) = fields.get(part) else {
                let names: Vec<_> = fields.keys().map(|name| ticked(name)).collect();
                return Some(format!("{} is not defined; the fields are {}", ticked(path), names.join(", ")));
            };
            value = next;
        }
        None
    })
}
