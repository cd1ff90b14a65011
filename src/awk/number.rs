//! Numbers and their texts.
#![expect(clippy::float_arithmetic, reason = "the numbers of awk are floating-point numbers")]

/// Largest whole number up to which every whole number has a value of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the number that a text begins with, and where it ends. Both are 0 if there is no number.
pub(super) fn leading(text: &[u8]) -> (f64, usize) {
    let blanks = text.iter().take_while(|byte| b" \t\n\r\x0b\x0c".contains(byte)).count();
    let rest = text.get(blanks..).unwrap_or_default();
    let digits = |from: usize| {
        rest.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let is = |at: usize, signs: &[u8]| rest.get(at).is_some_and(|byte| signs.contains(byte));
    let mut end = usize::from(is(0, b"+-"));
    let whole = digits(end);
    if end == 0 && (1..=15).contains(&whole) && !is(whole, b".eE") {
        let value = rest.iter().take(whole).fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        return (from_whole(value), blanks + whole);
    }
    end += whole;
    let mut fraction = 0;
    if is(end, b".") {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return (0.0, 0);
    }
    if is(end, b"eE") {
        let sign = usize::from(is(end + 1, b"+-"));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = rest.get(..end).and_then(|text| std::str::from_utf8(text).ok());
    (number.and_then(|text| text.parse().ok()).unwrap_or(0.0), blanks + end)
}

/// Returns the number that a whole text is, apart from blanks around it.
pub(super) fn whole(text: &[u8]) -> Option<f64> {
    let (number, length) = leading(text);
    let rest = text.get(length..).unwrap_or_default();
    (length > 0 && rest.iter().all(|byte| b" \t\n\r\x0b\x0c".contains(byte))).then_some(number)
}

#[expect(clippy::cast_precision_loss, reason = "the callers pass numbers below 2^53")]
fn from_whole(value: u64) -> f64 {
    value as f64
}

/// Returns the number of a length or a place.
pub(super) fn from_place(place: usize) -> f64 {
    from_whole(u64::try_from(place).unwrap_or(0))
}

/// Rounds towards zero, to a place in a text or list. Numbers below zero become 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` limits the value")]
pub(super) fn to_place(number: f64) -> usize {
    number as usize
}

/// Appends the text of a number: whole numbers in full, others with six digits.
#[expect(clippy::cast_possible_truncation, reason = "the whole numbers here are below 2^53")]
pub(super) fn print(number: f64, out: &mut Vec<u8>) {
    if number.fract() != 0.0 || number.abs() > EXACT {
        out.extend(general(number).bytes());
        return;
    }
    // Most numbers are subscripts, so this need not use the general formats.
    let whole = number as i64;
    if whole < 0 {
        out.push(b'-');
    }
    let (mut digits, mut rest) = ([0; 20], whole.unsigned_abs());
    for (count, digit) in digits.iter_mut().enumerate() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            out.extend(digits.iter().take(count + 1).rev());
            return;
        }
    }
}

/// Returns a number as `%.6g` prints it.
fn general(number: f64) -> String {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if number.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match usize::try_from(5 - exponent) {
        Ok(places) if exponent >= -4 => short(&format!("{number:.places$}")),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", short(digits), exponent.abs())
        }
    }
}

/// Returns a number with this many decimals, as `%.Nf` prints it.
pub(super) fn fixed(number: f64, decimals: usize) -> String {
    if number.is_finite() { format!("{number:.decimals$}") } else { general(number) }
}

/// Returns a number without its fraction.
pub(super) fn truncated(number: f64) -> f64 {
    number.trunc() + 0.0
}

/// An operation on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operation {
    /// Returns `None` for a division by zero.
    pub(super) fn of(self, one: f64, other: f64) -> Option<f64> {
        match self {
            Operation::Add => Some(one + other),
            Operation::Subtract => Some(one - other),
            Operation::Multiply => Some(one * other),
            Operation::Divide => (other != 0.0).then(|| one / other),
            Operation::Remainder => (other != 0.0).then(|| one % other),
        }
    }
}

/// Returns the number with the other sign.
pub(super) fn negative(number: f64) -> f64 {
    -number
}
