//! Ranges of whole numbers, and the value/mask pairs that match them.

use super::UnitError;
use super::number::{self, What};
use crate::diag::ticked;

/// Characters that users write instead of the hyphen in a range.
const OTHER_DASHES: [&str; 6] = ["\u{2013}", "\u{2014}", "\u{2212}", "...", "..", ":"];

/// Reads `a` or `a-b`, both inclusive and at most `max`.
pub(super) fn parse(text: &str, what: What, max: u16) -> Result<(u16, u16), UnitError> {
    let text = text.trim();
    for dash in OTHER_DASHES {
        if let Some((first, last)) = text.split_once(dash)
            && [first, last].iter().all(|end| end.trim().starts_with(|c: char| c.is_ascii_digit()))
        {
            let range = format!("{}-{}", first.trim(), last.trim());
            let cause = format!("the {} {} needs a hyphen between its ends", what.noun, ticked(text));
            return Err(UnitError::new(cause).write(text, &range));
        }
    }
    let end = |text: &str| {
        let value = number::integer(text, what, u64::from(max))?;
        Ok(u16::try_from(value).unwrap_or(max))
    };
    let Some((first, last)) = text.split_once('-').filter(|(first, _)| !first.trim().is_empty()) else {
        let only = end(text)?;
        return Ok((only, only));
    };
    if last.trim().is_empty() {
        let cause = format!("the {} {} has no end", what.noun, ticked(text));
        return Err(
            UnitError::new(cause).help(format!("write {}", ticked(&format!("{}-{max}", first.trim()))))
        );
    }
    if last.contains('-') {
        let cause = format!("the {} {} has more than one hyphen", what.noun, ticked(text));
        return Err(UnitError::new(cause).help(format!("write {}", what.cure)));
    }
    let (first, last) = (end(first)?, end(last)?);
    if first > last {
        let cause = format!("the first number of the {} {} is above the last", what.noun, ticked(text));
        return Err(UnitError::new(cause).help(format!("write `{last}-{first}`")));
    }
    Ok((first, last))
}

/// Returns the fewest value/mask pairs with masks of leading ones that together match exactly `first..=last`. The pairs
/// ascend, and no number matches two of them. The result is empty if `first` is above `last`.
///
/// Starting from below, each step takes the largest aligned block that begins at the current number and does not exceed
/// the end. Routers split ranges into prefixes in the same manner (CIDR, RFC 4632). A range of 16-bit numbers never
/// needs more than 30 pairs.
pub(super) fn masks(first: u16, last: u16) -> Vec<(u16, u16)> {
    let (mut at, end) = (u32::from(first), u32::from(last) + 1);
    let mut pairs = Vec::new();
    while at < end {
        let aligned = if at == 0 { 16 } else { at.trailing_zeros() };
        let bits = aligned.min((end - at).ilog2()).min(16);
        let size = 1u32 << bits;
        let mask = 0x1_0000 - size;
        if let (Ok(value), Ok(mask)) = (u16::try_from(at), u16::try_from(mask)) {
            pairs.push((value, mask));
        }
        at += size;
    }
    pairs
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
