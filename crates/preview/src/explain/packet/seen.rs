//! A packet as a filter list sees it.

use qosc_compiler::model::{Direction, Marks};
use qosc_compiler::tc::{Action, Filter, FilterProtocol, Selector};
use qosc_compiler::units::{Family, IfName};

/// Offset of the word with the family of the packet in a PPPoE frame.
const FRAME_FAMILY: u16 = 4;

/// A packet as a filter list sees it.
pub(super) struct Seen<'a> {
    pub(super) bytes: Vec<u8>,
    pub(super) family: Family,
    pub(super) direction: Direction,
    pub(super) mark: u32,
    /// Mark of the packet's connection, which downloads get restored.
    pub(super) connection: u32,
    /// Meaning of our bits in marks.
    pub(super) marks: Option<&'a Marks>,
    /// Bytes before the inner packet and its family, if the packet travels in a tunnel whose inner packets are matched.
    pub(super) inside: Option<(u16, Family)>,
    /// Name of the tunnel that the packet travels in.
    pub(super) tunnel: Option<&'a str>,
    /// Device by which the packet came, if this is not the WAN device.
    pub(super) came_by: Option<&'a IfName>,
}

impl Seen<'_> {
    /// True if a filter matches the packet.
    pub(super) fn meets(&self, filter: &Filter) -> bool {
        // No selector has the port on which the tunnel's device listens, because only the router knows it.
        if filter.needs_port() {
            return self.tunnel == Some(filter.why.name.as_str());
        }
        self.is_asked(filter)
            && self.misses(&filter.selector).next().is_none()
            && self.has_mark(&filter.selector)
            && self.came(&filter.selector)
    }

    /// Restores the mark of the connection, as the actions at a tunnel's device do.
    pub(super) fn restore(&mut self, steps: &[(u32, Action)]) {
        for (has, action) in steps {
            if let Action::Restore { mask, flag } = action
                && self.mark == *has
            {
                self.mark = self.connection & mask | flag;
            }
        }
    }

    /// True if a filter applies to the packet's family. In a PPPoE frame, one of the matched words tells the family.
    pub(super) fn is_asked(&self, filter: &Filter) -> bool {
        match filter.protocol {
            FilterProtocol::All => true,
            FilterProtocol::Ip => self.family == Family::Ipv4,
            FilterProtocol::Ipv6 => self.family == Family::Ipv6,
            FilterProtocol::Pppoe => self.misses(&filter.selector).all(|(offset, _)| offset != FRAME_FAMILY),
        }
    }

    /// True if the packet has the mark of the selector.
    pub(super) fn has_mark(&self, selector: &Selector) -> bool {
        selector.mark.is_none_or(|mark| self.mark & mark.mask == mark.value)
    }

    /// True if the packet came by the device of the selector.
    pub(super) fn came(&self, selector: &Selector) -> bool {
        selector.came_by.as_ref().is_none_or(|device| self.came_by == Some(device))
    }

    /// Returns the words that do not match: their offsets, and the bits that differ or are missing.
    pub(super) fn misses<'s>(&'s self, selector: &'s Selector) -> impl Iterator<Item = (u16, u32)> + 's {
        selector.words.iter().filter_map(|(offset, word)| {
            let at = usize::from(*offset);
            let read = self.bytes.get(at..at + 4).and_then(|read| <[u8; 4]>::try_from(read).ok());
            let other = read.map_or(word.mask, |read| (u32::from_be_bytes(read) ^ word.value) & word.mask);
            (other != 0).then_some((*offset, other))
        })
    }
}
