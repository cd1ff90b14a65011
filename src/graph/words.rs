//! Words of a picture: lists that fold, text that wraps, counters with their units.

use super::drawing::{Cell, DirectionDrawing, Drawing, How, Row};
use crate::live::Seen;
use crate::resolve::derive::borrows;
use crate::units::Rate;

/// Alternatives of a match, or hosts in a list, that are drawn before the rest is counted.
const MOST: usize = 8;

/// Characters of a text that are drawn.
const LONGEST: usize = 240;

/// Items one by one, and of a long list the first ones: `and 12 more`.
pub(super) fn folded(items: Vec<String>) -> Vec<String> {
    let kept = drawn(items.len());
    let more = items.len() - kept;
    let first = items.iter().take(kept).map(|item| shown(item));
    first.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

/// How many of a list are drawn: all, or the first ones where it is longer than that by more than one.
pub(super) const fn drawn(n: usize) -> usize {
    if n < MOST + 2 { n } else { MOST }
}

/// A text from a file, as a picture can show it: no control, and nothing that turns or hides what stands beside it.
pub(super) fn shown(text: &str) -> String {
    let clean = crate::diag::for_terminal(text);
    let Some((end, _)) = clean.char_indices().nth(LONGEST) else { return clean };
    let kept = clean.get(..end).unwrap_or_default();
    // Not in the middle of a name, where one ended not far before.
    let whole = kept.rsplit_once(' ').filter(|(_, last)| last.chars().count() < LONGEST / 4);
    format!("{} …", whole.map_or(kept, |(whole, _)| whole))
}

/// How much room a character takes, in hundredths of the font's size; on the wide side, as fonts differ.
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

/// How wide a text is in pixels at most, in a font of this size in pixels.
pub(super) fn width(text: &str, size: usize) -> usize {
    (text.chars().map(room).sum::<usize>() * size).div_ceil(100)
}

/// A text cut to a width in pixels.
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

/// A text in lines of at most this width in pixels.
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

/// Bytes to three digits, in powers of 1000, rounded down: `412 B`, `1.23 GB`.
pub(super) fn bytes(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut scale = 1u64;
    for (at, unit) in units.iter().enumerate() {
        if bytes / scale >= 1000 && at + 1 < units.len() {
            scale *= 1000;
            continue;
        }
        let (whole, thousandths) = (bytes / scale, u128::from(bytes % scale) * 1000 / u128::from(scale));
        return match (at, whole) {
            (0, _) | (_, 100..) => format!("{whole} {unit}"),
            (_, 10..) => format!("{whole}.{} {unit}", thousandths / 100),
            _ => format!("{whole}.{:02} {unit}", thousandths / 10),
        };
    }
    format!("{bytes} B")
}

/// A rate that was measured, to three digits: more would be noise.
pub(super) fn measured(rate: Rate) -> Rate {
    let mut scale = 1u64;
    while rate.bps() / scale >= 1000 {
        scale *= 10;
    }
    Rate::from_bps(rate.bps() / scale * scale)
}

/// What a class gets, in words: a line each.
pub(super) fn cell(cell: &Cell) -> Vec<String> {
    match cell {
        Cell::Empty => Vec::new(),
        Cell::Rates { guarantee, ceiling, queue } => {
            let rates = match ceiling {
                Some(ceiling) if borrows(*guarantee) => format!("borrows only, up to {ceiling}"),
                Some(ceiling) if ceiling == guarantee => format!("{guarantee}, and no more"),
                Some(ceiling) => format!("{guarantee} to {ceiling}"),
                None => format!("{guarantee} together"),
            };
            [Some(rates), queue.clone()].into_iter().flatten().collect()
        }
        Cell::Tin(name) => vec![format!("tin {name}")],
        Cell::NoTin => vec!["no tin of its own".to_owned()],
    }
}

/// What was counted, in words: a line each.
pub(super) fn seen(seen: &Seen) -> Vec<String> {
    if !seen.present {
        return vec!["not in the kernel".to_owned()];
    }
    let rate = seen.rate.map(|rate| format!("now {}", measured(rate)));
    let sent = seen.sent.map(|sent| format!("sent {}", bytes(sent)));
    let dropped = seen.dropped.map(|dropped| format!("dropped {dropped}"));
    let backlog = seen.backlog.map(|(size, packets)| match packets {
        0 => "none waits".to_owned(),
        1 => format!("1 packet waits, {}", bytes(size)),
        _ => format!("{packets} packets wait, {}", bytes(size)),
    });
    let joined = |parts: [Option<String>; 2]| parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    [joined([rate, sent]), joined([dropped, backlog])].into_iter().filter(|line| !line.is_empty()).collect()
}

/// What becomes of a direction: a line each.
pub(super) fn direction(direction: &DirectionDrawing) -> Vec<String> {
    let (line, shaped) = (direction.line, direction.shaped);
    let aside = shaped.saturating_sub(direction.tree);
    let aside = (aside.bps() > 0).then(|| format!("{} for classes, {aside} set aside", direction.tree));
    let (first, second) = match &direction.how {
        How::Classes => (format!("line {line}, shaped to {shaped}"), aside),
        How::Tins(mode) => {
            (format!("line {line}, shaped to {}", direction.tree), Some(format!("by CAKE, {mode}")))
        }
        How::Police => (format!("line {line}, all of it policed to {}", direction.tree), None),
        How::Nothing => (format!("line {line}, left alone"), None),
    };
    [Some(first), second].into_iter().flatten().collect()
}

/// The title of a picture.
pub(super) fn title(drawing: &Drawing) -> String {
    format!("{}: {}, {}", shown(&drawing.name), drawing.device, drawing.profile)
}

/// What is said under the name of a row, before its matches: priority and default.
pub(super) fn role(row: &Row) -> Option<String> {
    let priority = row.priority.map(|priority| format!("priority {priority}"));
    let default = row.default.then(|| "default".to_owned());
    let said: Vec<String> = [default, priority].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}
