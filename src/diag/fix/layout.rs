//! How an edit fits into the YAML around it, seen from the text alone.

/// A scalar that reads as `new`, in the place of `old`. `None` where `old` goes over several lines.
pub(super) fn scalar(old: &str, new: &str) -> Option<String> {
    if old.starts_with(['|', '>']) || old.contains(['\n', '\r']) || new.is_empty() {
        return None;
    }
    let quoted = old.starts_with(['"', '\'']);
    let plain = new.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '<')
        && new.chars().all(|c| c.is_ascii_alphanumeric() || "._-/%+<=".contains(c));
    if plain && !quoted {
        return Some(new.to_owned());
    }
    if new.chars().any(|c| c.is_control() || matches!(c, '"' | '\\' | '\'')) {
        return None;
    }
    let quote = if old.starts_with('\'') { '\'' } else { '"' };
    Some(format!("{quote}{new}{quote}"))
}

/// The bytes to take out with the item of a list, or the key and its value, that stands there. `None` where it is the only
/// one of a flow collection, where a comment would go with it, or where it shares its line with something else.
pub(super) fn item(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let inside = text.get(start..end)?;
    if inside.is_empty() || has_comment(inside) {
        return None;
    }
    let after = text.get(end..)?;
    let rest = after.trim_start();
    let next = end + (after.len() - rest.len());
    match rest.chars().next() {
        Some(',') => Some(with_comma(text, start, next + 1)),
        Some(']' | '}') => {
            let before = text.get(..start)?.trim_end();
            before.ends_with(',').then(|| (before.len() - 1, end))
        }
        _ => lines(text, start, end),
    }
}

/// With the comma behind it, and the line that this would leave empty, or the blanks that parted it from the next.
fn with_comma(text: &str, start: usize, comma: usize) -> (usize, usize) {
    let begin = line_start(text, start);
    let alone = text.get(begin..start).is_some_and(|before| before.trim().is_empty());
    match line_end(text, comma) {
        Some(end) if alone => (begin, end),
        Some(_) => (start, comma),
        None => (start, comma + blanks(text.get(comma..).unwrap_or_default())),
    }
}

/// The whole lines of an item of a block; nothing else may stand on them.
fn lines(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let begin = line_start(text, start);
    let before = text.get(begin..start)?.trim();
    let end = line_end(text, end)?;
    (before.is_empty() || before == "-").then_some((begin, end))
}

/// Where the line of a place begins.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// Behind the break of the line of a place, if there are only blanks up to it.
fn line_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let (line, broken) = rest.split_once('\n').map_or((rest, 0), |(line, _)| (line, 1));
    line.trim().is_empty().then_some(at + line.len() + broken)
}

/// How many bytes of blanks a text begins with.
fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Whether there may be a comment in a piece of YAML; a `#` in quotes counts as one, too.
fn has_comment(text: &str) -> bool {
    text.starts_with('#') || [" #", "\t#", "\n#"].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
