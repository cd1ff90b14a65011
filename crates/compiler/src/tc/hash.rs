//! Hash tables of u32, which spare a packet most filters of a long list.
//!
//! A table divides filters by a few bits of a word. A filter that does not test all of these bits is in every bucket that
//! its packets can reach, and the filters of a bucket keep their order. So a table matches the same packets as the list.

use super::{Classifier, Filter, Selector, Word};
use std::collections::BTreeMap;

/// Number of filters of a preference, and of a bucket. u32 has 2048 handles in each.
pub const MOST_IN_ROW: usize = 2000;

/// Filters of one table, or of each table inside it. More of them become a table of tables.
const OF_ONE_TABLE: usize = 1024;

/// Largest number of entries of all buckets for two filters: a filter is in each bucket that its packets can reach.
const COPIES_OF_TWO: usize = 3;

/// Number of filters by which the bits of a table are chosen.
const SAMPLE: usize = 1024;

/// Bits of a word that choose a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashKey {
    /// Offset of the word.
    pub offset: u16,
    shift: u32,
    bits: u32,
}

/// A hash table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashTable {
    /// Bits that choose the bucket.
    pub key: HashKey,
    /// Buckets with filters.
    pub buckets: BTreeMap<u32, Bucket>,
}

/// Content of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bucket {
    /// Positions of filters in the list.
    Filters(Vec<usize>),
    /// A table inside the table.
    Table(HashTable),
}

impl HashKey {
    /// Returns the number of buckets that the bits can choose.
    const fn divisor(self) -> u32 {
        1 << self.bits
    }

    /// Returns the mask of the bits in the word.
    #[must_use]
    pub const fn mask(self) -> u32 {
        (self.divisor() - 1) << self.shift
    }

    /// Returns the buckets that the packets of a selector can reach.
    fn reached(self, selector: &Selector) -> impl Iterator<Item = u32> + use<> {
        let word = selector.words.get(&self.offset).copied().unwrap_or(Word { value: 0, mask: 0 });
        let part = |bits: u32| (bits & self.mask()) >> self.shift;
        let (value, mask) = (part(word.value), part(word.mask));
        let all = if mask == part(u32::MAX) { value..value + 1 } else { 0..self.divisor() };
        all.filter(move |bucket| bucket & mask == value)
    }

    /// Returns what packets of these selectors cost: the sum of the squares of the bucket lengths. `None` if the buckets
    /// have too many copies.
    fn cost(self, selectors: &[&Selector]) -> Option<usize> {
        let mut lengths = vec![0_usize; 1 << self.bits];
        for bucket in selectors.iter().flat_map(|selector| self.reached(selector)) {
            if let Some(length) = usize::try_from(bucket).ok().and_then(|bucket| lengths.get_mut(bucket)) {
                *length += 1;
            }
        }
        let copies: usize = lengths.iter().sum();
        let cost = lengths.iter().map(|length| length * length).sum();
        (copies * 2 <= selectors.len() * COPIES_OF_TWO).then_some(cost)
    }

    /// Returns the best key for a list. `None` if no key saves much.
    fn best(selectors: &[&Selector]) -> Option<HashKey> {
        let length = selectors.len();
        let bits = match length.div_ceil(OF_ONE_TABLE) {
            0 | 1 => length.next_power_of_two().ilog2().clamp(4, 8),
            tables => tables.next_power_of_two().ilog2().clamp(2, 8),
        };
        // scattered positions, because the ports of ranges repeat in steps
        let scattered = (0..length.min(SAMPLE)).map(|place| match length > SAMPLE {
            true => ((place * 40_503) >> 4) % length,
            false => place,
        });
        let sample: Vec<&Selector> = scattered.filter_map(|place| selectors.get(place).copied()).collect();
        let tested = |key: &HashKey| {
            let is = |selector: &&Selector| {
                selector.words.get(&key.offset).is_some_and(|word| word.mask & key.mask() == key.mask())
            };
            sample.iter().filter(|selector| is(selector)).count() * 2 >= sample.len()
        };
        let offsets = selectors.first()?.words.keys();
        let keys = offsets
            .flat_map(|offset| (0..=32 - bits).map(move |shift| HashKey { offset: *offset, shift, bits }));
        let costs: Vec<(usize, HashKey)> =
            keys.filter(tested).filter_map(|key| Some((key.cost(&sample)?, key))).collect();
        let least = costs.iter().map(|(cost, _)| *cost).min()?;
        if least * 2 > sample.len() * sample.len() {
            return None;
        }
        // High bits for a table of tables, even if they divide the list a little worse: a table takes bits in a row, and
        // inner ones need the rest.
        let most = if length > OF_ONE_TABLE { least + least / 4 } else { least };
        let mut good = costs.into_iter().filter(|(cost, _)| *cost <= most).map(|(_, key)| key);
        if length > OF_ONE_TABLE { good.max_by_key(|key| key.shift) } else { good.next() }
    }
}

impl HashTable {
    /// Returns the table for a list. `None` if none saves much.
    #[must_use]
    pub fn of(selectors: &[&Selector]) -> Option<HashTable> {
        HashTable::at(selectors, (0..selectors.len()).collect(), 0)
    }

    /// Returns the table for the filters of a preference. `None` if they are a sequence.
    #[must_use]
    pub fn of_filters(list: &[&Filter]) -> Option<HashTable> {
        list.first().filter(|filter| filter.classifier == Classifier::Hash)?;
        HashTable::of(&list.iter().map(|filter| &filter.selector).collect::<Vec<_>>())
    }

    fn at(selectors: &[&Selector], list: Vec<usize>, depth: usize) -> Option<HashTable> {
        let some: Vec<&Selector> = list.iter().filter_map(|place| selectors.get(*place).copied()).collect();
        let key = HashKey::best(&some)?;
        let mut buckets: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, selector) in list.into_iter().zip(some) {
            for bucket in key.reached(selector) {
                buckets.entry(bucket).or_default().push(place);
            }
        }
        let bucket = |list: Vec<usize>| {
            // the kernel follows up to 8 tables (TC_U32_MAXDEPTH)
            let inner = list.len() > OF_ONE_TABLE / 8 && depth < 4;
            let inner = inner.then(|| HashTable::at(selectors, list.clone(), depth + 1)).flatten();
            inner.map_or(Bucket::Filters(list), Bucket::Table)
        };
        let buckets = buckets.into_iter().map(|(number, list)| (number, bucket(list))).collect();
        Some(HashTable { key, buckets })
    }

    /// Returns the number of tables, this one included.
    #[must_use]
    pub fn tables(&self) -> usize {
        let inner = self.buckets.values().filter_map(|bucket| match bucket {
            Bucket::Table(table) => Some(table.tables()),
            Bucket::Filters(_) => None,
        });
        1 + inner.sum::<usize>()
    }

    /// Returns the largest number of filters that a packet meets, each link to a table included.
    #[must_use]
    pub fn longest(&self) -> usize {
        let inner = self.buckets.values().map(|bucket| match bucket {
            Bucket::Table(table) => table.longest(),
            Bucket::Filters(list) => list.len(),
        });
        1 + inner.max().unwrap_or_default()
    }
}

#[cfg(test)]
#[path = "hash_tests.rs"]
mod tests;
