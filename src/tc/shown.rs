//! What tc prints of a number, so that what was asked for can be compared with what is held.
//!
//! The kernel keeps less than we say, and tc prints less than the kernel keeps (iproute2 6.1: `print_rate`,
//! `print_size`, `sprint_time`, `tc_calc_xmittime`, each checked against a kernel).

use crate::units::{Bytes, Micros, Rate};

/// A rate as tc prints it. The kernel keeps whole bytes a second; tc then divides by 1000 while the rest is zero or
/// four digits stay: 6271384 bit/s shows as `6271Kbit`, 800 as `800bit`.
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

/// Whether `held`, as tc prints it, can be the size `asked`.
///
/// tc rounds to whole MiB where that is off by less than 1024 bytes, to whole KiB where by less than 16.
#[must_use]
pub const fn same_size(asked: Bytes, held: Bytes) -> bool {
    asked.get().abs_diff(held.get()) <= rounding(asked)
}

/// Whether `held`, as tc prints it, can be a bucket of `asked` bytes at `rate`.
///
/// tc tells the kernel a bucket as the whole microseconds that it takes at the rate, in ticks of 64 ns, and turns the
/// ticks back into whole microseconds: up to two of them are lost. Newer iproute2 loses less. Then it rounds as any
/// size.
#[must_use]
pub const fn same_bucket(asked: Bytes, held: Bytes, rate: Rate) -> bool {
    let lost = (rate.bps() / 8).div_ceil(1_000_000).saturating_mul(2).saturating_add(1);
    let (asked, held, rounding) = (asked.get(), held.get(), rounding(asked));
    held <= asked.saturating_add(rounding) && held.saturating_add(lost).saturating_add(rounding) >= asked
}

/// Whether `held`, as tc prints it, can be the time `asked`.
///
/// CoDel keeps 1024 ns steps, and tc prints three digits: 12345 us shows as `12.3ms`.
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
