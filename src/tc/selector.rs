//! Normal form of the packets that a filter matches.

use super::{Classifier, FilterProtocol};
use crate::units::IfName;
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A 32-bit word of a packet under a mask, big endian. `value` has no bits outside `mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Word {
    /// Required value of the bits.
    pub value: u32,
    /// Bits that are tested.
    pub mask: u32,
}

/// A conjunction of conditions; without conditions it matches everything.
///
/// Offsets are in bytes from the network header and multiples of 4. The kernel has the same form and merges words with
/// equal offsets.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Selector {
    /// Words by offset.
    pub words: BTreeMap<u16, Word>,
    /// Required firewall mark, if it is tested.
    pub mark: Option<Word>,
    /// Required input device, if it is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came_by: Option<IfName>,
}

/// A selector with exactly one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lone {
    /// Bits of the mark.
    Mark(Word),
    /// Source prefix and its length in bits.
    Source(IpAddr, u32),
    /// Destination prefix and its length in bits.
    Destination(IpAddr, u32),
}

/// A hash table for selectors. Selectors with equal tables only differ in the value that they look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// Kind of filter that owns the table.
    pub classifier: Classifier,
    source: bool,
    /// Mask of the marks, or length of the prefixes.
    bits: u32,
}

impl Lone {
    /// Returns the table that could hold the selector.
    #[must_use]
    pub const fn table(self) -> Table {
        match self {
            Lone::Mark(word) => Table { classifier: Classifier::Fw, source: false, bits: word.mask },
            Lone::Source(_, bits) => Table { classifier: Classifier::Flower, source: true, bits },
            Lone::Destination(_, bits) => Table { classifier: Classifier::Flower, source: false, bits },
        }
    }
}

impl Word {
    /// Returns the conjunction of both words; `None` if they contradict each other.
    #[must_use]
    pub const fn and(self, other: Word) -> Option<Word> {
        if (self.value ^ other.value) & self.mask & other.mask == 0 {
            Some(Word { value: self.value | other.value, mask: self.mask | other.mask })
        } else {
            None
        }
    }

    /// Returns `true` if this matches every packet that `other` matches.
    #[must_use]
    pub const fn covers(self, other: Word) -> bool {
        self.mask & other.mask == self.mask && (self.value ^ other.value) & self.mask == 0
    }
}

impl Selector {
    /// Returns a selector for one word at an offset. A word without tested bits is omitted.
    #[must_use]
    pub fn word(offset: u16, word: Word) -> Selector {
        let words = if word.mask == 0 { BTreeMap::new() } else { BTreeMap::from([(offset, word)]) };
        Selector { words, ..Selector::default() }
    }

    /// Returns the only condition on packets of a protocol. `None` if there are several conditions or none, or if the
    /// condition is not a prefix.
    #[must_use]
    pub fn lone(&self, protocol: FilterProtocol) -> Option<Lone> {
        if self.came_by.is_some() {
            return None;
        }
        if let Some(mark) = self.mark {
            return self.words.is_empty().then_some(Lone::Mark(mark));
        }
        // offsets of the addresses, in words of four bytes (RFC 791, section 3.1; RFC 8200, section 3)
        let (source, destination) = match protocol {
            FilterProtocol::Ip => (12..16, 16..20),
            FilterProtocol::Ipv6 => (8..24, 24..40),
            FilterProtocol::Pppoe | FilterProtocol::All => return None,
        };
        let within = |range: &std::ops::Range<u16>| self.words.keys().all(|offset| range.contains(offset));
        let range = [&source, &destination].into_iter().find(|range| within(range))?;
        let (mut value, mut mask) = (0u128, 0u128);
        for offset in range.clone().step_by(4) {
            let word = self.words.get(&offset).copied().unwrap_or(Word { value: 0, mask: 0 });
            value = value << 32 | u128::from(word.value);
            mask = mask << 32 | u128::from(word.mask);
        }
        let (address, bits) = match protocol {
            FilterProtocol::Ip => (IpAddr::from(Ipv4Addr::from_bits(u32::try_from(value).ok()?)), 32),
            _ => (IpAddr::from(Ipv6Addr::from_bits(value)), 128),
        };
        let length = mask.count_ones();
        let prefix = mask != 0 && mask.trailing_zeros() == bits - length;
        let lone = if *range == source { Lone::Source } else { Lone::Destination };
        prefix.then(|| lone(address, length))
    }

    /// Returns the selector for a prefix; `None` if the prefix is longer than an address.
    #[must_use]
    pub fn of_prefix(source: bool, address: IpAddr, length: u32) -> Option<Selector> {
        let mut words = BTreeMap::new();
        let (first, bits, value): (u16, u32, u128) = match (address, source) {
            (IpAddr::V4(v4), true) => (12, 32, v4.to_bits().into()),
            (IpAddr::V4(v4), false) => (16, 32, v4.to_bits().into()),
            (IpAddr::V6(v6), true) => (8, 128, v6.to_bits()),
            (IpAddr::V6(v6), false) => (24, 128, v6.to_bits()),
        };
        let mask = u128::MAX.checked_shl(bits.checked_sub(length)?).unwrap_or(0);
        for (number, offset) in (first..).step_by(4).take(usize::try_from(bits / 32).ok()?).enumerate() {
            let shift = bits - 32 * (u32::try_from(number).ok()? + 1);
            let part = |whole: u128| u32::try_from(whole >> shift & u128::from(u32::MAX)).unwrap_or_default();
            let word = Word { value: part(value & mask), mask: part(mask) };
            if word.mask != 0 {
                words.insert(offset, word);
            }
        }
        Some(Selector { words, ..Selector::default() })
    }

    /// Returns `true` if this matches every packet that `other` matches.
    #[must_use]
    pub fn covers(&self, other: &Selector) -> bool {
        let mark = self.mark.is_none_or(|own| other.mark.is_some_and(|word| own.covers(word)));
        let came = self.came_by.is_none() || self.came_by == other.came_by;
        mark && came
            && self
                .words
                .iter()
                .all(|(offset, own)| other.words.get(offset).is_some_and(|word| own.covers(*word)))
    }

    /// Returns the intersection with another selector; `None` if no packet matches both.
    #[must_use]
    pub fn and(&self, other: &Selector) -> Option<Selector> {
        // most pairs of a long product contradict each other, so this tests them before it builds anything
        let merged =
            |offset: &u16, word: &Word| self.words.get(offset).map_or(Some(*word), |own| own.and(*word));
        if other.words.iter().any(|(offset, word)| merged(offset, word).is_none()) {
            return None;
        }
        let mark = match (self.mark, other.mark) {
            (Some(a), Some(b)) => Some(a.and(b)?),
            (a, b) => a.or(b),
        };
        let came_by = match (&self.came_by, &other.came_by) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        let mut words = self.words.clone();
        words.extend(other.words.iter().filter_map(|(offset, word)| Some((*offset, merged(offset, word)?))));
        Some(Selector { words, mark, came_by })
    }
}
