//! Converts numbers to the form that tc prints, so that desired and observed values can be compared.
//!
//! The kernel stores numbers less precisely than the script gives them, and tc prints them less precisely again. The
//! rules come from iproute2 6.1 (`print_rate`, `print_size`, `sprint_time`, `tc_calc_xmittime`) and were checked
//! against a kernel.

use qosc_compiler::units::{Bytes, Micros, Rate};

/// Returns a rate as tc prints it. The kernel stores whole bytes per second. Then tc divides by 1000 as long as the
/// remainder is zero or four digits remain: 6271384 bit/s becomes `6271Kbit`, and 800 becomes `800bit`.
#[must_use]
pub const fn shown_rate(rate: Rate) -> Rate {
    let mut number = rate.bps() / 8 * 8;
    let mut unit = 1u64;
    let mut steps = 0;
    while steps < 4 && number >= 1000 && (number.is_multiple_of(1000) || number >= 1_000_000) {
        number /= 1000;
        unit *= 1000;
        steps += 1;
    }
    Rate::from_bps(number * unit)
}

/// Returns `true` if `held`, as tc prints it, can be the size `asked`.
///
/// The output is in whole MiB if the rounding error is below 1024 bytes, or in whole KiB if it is below 16 bytes.
#[must_use]
pub const fn same_size(asked: Bytes, held: Bytes) -> bool {
    asked.get().abs_diff(held.get()) <= rounding(asked)
}

/// Returns `true` if `held`, as tc prints it, can be a bucket of `asked` bytes at `rate`.
///
/// The kernel gets a bucket as the whole microseconds that it takes at the rate, in ticks of 64 ns. For output, tc
/// converts the ticks back to whole microseconds, so up to two of them are lost. Newer iproute2 loses less. The result
/// is then rounded like any size.
#[must_use]
pub const fn same_bucket(asked: Bytes, held: Bytes, rate: Rate) -> bool {
    let lost = (rate.bps() / 8).div_ceil(1_000_000).saturating_mul(2).saturating_add(1);
    let (asked, held, rounding) = (asked.get(), held.get(), rounding(asked));
    held <= asked.saturating_add(rounding) && held.saturating_add(lost).saturating_add(rounding) >= asked
}

/// Returns `true` if `held`, as tc prints it, can be the time `asked`.
///
/// CoDel stores times in steps of 1024 ns, and tc prints three digits: 12345 us becomes `12.3ms`.
#[must_use]
pub const fn same_time(asked: Micros, held: Micros) -> bool {
    let mut digit = 1u64;
    while asked.us() / digit >= 1000 {
        digit *= 10;
    }
    asked.us().abs_diff(held.us()) <= digit.div_ceil(2).saturating_add(2)
}

const fn rounding(asked: Bytes) -> u64 {
    match asked.get() {
        0..1008 => 0,
        1008..1_047_552 => 16,
        _ => 1024,
    }
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
