//! Mark bits that two files for the same router use.

use super::claims::Claims;
use super::pair::{Pair, Roles};
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

    fn matched(self, (writer, reader): Roles<'_>) -> Option<Diagnostic> {
        let (mask, span) = writer.marks.written?;
        let (tested, place) = reader.marks.matched.iter().find(|(bits, _)| bits & mask != 0)?;
        let (own, other, both) = (writer.link(), reader.link(), mask & tested);
        let (here, there) = (self.at(writer, span), self.at(reader, *place));
        Some(self.finding(
            Code::SameRouterMarks,
            format!(
                "{own} writes the mark bits {both:#010x} {here}, and a match of {other} tests them {there}"
            ),
            [
                (writer, span, format!("{own} overwrites what your own rules wrote there")),
                (reader, *place, format!("{other} tests {tested:#010x}")),
            ],
            self.other_bits(writer),
        ))
    }

    fn both_write(self) -> Option<Diagnostic> {
        let Pair { first, second } = self;
        let nested = |(outer, inner): Roles<'_>| {
            outer.named_devices().any(|device| device.value == inner.wan.value)
                && outer.wan.value != inner.wan.value
        };
        let ((bits, there), (own_bits, here)) = (first.marks.written?, second.marks.written?);
        let both = bits & own_bits;
        if both == 0 || !self.roles().into_iter().any(nested) {
            return None;
        }
        let (own, other, place) = (second.link(), first.link(), first.at(there));
        let (one, two) = (ticked(&first.wan.value), ticked(&second.wan.value));
        let label = format!("if a connection passes {one} and {two}, both scripts write its mark");
        Some(self.finding(
            Code::SameRouterMarks,
            format!("{own} and {other}, {place}, write the same mark bits, {both:#010x}"),
            [(second, here, label), (first, there, format!("{other} needs marks here"))],
            self.other_bits(second),
        ))
    }

    /// Advice on the `mark_mask` for a file.
    fn other_bits(self, claims: &Claims) -> String {
        let file = ticked(claims.file());
        match claims.marks.others(self.first.marks.all() | self.second.marks.all()) {
            Some(mask) => format!("in {file}, write `tuning: {{ mark_mask: {mask:#010x} }}`"),
            None => format!("give {file} a `mark_mask` of bits that no other file uses"),
        }
    }
}
