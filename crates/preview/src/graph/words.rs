//! Words of a picture: shortened lists, wrapped text, counters with their units.

use super::drawing::{Cell, DirectionDrawing, Drawing, How, TreeRow};
use crate::live::Seen;
use qosc_compiler::derive::borrows;
use qosc_compiler::diag::count;
use qosc_compiler::units::{Bytes, change_for_people};

/// Largest number of matches or hosts in a list; further ones are only counted.
const MOST: usize = 8;

/// Largest length of a text in characters.
const LONGEST: usize = 240;

/// Returns the items; of a long list only the first ones and `and 12 more`.
pub(super) fn folded(items: Vec<String>) -> Vec<String> {
    let kept = drawn(items.len());
    let more = items.len() - kept;
    let first = items.iter().take(kept).map(|item| shown(item));
    first.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

/// Number of items that are drawn. A list keeps one item more than [`MOST`] if the count would replace only that item.
pub(super) const fn drawn(n: usize) -> usize {
    if n < MOST + 2 { n } else { MOST }
}

/// Makes a text from a file safe for a picture: no control characters, and none that turn or hide their surroundings.
pub(super) fn shown(text: &str) -> String {
    let clean = qosc_compiler::diag::for_terminal(text);
    let Some((end, _)) = clean.char_indices().nth(LONGEST) else { return clean };
    let kept = clean.get(..end).unwrap_or_default();
    // Cut at a space, unless the last word is very long.
    let whole = kept.rsplit_once(' ').filter(|(_, last)| last.chars().count() < LONGEST / 4);
    format!("{} …", whole.map_or(kept, |(whole, _)| whole))
}

/// Estimated width of a character in hundredths of the font size. It is rather too wide, because fonts differ.
fn room(c: char) -> usize {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' | ' ' => 33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '"' | '`' => 43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' | '…' | '—' => 98,
        'A'..='Z' | '_' | '#' | '$' | '+' | '<' | '=' | '>' | '~' => 76,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'.. => 115,
        c if c.is_ascii() => 62,
        _ => 78,
    }
}

/// Largest width of a text in pixels, for a font size in pixels.
pub(super) fn width(text: &str, size: usize) -> usize {
    (text.chars().map(room).sum::<usize>() * size).div_ceil(100)
}

/// Cuts a text to a width in pixels.
pub(super) fn cut(text: &str, size: usize, most: usize) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if width(&kept, size) + width("…", size) + width(c.encode_utf8(&mut [0; 4]), size) > most {
            break;
        }
        kept.push(c);
    }
    kept.trim_end().to_owned() + "…"
}

/// Breaks a text into lines of at most this width in pixels.
pub(super) fn wrapped(text: &str, size: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if line.is_empty() || width(&longer, size) <= most {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, word.to_owned()));
        }
    }
    lines.push(line);
    lines.iter().map(|line| cut(line, size, most)).collect()
}

/// Rates or tin of a class in words, one per line.
pub(super) fn cell(cell: &Cell) -> Vec<String> {
    match cell {
        Cell::Empty => Vec::new(),
        Cell::Rates { guarantee, ceiling, queue } => {
            let rates = match ceiling {
                Some(ceiling) if borrows(*guarantee) => {
                    format!("borrows only, up to {}", ceiling.for_people())
                }
                Some(ceiling) if ceiling == guarantee => format!("{}, and no more", guarantee.for_people()),
                Some(ceiling) => {
                    let (least, most) = change_for_people(&guarantee.to_string(), &ceiling.to_string());
                    format!("{least} to {most}")
                }
                None => format!("{} together", guarantee.for_people()),
            };
            [Some(rates), queue.clone()].into_iter().flatten().collect()
        }
        Cell::Tin { name, threshold } => {
            vec![format!("tin {name}"), format!("threshold {}", threshold.for_people())]
        }
        Cell::NoTin => vec!["no tin of its own".to_owned()],
    }
}

/// Counters in words, one per line. CAKE counts for a tin what arrives, even if it is dropped later.
pub(super) fn seen(seen: &Seen, cell: &Cell) -> Vec<String> {
    if !seen.present {
        return vec!["not in the kernel".to_owned()];
    }
    // Further digits would be noise.
    let rate = seen.rate.map(|rate| format!("now {}", rate.rounded(3).for_people()));
    let counted = if matches!(cell, Cell::Tin { .. }) { "arrived" } else { "sent" };
    let sent = seen.sent.map(|sent| format!("{counted} {}", Bytes::new(sent).for_people()));
    let dropped = seen.dropped.map(|dropped| format!("dropped {dropped}"));
    let backlog = seen.backlog.map(|(size, packets)| match packets {
        0 => "no backlog".to_owned(),
        _ => format!(
            "backlog {}, {}",
            count(usize::try_from(packets).unwrap_or(usize::MAX), "packet"),
            Bytes::new(size).for_people()
        ),
    });
    let joined = |parts: [Option<String>; 2]| parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    [joined([rate, sent]), joined([dropped, backlog])].into_iter().filter(|line| !line.is_empty()).collect()
}

/// Rates and method of a direction in words, one per line.
pub(super) fn direction(direction: &DirectionDrawing) -> Vec<String> {
    let line = direction.line.map_or_else(String::new, |line| format!("line {}, ", line.for_people()));
    let shaped = direction.shaped.for_people();
    let tree = direction.tree.for_people();
    let aside = direction.shaped.saturating_sub(direction.tree);
    let aside = (aside.bps() > 0).then(|| format!("{tree} for classes, {} set aside", aside.for_people()));
    let (first, second) = match &direction.how {
        How::Classes => (format!("{line}shaped to {shaped}"), aside),
        How::Tins(mode) => (format!("{line}shaped to {tree}"), Some(format!("by CAKE, {mode}"))),
        How::Police => (format!("{line}policed to {tree}"), None),
        How::Nothing => (format!("{line}not shaped"), None),
    };
    [Some(first), direction.varies.clone(), second].into_iter().flatten().collect()
}

/// Title of a picture.
pub(super) fn title(drawing: &Drawing) -> String {
    format!("{}: {}, {}", shown(&drawing.name), drawing.device, drawing.profile)
}

/// Text between the name of a row and its matches: default and priority.
pub(super) fn role(row: &TreeRow) -> Option<String> {
    let priority = row.priority.map(|priority| format!("priority {priority}"));
    let default = row.default.then(|| "default".to_owned());
    let said: Vec<String> = [default, priority].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
