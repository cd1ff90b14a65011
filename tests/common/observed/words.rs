//! Words that only the objects of a script have.

use qosc_compiler::tc::LinkLayer;
pub(super) use qosc_preview::live::words::{handle, rate, size, time};

/// Reads hex digits, with or without `0x` before them.
pub(super) fn hex32(word: &str) -> Option<u32> {
    u32::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
}

/// Reads a size below 4 GiB.
pub(super) fn small_size(word: &str) -> Option<u32> {
    size(word).and_then(|size| u32::try_from(size.get()).ok())
}

/// Reads a number of packets, such as `100p`; some versions omit the letter.
pub(super) fn packets(word: &str) -> Option<u32> {
    word.strip_suffix('p').unwrap_or(word).parse().ok()
}

/// Reads `ethernet` or `atm`.
pub(super) fn linklayer(word: &str) -> Option<LinkLayer> {
    match word {
        "ethernet" => Some(LinkLayer::Ethernet),
        "atm" => Some(LinkLayer::Atm),
        _ => None,
    }
}
