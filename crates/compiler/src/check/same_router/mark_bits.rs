//! Mark bits that a file writes or matches.

use crate::diag::Span;
use crate::model::Model;

/// Preferred order of mark bits: other tools seldom use the first byte.
const ORDER: [std::ops::Range<u32>; 4] = [24..32, 16..24, 0..8, 8..16];

/// Mark bits that a file writes or matches.
#[derive(Debug, Clone)]
pub(super) struct MarkBits {
    /// Bits that the script writes, and the place of `mark_mask` or of the first key that needs marks.
    pub(super) written: Option<(u32, Span)>,
    /// Number of bits that a `mark_mask` needs: those that the script writes, and the flag of downloads.
    pub(super) needed: u32,
    /// Bits that matches look at and the household's own rules write, each with the place of its match.
    pub(super) matched: Vec<(u32, Span)>,
}

impl MarkBits {
    pub(super) fn of(model: &Model) -> Self {
        let written = model.marks.as_ref().and_then(|marks| {
            let need = marks.needs.iter().map(|need| need.span).find(|span| span.is_own());
            let span = marks.mask.span().or(need).or(model.link.device.span())?;
            Some((marks.written(), span)).filter(|(mask, _)| *mask != 0)
        });
        let matched = model.alternatives().into_iter().filter_map(|(_, alternative)| {
            let mask = alternative.mark.iter().fold(0, |mask, mark| mask | mark.mask);
            (mask != 0 && alternative.span.is_own()).then_some((mask, alternative.span))
        });
        let needed = model.marks.as_ref().map_or(0, |marks| marks.mask.value.count_ones());
        MarkBits { written, needed, matched: matched.collect() }
    }

    /// Returns the needed number of other bits without those in `taken`; `None` if there are too few.
    pub(super) fn others(&self, taken: u32) -> Option<u32> {
        let wanted = usize::try_from(self.needed).ok()?;
        let free = ORDER.into_iter().flatten().filter(|bit| taken >> bit & 1 == 0);
        let bits: Vec<u32> = free.take(wanted).collect();
        (bits.len() == wanted).then(|| bits.iter().fold(0, |mask, bit| mask | 1 << bit))
    }

    /// Returns all bits that the file writes or matches.
    pub(super) fn all(&self) -> u32 {
        let matched = self.matched.iter().fold(0, |all, (mask, _)| all | mask);
        matched | self.written.map_or(0, |(mask, _)| mask)
    }
}
