//! Ranges of whole numbers, and the value/mask pairs that take them.

use super::UnitError;
use super::number::{self, What};
use crate::diag::ticked;

/// What people write between the ends of a range instead of a hyphen.
const OTHER_DASHES: [&str; 6] = ["\u{2013}", "\u{2014}", "\u{2212}", "...", "..", ":"];

/// Reads `a` or `a-b`, both included and at most `max`.
pub(super) fn parse(text: &str, what: What, max: u16) -> Result<(u16, u16), UnitError> {
    let text = text.trim();
    for dash in OTHER_DASHES {
        if let Some((first, last)) = text.split_once(dash)
            && [first, last].iter().all(|end| end.trim().starts_with(|c: char| c.is_ascii_digit()))
        {
            let range = format!("{}-{}", first.trim(), last.trim());
            let cause =
                format!("the {} {} is not a range: its ends need a hyphen between", what.noun, ticked(text));
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
        let cause = format!("the {} {} begins above its end", what.noun, ticked(text));
        return Err(UnitError::new(cause).help(format!("write `{last}-{first}`")));
    }
    Ok((first, last))
}

/// The fewest value/mask pairs with masks of leading ones that together take exactly `first..=last`, lowest first; no
/// number meets two of them. Empty when `first` is above `last`.
///
/// From below, each step takes the largest aligned block that begins here and does not pass the end, as routers
/// have cut ranges into prefixes ever since CIDR (RFC 4632); a range of 16-bit numbers never needs more than 30.
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
