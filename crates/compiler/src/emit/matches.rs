//! Formats the packets that a u32 filter matches in tc's words. It uses tc's names if they mean exactly the same, and
//! hex otherwise.

use crate::tc::{FilterProtocol, Selector, Word};
use crate::units::Protocol;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Returns the `match` words of a selector, such as `match ip protocol 17 0xff match ip dport 53 0xffff`.
#[must_use]
pub fn matches(protocol: FilterProtocol, selector: &Selector) -> String {
    let mut out = Words(String::new());
    if let Some(mark) = selector.mark {
        out.push(format_args!("mark {:#x} {:#x}", mark.value, mark.mask));
    }
    let mut words = selector.words.clone();
    if protocol == FilterProtocol::Ipv6 {
        for (name, first) in [("src", 8), ("dst", 24)] {
            if let Some(prefix) = take_ipv6_prefix(&mut words, first) {
                out.push(format_args!("ip6 {name} {prefix}"));
            }
        }
    }
    for (offset, word) in words {
        match protocol {
            FilterProtocol::Ip | FilterProtocol::Ipv6 if portless(protocol, selector, offset) => {
                out.raw(offset, word)
            }
            FilterProtocol::Ip => ipv4(&mut out, offset, word),
            FilterProtocol::Ipv6 => ipv6(&mut out, offset, word),
            FilterProtocol::Pppoe | FilterProtocol::All => out.raw(offset, word),
        }
    }
    if selector.words.is_empty() {
        out.push(format_args!("u32 0 0 at 0"));
    }
    out.0
}

struct Words(String);

impl Words {
    fn push(&mut self, words: std::fmt::Arguments<'_>) {
        let space = if self.0.is_empty() { "" } else { " " };
        // Writing into a String cannot fail.
        let _ = write!(self.0, "{space}match {words}");
    }

    /// Formats a word without a name as 32 or 16 bits, whichever holds the whole mask.
    fn raw(&mut self, offset: u16, word: Word) {
        let Word { value, mask } = word;
        if mask == 0 {
        } else if mask & 0xffff == 0 {
            self.push(format_args!("u16 {:#06x} {:#06x} at {offset}", value >> 16, mask >> 16));
        } else if mask >> 16 == 0 {
            self.push(format_args!("u16 {value:#06x} {mask:#06x} at {}", offset.saturating_add(2)));
        } else {
            self.push(format_args!("u32 {value:#010x} {mask:#010x} at {offset}"));
        }
    }
}

/// Returns `true` for a word at the position of the ports, if the protocol has no ports.
fn portless(protocol: FilterProtocol, selector: &Selector, offset: u16) -> bool {
    let (header, place, shift) = if protocol == FilterProtocol::Ip { (20, 8, 16) } else { (40, 4, 8) };
    let word = selector.words.get(&place).copied().unwrap_or(Word { value: 0, mask: 0 });
    let number = Protocol(u8::try_from(word.value >> shift & 0xff).unwrap_or(0));
    offset == header && word.mask >> shift & 0xff == 0xff && !number.has_ports()
}

/// Splits the bits of `part` off a word.
const fn split(word: Word, part: u32) -> (Word, Word) {
    (
        Word { value: word.value & part, mask: word.mask & part },
        Word { value: word.value & !part, mask: word.mask & !part },
    )
}

fn ipv4(out: &mut Words, offset: u16, word: Word) {
    match offset {
        0 => {
            let (header, rest) = split(word, 0xff00_0000);
            let (tos, length) = split(rest, 0x00ff_0000);
            if header.mask != 0 {
                out.push(format_args!("u8 {:#04x} {:#04x} at 0", header.value >> 24, header.mask >> 24));
            }
            if tos.mask != 0 {
                out.push(format_args!("ip dsfield {:#04x} {:#04x}", tos.value >> 16, tos.mask >> 16));
            }
            out.raw(0, length);
        }
        8 => {
            let (protocol, rest) = split(word, 0x00ff_0000);
            if protocol.mask != 0 {
                out.push(format_args!("ip protocol {} {:#04x}", protocol.value >> 16, protocol.mask >> 16));
            }
            out.raw(8, rest);
        }
        12 | 16 => match prefix_length(word.mask) {
            Some(length) => {
                let name = if offset == 12 { "src" } else { "dst" };
                out.push(format_args!("ip {name} {}/{length}", Ipv4Addr::from_bits(word.value)));
            }
            None => out.raw(offset, word),
        },
        20 => ports(out, "ip", word),
        _ => out.raw(offset, word),
    }
}

fn ipv6(out: &mut Words, offset: u16, word: Word) {
    match offset {
        4 => {
            let (next, rest) = split(word, 0x0000_ff00);
            if next.mask != 0 {
                out.push(format_args!("ip6 protocol {} {:#04x}", next.value >> 8, next.mask >> 8));
            }
            out.raw(4, rest);
        }
        40 => ports(out, "ip6", word),
        _ => out.raw(offset, word),
    }
}

fn ports(out: &mut Words, ip: &str, word: Word) {
    let (source, destination) = split(word, 0xffff_0000);
    if source.mask != 0 {
        out.push(format_args!("{ip} sport {} {:#06x}", source.value >> 16, source.mask >> 16));
    }
    if destination.mask != 0 {
        out.push(format_args!("{ip} dport {} {:#06x}", destination.value, destination.mask));
    }
}

/// Returns the prefix length of a contiguous mask.
const fn prefix_length(mask: u32) -> Option<u32> {
    if mask.leading_ones() + mask.trailing_zeros() == 32 { Some(mask.leading_ones()) } else { None }
}

/// Removes the four words of an IPv6 address and returns the prefix, if they form one.
fn take_ipv6_prefix(words: &mut std::collections::BTreeMap<u16, Word>, first: u16) -> Option<String> {
    let offsets = [first, first + 4, first + 8, first + 12];
    let (mut value, mut mask) = (0u128, 0u128);
    for offset in offsets {
        let word = words.get(&offset).copied().unwrap_or(Word { value: 0, mask: 0 });
        value = value << 32 | u128::from(word.value);
        mask = mask << 32 | u128::from(word.mask);
    }
    if mask == 0 || mask.leading_ones() + mask.trailing_zeros() != 128 {
        return None;
    }
    for offset in offsets {
        words.remove(&offset);
    }
    Some(format!("{}/{}", Ipv6Addr::from_bits(value), mask.leading_ones()))
}

#[cfg(test)]
#[path = "matches_tests.rs"]
mod tests;
