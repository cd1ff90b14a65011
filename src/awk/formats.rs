//! Formats of `printf`.

use super::error::Error;
use super::number;
use super::value::Value;

/// Widest field and most decimals.
const WIDEST: usize = 1000;

/// Returns the values in a format: `%s`, `%d`, `%f` or `%c` with a width and decimals, and `%%`.
pub(super) fn format(format: &[u8], values: &[Value]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut values = values.iter();
    let mut bytes = format.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let left = bytes.next_if_eq(&b'-').is_some();
        let zeros = bytes.next_if_eq(&b'0').is_some();
        let mut number = || {
            let mut found = None;
            while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
                found = Some((found.unwrap_or(0) * 10 + usize::from(digit - b'0')).min(WIDEST));
            }
            found
        };
        let width = number().unwrap_or(0);
        let decimals = if bytes.next_if_eq(&b'.').is_some() {
            let mut found = 0;
            while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
                found = (found * 10 + usize::from(digit - b'0')).min(WIDEST);
            }
            Some(found)
        } else {
            None
        };
        let kind = bytes.next().unwrap_or_default();
        if kind == b'%' {
            out.push(b'%');
            continue;
        }
        let value = values.next().cloned().unwrap_or_default();
        let mut text = match kind {
            b's' | b'c' => value.bytes().into_owned(),
            b'd' | b'i' => number::fixed(number::truncated(value.number()), 0).into_bytes(),
            b'f' => number::fixed(value.number(), decimals.unwrap_or(6)).into_bytes(),
            _ => return Err(Error::new("a format other than %s, %d, %f and %c")),
        };
        match (kind, decimals) {
            (b's', Some(most)) => text.truncate(most),
            (b'c', _) => text.truncate(1),
            _ => {}
        }
        let missing = width.saturating_sub(text.len());
        let fill = |sign: u8| std::iter::repeat_n(sign, missing);
        if left {
            out.extend(text);
            out.extend(fill(b' '));
        } else if zeros && kind != b's' {
            let signs = usize::from(text.first() == Some(&b'-'));
            out.extend(text.drain(..signs));
            out.extend(fill(b'0'));
            out.extend(text);
        } else {
            out.extend(fill(b' '));
            out.extend(text);
        }
    }
    Ok(out)
}
