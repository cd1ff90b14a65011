//! Ranges of packet lengths.

use super::number::{self, What};
use super::written::{U16, U16_BUT_0, WHOLE, Written, written};
use super::{UnitError, range};
use crate::diag::ticked;
use std::str::FromStr;

/// IP packet lengths in bytes, header included, from `min` to `max` inclusive. Text: `<128`, `<=127`, `>1000`,
/// `>=1001`, `64-128` or `64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LengthRange {
    /// Shortest length in bytes.
    pub min: u16,
    /// Longest length in bytes; never below `min`.
    pub max: u16,
}

const WHAT: What = What { noun: "length", cure: "`<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`" };

impl std::fmt::Display for LengthRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.min, self.max) {
            (min, max) if min == max => write!(f, "{min}"),
            (0, u16::MAX) => f.write_str(">=0"),
            (0, max) => write!(f, "<{}", u32::from(max) + 1),
            (min, u16::MAX) => write!(f, ">{}", min - 1),
            (min, max) => write!(f, "{min}-{max}"),
        }
    }
}

impl FromStr for LengthRange {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let refuse = |why: &str| UnitError::new(format!("the length {} {why}", ticked(text)));
        let bound = |rest: &str| match rest.trim() {
            "" => Err(refuse("has no number").help(format!("write {}", WHAT.cure))),
            rest => number::integer(rest, WHAT, u64::MAX),
        };
        let length = |value: u64| {
            u16::try_from(value).map_err(|_| {
                refuse("is above 65535 bytes, the longest packet").help(format!("write {}", WHAT.cure))
            })
        };
        if let Some(rest) = text.strip_prefix("<=") {
            return Ok(LengthRange { min: 0, max: length(bound(rest)?)? });
        }
        if let Some(rest) = text.strip_prefix(">=") {
            return Ok(LengthRange { min: length(bound(rest)?)?, max: u16::MAX });
        }
        if let Some(rest) = text.strip_prefix('<') {
            return match bound(rest)?.checked_sub(1) {
                Some(max) => Ok(LengthRange { min: 0, max: length(max)? }),
                None => Err(refuse("matches no packet: none is shorter than 0 bytes")
                    .help(format!("write {}", WHAT.cure))),
            };
        }
        if let Some(rest) = text.strip_prefix('>') {
            return match length(bound(rest)?)?.checked_add(1) {
                Some(min) => Ok(LengthRange { min, max: u16::MAX }),
                None => Err(refuse("matches no packet: none is longer than 65535 bytes")
                    .help(format!("write {}", WHAT.cure))),
            };
        }
        for (sign, ascii) in
            [("\u{2264}", "<="), ("\u{2265}", ">="), ("=<", "<="), ("=>", ">="), ("==", ""), ("=", "")]
        {
            if let Some(rest) = text.strip_prefix(sign) {
                return Err(
                    refuse(&format!("begins with `{sign}`")).write(text, &format!("{ascii}{}", rest.trim()))
                );
            }
        }
        let (min, max) = range::parse(text, WHAT, u16::MAX)?;
        Ok(LengthRange { min, max })
    }
}

written!(
    LengthRange,
    "Length",
    Written {
        about: "Lengths of IP packets in bytes, header included: `<128`, `<=127`, `>1000`, `>=1001`, `64-128` or `64`",
        numbers: Some((0, 65535)),
        pattern: format!(
            "(<=|>=|>)\\s*{U16}{WHOLE}|<\\s*({U16_BUT_0}|65536){WHOLE}|{U16}{WHOLE}(\\s*-\\s*{U16}{WHOLE})?"
        ),
        trimmed: true,
        examples: vec!["<128", ">=1000", "64-128"],
    }
);
