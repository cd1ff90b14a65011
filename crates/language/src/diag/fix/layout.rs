//! Layout of an edit in the YAML around it, based on the text alone.

/// Returns a scalar with the value `new` to replace `old`, or `None` if `old` has several lines.
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

/// Returns the bytes to remove together with an item of a list, or a key and its value. Returns `None` in these cases:
/// it is the only one in a flow collection, a comment would be lost, or it shares its line with something else.
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

/// Adds the comma after the item, and the line if it becomes empty, or the blanks before the next item.
fn with_comma(text: &str, start: usize, comma: usize) -> (usize, usize) {
    let begin = line_start(text, start);
    let alone = text.get(begin..start).is_some_and(|before| before.trim().is_empty());
    match line_end(text, comma) {
        Some(end) if alone => (begin, end),
        Some(_) => (start, comma),
        None => (start, comma + blanks(text.get(comma..).unwrap_or_default())),
    }
}

/// Returns the whole lines of an item in a block, if nothing else is on them.
fn lines(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let begin = line_start(text, start);
    let before = text.get(begin..start)?.trim();
    let end = line_end(text, end)?;
    (before.is_empty() || before == "-").then_some((begin, end))
}

/// Returns the start of the line at a position.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// Returns the position after the line break, if only blanks precede the break.
fn line_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let (line, broken) = rest.split_once('\n').map_or((rest, 0), |(line, _)| (line, 1));
    line.trim().is_empty().then_some(at + line.len() + broken)
}

/// Returns the number of leading blanks in bytes.
fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// True if a piece of YAML may have a comment; a `#` in quotes counts, too.
fn has_comment(text: &str) -> bool {
    text.starts_with('#') || [" #", "\t#", "\n#"].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
