//! Exact decimal numbers followed by a unit.

use super::UnitError;
use crate::diag::ticked;
use std::str::FromStr;

/// Expected quantity, for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct What {
    /// Noun for the quantity, such as `rate`.
    pub(super) noun: &'static str,
    /// Instruction for writing one, such as ``a number and a unit, such as `6.5mbit` ``.
    pub(super) cure: &'static str,
}

/// A non-negative decimal number as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal<'a> {
    /// Digits as written, with the point.
    pub(super) text: &'a str,
    /// Part before the point; the largest value if it does not fit.
    whole: u128,
    /// Digits after the point, without trailing zeros.
    fraction: &'a str,
}

/// Reason why a decimal is not a whole number of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The result is not a whole number.
    Fraction,
    /// The result is above 2^64 - 1.
    TooLarge,
}

impl Decimal<'_> {
    /// Returns `true` if there are digits other than zero after the point.
    pub(super) const fn has_fraction(&self) -> bool {
        !self.fraction.is_empty()
    }

    /// Returns this number times `unit`, which is at most 10^18. The result is exact.
    pub(super) fn times(&self, unit: u64) -> Result<u64, Misfit> {
        let fraction = match self.fraction.len() {
            0 => 0,
            // a unit of 10^18 cannot make more decimals than these whole
            places @ 1..=18 => {
                let digits: u128 = self.fraction.parse().map_err(|_| Misfit::Fraction)?;
                let scale = 10u128.pow(u32::try_from(places).map_err(|_| Misfit::Fraction)?);
                let scaled = digits * u128::from(unit);
                if !scaled.is_multiple_of(scale) {
                    return Err(Misfit::Fraction);
                }
                scaled / scale
            }
            _ => return Err(Misfit::Fraction),
        };
        let whole = self.whole.checked_mul(u128::from(unit)).ok_or(Misfit::TooLarge)?;
        let sum = whole.checked_add(fraction).ok_or(Misfit::TooLarge)?;
        u64::try_from(sum).map_err(|_| Misfit::TooLarge)
    }
}

/// Splits `6.5 mbit` into the number and the rest, both without surrounding white space.
///
/// Rejects several forms, each with its cause and cure: empty texts, signs, hexadecimal numbers, exponents, leading
/// zeros, separators between digits, and points without digits around them.
pub(super) fn split<'a>(text: &'a str, what: What) -> Result<(Decimal<'a>, &'a str), UnitError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(
            UnitError::new(format!("the {} is empty", what.noun)).help(format!("write {}", what.cure))
        );
    }
    let begins_with_digit = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
    if let Some(rest) = text.strip_prefix('-').filter(|rest| begins_with_digit(rest.trim_start_matches('.')))
    {
        let cause = format!("the {} {} is negative", what.noun, ticked(text));
        let help = format!("write {} if the sign is a mistake", ticked(rest));
        return Err(UnitError::new(cause).propose(rest, help));
    }
    if let Some(rest) = text.strip_prefix('+').filter(|rest| begins_with_digit(rest)) {
        let cause = format!("the {} {} has a sign", what.noun, ticked(text));
        return Err(UnitError::new(cause).write(text, rest));
    }
    if text.strip_prefix('.').is_some_and(begins_with_digit) {
        let cause = format!("the {} {} has no digit before the point", what.noun, ticked(text));
        return Err(UnitError::new(cause).write(text, &format!("0{text}")));
    }
    if !begins_with_digit(text) {
        let cause = format!("{} is not a {}: it does not begin with a number", ticked(text), what.noun);
        return Err(UnitError::new(cause).help(format!("write {}", what.cure)));
    }
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '_' | ',')).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    not_only_digits(text, number, rest, what)?;

    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = whole.parse().unwrap_or(u128::MAX);
    let decimal = Decimal { text: number, whole, fraction: fraction.trim_end_matches('0') };
    Ok((decimal, rest.trim()))
}

