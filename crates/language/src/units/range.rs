//! Ranges of whole numbers.

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
