//! Pseudo-random choices that are the same on every machine.

use crate::split_mix::SplitMix;

/// Choices that depend only on a seed.
pub struct Chance(SplitMix);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(SplitMix(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub fn letter(&mut self) -> char {
        char::from(b'a' + u8::try_from(self.below(26)).unwrap())
    }
}