/// Rejects numbers that are not written as digits with a point.
fn not_only_digits(text: &str, number: &str, rest: &str, what: What) -> Result<(), UnitError> {
    let refuse = |why: &str| UnitError::new(format!("the {} {} {why}", what.noun, ticked(text)));
    let certain = |error: UnitError, number: &str| error.write(text, &format!("{number}{rest}"));

    if number == "0"
        && let Some(digits) = rest.strip_prefix(['x', 'X'])
    {
        let error = refuse("is hexadecimal");
        return Err(match u64::from_str_radix(digits, 16) {
            Ok(value) => {
                let help = format!("write it in decimal: `{value}`");
                error.propose(value.to_string(), help).certain(text, value.to_string())
            }
            Err(_) => error.help("write it in decimal"),
        });
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E'])
        && exponent.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
    {
        let error = refuse("has an exponent");
        return Err(match written_out(number, exponent) {
            Some(plain) => error.write(text, &plain),
            None => error.help("write the number out"),
        });
    }
    if number.contains('_') {
        return Err(certain(refuse("has `_` between its digits"), &number.replace('_', "")));
    }
    if let Some((whole, after)) = number.split_once(',') {
        let joined = format!("{}{rest}", number.replace(',', ""));
        let one = !after.contains([',', '.']) && !whole.contains('.');
        let error = refuse("has a comma");
        return Err(match after.len() {
            3 if one => {
                let pointed = format!("{whole}.{after}{rest}");
                let decimals = format!("write {} if the comma begins decimals", ticked(&pointed));
                let thousands = format!("write {} if the comma separates thousands", ticked(&joined));
                error.propose(pointed, decimals).propose(joined, thousands)
            }
            1.. if one => certain(error, &format!("{whole}.{after}")),
            _ => {
                let help = format!("write {}", ticked(&joined));
                error.propose(joined, help)
            }
        });
    }
    if number.matches('.').count() > 1 {
        return Err(refuse("has more than one point").help(format!("write {}", what.cure)));
    }
    if let Some(whole) = number.strip_suffix('.') {
        return Err(certain(refuse("has no digit after the point"), whole));
    }
    let plain = number.trim_start_matches('0');
    if number.starts_with('0') && number != "0" && !number.starts_with("0.") {
        let plain =
            if plain.is_empty() || plain.starts_with('.') { format!("0{plain}") } else { plain.to_owned() };
        let plain = format!("{plain}{rest}");
        let error = refuse("begins with a zero, which some programs read as octal");
        return Err(match same_in_octal(number) {
            true => error.write(text, &plain),
            false => {
                let help = format!("write {}", ticked(&plain));
                error.propose(plain, help)
            }
        });
    }
    Ok(())
}

/// Returns `true` if programs that read leading zeros as octal get the same number, or none.
pub(super) fn same_in_octal(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or(number);
    match (u64::from_str_radix(whole, 8), whole.parse::<u64>()) {
        (Ok(octal), Ok(decimal)) => octal == decimal,
        (Err(_), Ok(_)) => true,
        _ => false,
    }
}

/// Returns `number`e`exponent` and the text after it without the exponent, if the result is short.
fn written_out(number: &str, exponent: &str) -> Option<String> {
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    let digits = exponent.find(|c: char| !c.is_ascii_digit()).unwrap_or(exponent.len());
    let plain = exponent
        .split_at_checked(digits)
        .and_then(|(zeros, rest)| Some((zeros.parse::<usize>().ok().filter(|zeros| *zeros <= 18)?, rest)))
        .filter(|_| number.chars().all(|c| c.is_ascii_digit()));
    plain.map(|(zeros, rest)| format!("{number}{}{rest}", "0".repeat(zeros)))
}

/// Reads a whole number without a unit, at most `max`.
pub(super) fn integer(text: &str, what: What, max: u64) -> Result<u64, UnitError> {
    let accepted = |meant: &str| read_integer(meant, what, max).is_ok();
    read_integer(text, what, max).map_err(|error| error.only(text, accepted, what.cure))
}

/// The same. The advice of an error may be to write what is refused in turn.
fn read_integer(text: &str, what: What, max: u64) -> Result<u64, UnitError> {
    let refuse = |why: &str| UnitError::new(format!("the {} {} {why}", what.noun, ticked(text.trim())));
    if text.contains(',') {
        let thousands = text.split_once(',').is_some_and(|(_, after)| after.len() == 3);
        return Err(match as_list::<u64>(text) {
            Some(list) if thousands => {
                refuse("has a comma").help(format!("for several values, write a list: {}", ticked(&list)))
            }
            Some(list) => several(refuse("has a comma"), text, &list),
            None => refuse("has a comma").help(format!("write {}", what.cure)),
        });
    }
    let (number, rest) = split(text, what)?;
    let error = if !rest.is_empty() {
        if let Some(list) = as_list::<u64>(text).filter(|_| rest.starts_with(';')) {
            return Err(several(refuse("has a semicolon"), text, &list));
        }
        refuse(&format!("has {} after its number", ticked(rest)))
    } else {
        match number.times(1) {
            Ok(value) if value <= max => return Ok(value),
            Err(Misfit::Fraction) => refuse("is not a whole number"),
            _ => refuse(&format!("is above the largest, {max}")),
        }
    };
    Err(error.help(format!("write {}", what.cure)))
}

/// Adds the advice to write a list, which is certainly what `text` means.
pub(super) fn several(error: UnitError, text: &str, list: &str) -> UnitError {
    error.help(format!("for several values, write a list: {}", ticked(list))).certain(text.trim(), list)
}

/// Returns the YAML list for several `T` that are separated by commas, spaces, `;`, `/`, `+` or `|`.
pub(super) fn as_list<T: FromStr>(text: &str) -> Option<String> {
    let parts: Vec<&str> =
        text.split([',', ' ', ';', '/', '+', '|']).filter(|part| !part.is_empty()).collect();
    let several = parts.len() > 1 && parts.iter().all(|part| part.parse::<T>().is_ok());
    several.then(|| format!("[{}]", parts.join(", ")))
}

/// Prints `value` in the largest of `units` that it reaches and that needs at most three decimals. The units ascend,
/// each with its size. The first size must be 1, so that every value has a unit.
pub(super) fn print(value: u64, units: &[(u64, &str)], f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let fits = |unit: u64| unit == 1 || (value >= unit && (unit < 1000 || value.is_multiple_of(unit / 1000)));
    let (unit, name) = units.iter().rev().find(|(unit, _)| fits(*unit)).copied().unwrap_or((1, ""));
    let thousandths = u128::from(value % unit) * 1000 / u128::from(unit);
    let decimals = format!("{thousandths:03}");
    match decimals.trim_end_matches('0') {
        "" => write!(f, "{}{name}", value / unit),
        decimals => write!(f, "{}.{decimals}{name}", value / unit),
    }
}
