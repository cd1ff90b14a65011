//! Differentiated services code points.

use super::UnitError;
use super::number::{self, What};
use super::written::{self, WHOLE, Written, written};
use crate::diag::{did_you_mean, ticked};
use std::str::FromStr;

/// A DSCP, 0 to 63. Text: `cs0..cs7, af11..af43, ef, va, le` or the number. It prints as a name if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Dscp(u8);

impl Dscp {
    /// Creates a DSCP from its six bits; `None` above 63.
    #[must_use]
    pub const fn new(bits: u8) -> Option<Self> {
        if bits < 64 { Some(Dscp(bits)) } else { None }
    }

    /// Returns the six bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// Names and bits: class selectors (RFC 2474), assured forwarding (RFC 2597), expedited forwarding (RFC 3246),
/// voice-admit (RFC 5865), lower effort (RFC 8622).
const NAMES: &[(&str, u8)] = &[
    ("cs0", 0),
    ("cs1", 8),
    ("cs2", 16),
    ("cs3", 24),
    ("cs4", 32),
    ("cs5", 40),
    ("cs6", 48),
    ("cs7", 56),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("ef", 46),
    ("va", 44),
    ("le", 1),
];

const WHAT: What = What {
    noun: "DSCP",
    cure: "`cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63",
};

impl std::fmt::Display for Dscp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match NAMES.iter().find(|(_, bits)| *bits == self.0) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}

impl FromStr for Dscp {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if let Some((_, bits)) = NAMES.iter().find(|(name, _)| *name == lower) {
            return Ok(Dscp(*bits));
        }
        if lower.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(unknown_name(text, &lower));
        }
        // users copy code points in hexadecimal, or the whole TOS byte, whose upper six bits are the DSCP
        let hexadecimal = lower.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let number = hexadecimal.map_or_else(|| number::integer(text, WHAT, u64::MAX), Ok)?;
        let dscp = u8::try_from(number).ok().and_then(Dscp::new);
        let error = match (dscp, hexadecimal) {
            (Some(dscp), None) => return Ok(dscp),
            (Some(dscp), Some(_)) => return Err(hexadecimal_dscp(text, dscp)),
            (None, _) => UnitError::new(format!("the DSCP {} is above the largest, 63", ticked(text))),
        };
        let error = match u8::try_from(number) {
            Ok(tos) if tos % 4 == 0 => {
                let help = format!("write `{}` if {} is a TOS byte", Dscp(tos / 4), ticked(text));
                match hexadecimal {
                    Some(_) => error.help(help).certain(text, Dscp(tos / 4).to_string()),
                    None => error.help(help),
                }
            }
            _ => error,
        };
        Err(error.help(format!("write {}", WHAT.cure)))
    }
}

/// The refusal of a hexadecimal number up to 63. Whoever writes hexadecimal may mean the TOS byte, which is a multiple of
/// four where it says nothing about ECN, and four times the DSCP.
fn hexadecimal_dscp(text: &str, dscp: Dscp) -> UnitError {
    let tos = Dscp(dscp.bits() / 4);
    if !dscp.bits().is_multiple_of(4) || tos == dscp {
        return UnitError::new(format!("the DSCP {} is hexadecimal", ticked(text)))
            .write(text, &dscp.to_string());
    }
    let (shown, bits) = (ticked(text), dscp.bits());
    UnitError::new(format!("the hexadecimal number {shown} can be a TOS byte or a DSCP"))
        .help(format!("write `{tos}` if {shown} is a TOS byte, the DSCP times 4"))
        .help(format!("write `{dscp}` if {shown} is the DSCP {bits}"))
}

/// Returns the error for a name that no code point has.
fn unknown_name(text: &str, lower: &str) -> UnitError {
    let error = UnitError::new(format!("there is no DSCP named {}", ticked(text)));
    if let Some(list) = number::as_list::<Dscp>(lower) {
        return number::several(error, text, &list);
    }
    match lower {
        "be" | "df" | "default" | "best-effort" => {
            return error.help("write `cs0` for best effort").certain(text, "cs0");
        }
        _ if lower.starts_with("af") => {
            return error.help("the AF code points are `af11` to `af43`: a class from 1 to 4 and a drop precedence from 1 to 3");
        }
        _ if lower.starts_with("cs") => return error.help("the class selectors are `cs0` to `cs7`"),
        _ => {}
    }
    match did_you_mean(lower, NAMES.iter().map(|(name, _)| *name)) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.help(format!("write {}", WHAT.cure)),
    }
}

written!(
    Dscp,
    "Dscp",
    Written {
        about: "A DSCP: `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63",
        numbers: Some((0, 63)),
        pattern: format!(
            "{}|([1-5]?[0-9]|6[0-3]){WHOLE}",
            written::any_of(NAMES.iter().map(|(name, _)| *name))
        ),
        trimmed: true,
        examples: NAMES.iter().map(|(name, _)| *name).collect(),
    }
);
