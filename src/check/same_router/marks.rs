//! Mark bits that two files for the same router use.

use super::claims::Claims;
use super::pair::Pair;
use crate::diag::{Code, Diagnostic, ticked};

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
