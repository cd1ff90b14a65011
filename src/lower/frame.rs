//! Where a packet begins on the WAN device: at its IP header, or in a PPPoE frame.

use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Frames, Model, Shape};
use crate::tc::{FilterProtocol, Selector, Word};
use crate::units::Family;

/// Bytes of a PPPoE header with the PPP protocol behind it (RFC 2516, section 4), which stand before the IP packet.
const PPPOE: u16 = 8;

/// Which packets a filter of a family is asked about, and the selector as they carry it.
///
/// The kernel takes a frame of a PPPoE session that only passes through for what it is: no filter for IP sees it, and
/// offsets count from the PPPoE header, on the way out as on the way in (kernel 6.1).
pub(super) fn framed(model: &Model, family: Family, selector: &Selector) -> (FilterProtocol, Selector) {
    if model.link.frames.value != Frames::Pppoe {
        return (plain(family), selector.clone());
    }
    let within = selector.words.iter().map(|(offset, word)| (offset.saturating_add(PPPOE), *word));
    // PPP's number of the protocol, in the last two of the eight bytes
    let value = match family {
        Family::Ipv4 => 0x0021,
        Family::Ipv6 => 0x0057,
    };
    let words = within.chain([(4, Word { value, mask: 0xffff })]).collect();
    (FilterProtocol::Pppoe, Selector { words, ..selector.clone() })
}

/// Which packets a filter of a family is asked about where they are IP packets.
pub(super) const fn plain(family: Family) -> FilterProtocol {
    match family {
        Family::Ipv4 => FilterProtocol::Ip,
        Family::Ipv6 => FilterProtocol::Ipv6,
    }
}

/// Refuses what cannot be done to a packet in a PPPoE frame.
pub(super) fn refuse(model: &Model, sink: &mut Sink) {
    let frames = &model.link.frames;
    let Some(span) = frames.span().filter(|_| frames.value == Frames::Pppoe) else { return };
    let finding = |span, message: &str| {
        Diagnostic::new(Code::Unsupported, span, message)
            .help("leave it out, or shape the ppp device that the session belongs to")
    };
    if model.link.wash.up || model.link.wash.down {
        sink.push(finding(span, "clearing the DSCP of packets in PPPoE frames is not built yet"));
    }
    for class in model.leaves() {
        if let Shape::Leaf(leaf) = &class.shape
            && let Some(dscp) = &leaf.set_dscp
        {
            let message = "setting the DSCP of packets in PPPoE frames is not built yet";
            sink.push(finding(dscp.span().unwrap_or(class.span), message).also(span, "the frames"));
        }
    }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
