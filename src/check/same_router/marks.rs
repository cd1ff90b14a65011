//! Mark bits that two files for the same router use.

use super::{Claims, Pair};
use crate::diag::{Code, Diagnostic, FileId, Span, ticked};
use crate::model::Model;

/// Preferred order of mark bits: other tools seldom use the first byte.
const ORDER: [std::ops::Range<u32>; 4] = [24..32, 16..24, 0..8, 8..16];

/// Mark bits that a file writes or matches.
#[derive(Debug, Clone)]
pub(super) struct MarkBits {
    /// Bits that the script writes, and the place of `mark_mask` or of the first key that needs marks.
    written: Option<(u32, Span)>,
    /// Number of bits that a `mark_mask` needs: those that the script writes, and the flag of downloads.
    needed: u32,
    /// Bits that matches look at and the household's own rules write, each with the place of its match.
    matched: Vec<(u32, Span)>,
}

impl MarkBits {
    pub(super) fn of(model: &Model) -> Self {
        let written = model.marks.as_ref().and_then(|marks| {
            let need = marks.needs.iter().map(|need| need.span).find(|span| span.file == FileId::OWN);
            let span = marks.mask.span().or(need).or(model.link.device.span())?;
            Some((marks.written(), span)).filter(|(mask, _)| *mask != 0)
        });
        let matched = model.alternatives().into_iter().filter_map(|(_, alternative)| {
            let mask = alternative.mark.iter().fold(0, |mask, mark| mask | mark.mask);
            (mask != 0 && alternative.span.file == FileId::OWN).then_some((mask, alternative.span))
        });
        let needed = model.marks.as_ref().map_or(0, |marks| marks.mask.value.count_ones());
        MarkBits { written, needed, matched: matched.collect() }
    }

    /// Returns the needed number of other bits without those in `taken`; `None` if there are too few.
    fn others(&self, taken: u32) -> Option<u32> {
        let wanted = usize::try_from(self.needed).ok()?;
        let free = ORDER.into_iter().flatten().filter(|bit| taken >> bit & 1 == 0);
        let bits: Vec<u32> = free.take(wanted).collect();
        (bits.len() == wanted).then(|| bits.iter().fold(0, |mask, bit| mask | 1 << bit))
    }

    /// Returns all bits that the file writes or matches.
    fn all(&self) -> u32 {
        let matched = self.matched.iter().fold(0, |all, (mask, _)| all | mask);
        matched | self.written.map_or(0, |(mask, _)| mask)
    }
}

impl Pair<'_> {
    /// Returns the findings on bits that one file writes and the other matches, or that both write in the mark of one
    /// connection.
    ///
    /// Two links may write the same bits as long as a connection passes only one of them. Each link writes when a
    /// packet leaves by its device, so a connection that comes in by one device and leaves by the other passes both.
    pub(super) fn marks(self) -> Vec<Diagnostic> {
        let matched: Vec<Diagnostic> =
            self.roles().into_iter().filter_map(|roles| self.matched(roles)).collect();
        match matched.is_empty() {
            true => self.both_write().into_iter().collect(),
            false => matched,
        }
    }

    fn matched(self, (writer, reader): (&Claims, &Claims)) -> Option<Diagnostic> {
        let (mask, span) = writer.marks.written?;
        let (looked_at, place) = reader.marks.matched.iter().find(|(bits, _)| bits & mask != 0)?;
        let message = format!(
            "{} writes the mark bits {:#010x} {}, and a match of {} tests them {}",
            writer.link(),
            mask & looked_at,
            self.at(writer, span),
            reader.link(),
            self.at(reader, *place),
        );
        let places = [
            (writer, span, format!("{} overwrites what your own rules wrote there", writer.link())),
            (reader, *place, format!("{} tests {looked_at:#010x}", reader.link())),
        ];
        Some(self.finding(Code::SameRouterMarks, message, places).help(self.other_bits(writer)))
    }

    fn both_write(self) -> Option<Diagnostic> {
        let nested = |(outer, inner): (&Claims, &Claims)| {
            outer.named_devices().any(|device| device.value == inner.wan.value)
                && outer.wan.value != inner.wan.value
        };
        let ((first, there), (second, here)) = (self.first.marks.written?, self.second.marks.written?);
        if first & second == 0 || !self.roles().into_iter().any(nested) {
            return None;
        }
        let message = format!(
            "{} and {}, {}, write the same mark bits, {:#010x}",
            self.second.link(),
            self.first.link(),
            self.first.at(there),
            first & second,
        );
        let (one, other) = (ticked(&self.first.wan.value), ticked(&self.second.wan.value));
        let places = [
            (
                self.second,
                here,
                format!("if a connection passes {one} and {other}, both scripts write its mark"),
            ),
            (self.first, there, format!("{} needs marks here", self.first.link())),
        ];
        Some(self.finding(Code::SameRouterMarks, message, places).help(self.other_bits(self.second)))
    }

    /// Advice on the `mark_mask` for a file.
    fn other_bits(self, file: &Claims) -> String {
        let taken = self.first.marks.all() | self.second.marks.all();
        match file.marks.others(taken) {
            Some(mask) => {
                format!("in {}, write `tuning: {{ mark_mask: {mask:#010x} }}`", ticked(file.file()))
            }
            None => format!("give {} a `mark_mask` of bits that no other file uses", ticked(file.file())),
        }
    }
}
