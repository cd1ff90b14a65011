//! Interprets scalars without quotes as different YAML readers do.
//!
//! YAML 1.1 and 1.2 disagree, and so do readers of the same version. If such a difference matters, this compiler
//! rejects the scalar. A file therefore means the same to every program.

/// Interpretation of a plain scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plain {
    /// Text for all readers.
    Text,
    /// No value: `~`, `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A boolean for some readers: `yes`, `off`, `True`.
    BoolToSome(bool),
    /// A decimal integer in its normal form.
    Int,
    /// A hexadecimal integer with the prefix `0x`.
    Hex,
    /// A number with a fraction.
    Float,
    /// A number for some readers, and another number or text for others: `010`, `1_000`, `1e3`. The list contains the
    /// possible meanings, if known.
    NumberToSome(Vec<String>),
    /// A date for some readers: `2026-01-31`.
    Date,
    /// Text for some readers, and a syntax error for others: `a:?b` between braces.
    TextToSome,
}

impl Plain {
    /// Returns `true` if readers interpret the scalar differently.
    pub(super) const fn is_disputed(&self) -> bool {
        matches!(self, Plain::NumberToSome(_) | Plain::BoolToSome(_) | Plain::Date | Plain::TextToSome)
    }
}

/// Interprets `text` without quotes.
pub(super) fn plain(text: &str) -> Plain {
    match text {
        "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" => return Plain::Bool(true),
        "false" => return Plain::Bool(false),
        "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => {
            return Plain::BoolToSome(true);
        }
        "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => {
            return Plain::BoolToSome(false);
        }
        _ => {}
    }
    if is_date(text) {
        return Plain::Date;
    }
    // inside braces, libyaml reads the colon as the end of a key, and the question mark as another key
    if text.contains(":?") {
        return Plain::TextToSome;
    }
    number(text).unwrap_or(Plain::Text)
}

/// Interprets `text` as a number; `None` if no reader does.
fn number(text: &str) -> Option<Plain> {
    let signless = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let signed = signless.len() != text.len();
    let lower = signless.to_ascii_lowercase();
    if matches!(lower.as_str(), ".inf" | ".nan") {
        return Some(Plain::NumberToSome(Vec::new()));
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let Some(digits) = lower.strip_prefix(prefix) else { continue };
        if digits.is_empty() || !digits.chars().all(|c| c == '_' || c.is_digit(radix)) {
            return None;
        }
        let agreed = signless.starts_with("0x") && !signed && digits.len() <= 16 && !digits.contains('_');
        return Some(if agreed { Plain::Hex } else { Plain::NumberToSome(value_of(digits, radix)) });
    }
    let digits = |part: &str| part.chars().all(|c| c == '_' || c.is_ascii_digit());
    if !lower.contains(|c: char| c.is_ascii_digit()) || lower.starts_with(['_', 'e']) {
        return None;
    }
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa.to_owned(), Some(exponent.to_owned())),
        None => (lower, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa.as_str(), None),
    };
    let is_number = digits(whole)
        && fraction.is_none_or(digits)
        && exponent.as_deref().is_none_or(|e| {
            let e = e.strip_prefix(['+', '-']).unwrap_or(e);
            !e.is_empty() && digits(e)
        });
    if !is_number {
        return None;
    }
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    let plus = signed && !negative;
    let agreed = exponent.is_none() && !text.contains('_') && !leading_zero && !plus;
    Some(match (fraction, exponent) {
        (None, None) if agreed && whole.len() <= 18 && text != "-0" => Plain::Int,
        (Some(_), None) if agreed => Plain::Float,
        (None, None) if leading_zero && !signed => {
            let mut readings = value_of(whole, 8);
            readings.extend(value_of(whole, 10));
            readings.dedup();
            Plain::NumberToSome(readings)
        }
        (None, None) if !negative => Plain::NumberToSome(value_of(whole, 10)),
        (None, Some(exponent)) if !negative => Plain::NumberToSome(power(whole, &exponent)),
        _ => Plain::NumberToSome(Vec::new()),
    })
}

/// Returns the digits as a decimal number; empty if they are invalid in this base or too many.
fn value_of(digits: &str, radix: u32) -> Vec<String> {
    let digits = digits.replace('_', "");
    u64::from_str_radix(&digits, radix).map_or_else(|_| Vec::new(), |value| vec![value.to_string()])
}

/// Returns `1e3` as `1000`; empty if the result is long or not an integer.
fn power(mantissa: &str, exponent: &str) -> Vec<String> {
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    match exponent.parse::<u8>() {
        Ok(zeros @ 0..=12) => value_of(&format!("{mantissa}{}", "0".repeat(usize::from(zeros))), 10),
        _ => Vec::new(),
    }
}

/// Returns `true` for a date of YAML 1.1, such as `2026-01-31`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut next = |shortest: usize, longest: usize| {
        parts.next().is_some_and(|part| {
            (shortest..=longest).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        })
    };
    next(4, 4) && next(1, 2) && next(1, 2) && parts.next().is_none()
}

#[cfg(test)]
#[path = "scalar_tests.rs"]
mod tests;
