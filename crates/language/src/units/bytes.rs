//! Sizes in bytes.

use super::UnitError;
use super::number::{self, Misfit, What};
use super::written::{self, DIGITS, WHOLE, Written, written};
use crate::diag::ticked;
use serde::Serialize;
use std::str::FromStr;

/// A size in bytes. Text: an integer, or an integer with `KiB` or `MiB` (powers of 1024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Bytes(u64);

impl Bytes {
    /// Creates a size from bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

const WHAT: What = What {
    noun: "size",
    cure: "a whole number of bytes, such as `1514`, or a number and a unit, such as `64KiB` or `4MiB`",
};

/// Prints the shortest exact text, in `MiB` or `KiB` if the size is a whole number of them.
impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            bytes if bytes % (1 << 20) == 0 => write!(f, "{}MiB", bytes >> 20),
            bytes if bytes % (1 << 10) == 0 => write!(f, "{}KiB", bytes >> 10),
            bytes => write!(f, "{bytes}"),
        }
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        read(text).map_err(|error| error.only(text, |meant| read(meant).is_ok(), WHAT.cure))
    }
}

/// Reads a size. The advice of an error may be to write what is refused in turn.
fn read(text: &str) -> Result<Bytes, UnitError> {
    let (number, written) = number::split(text, WHAT)?;
    let text = text.trim();
    let unit = match written.to_ascii_lowercase().as_str() {
        "" => 1,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        other => return Err(unknown_unit(text, &number, written, other)),
    };
    match number.times(unit) {
        // 1.5KiB is exact, but sizes must be written as whole numbers
        Ok(bytes) if number.has_fraction() => {
            Err(UnitError::new(format!("the size {} has decimals", ticked(text)))
                .write(text, &Bytes(bytes).to_string()))
        }
        Ok(bytes) => Ok(Bytes(bytes)),
        Err(Misfit::Fraction) => {
            Err(UnitError::new(format!("the size {} is not a whole number of bytes", ticked(text)))
                .help(format!("write {}", WHAT.cure)))
        }
        Err(Misfit::TooLarge) => Err(UnitError::new(format!("the size {} is too large", ticked(text)))
            .help("check the number and its unit")),
    }
}

/// Returns the error for a size with an unknown or ambiguous unit.
fn unknown_unit(text: &str, number: &number::Decimal<'_>, written: &str, name: &str) -> UnitError {
    if let ("gib", Ok(bytes)) = (name, number.times(1 << 30)) {
        let cause = format!("the size {} has a unit that is too large", ticked(text));
        return UnitError::new(cause).write(text, &Bytes(bytes).to_string());
    }
    let (decimal, binary) = match name {
        "b" | "byte" | "bytes" => {
            return UnitError::new(format!("the size {} needs no unit", ticked(text)))
                .write(text, number.text);
        }
        "k" | "kb" | "kbyte" | "kbytes" => (1_000, 1 << 10),
        "m" | "mb" | "mbyte" | "mbytes" => (1_000_000, 1 << 20),
        _ => {
            let cause = format!("the size {} has the unknown unit {}", ticked(text), ticked(written));
            return UnitError::new(cause).help("the units are `KiB` and `MiB`, in powers of 1024");
        }
    };
    let error = UnitError::new(format!("the size {} can mean powers of 1000 or of 1024", ticked(text)));
    match (number.times(binary), number.times(decimal)) {
        (Ok(binary), Ok(decimal)) => error
            .help(format!("write `{}` if you mean powers of 1024", Bytes(binary)))
            .help(format!("write `{decimal}` if you mean powers of 1000")),
        _ => error.help("the units are `KiB` and `MiB`, in powers of 1024"),
    }
}

written!(
    Bytes,
    "Size",
    Written {
        about: "A size: a number of bytes, or a number and `KiB` or `MiB` (powers of 1024), such as `64KiB`",
        numbers: Some((0, 1 << 53)),
        pattern: format!("{DIGITS}{WHOLE}(\\s*({}))?", written::any_of(["kib", "mib"])),
        trimmed: true,
        examples: vec!["9000", "64KiB", "4MiB"],
    }
);
