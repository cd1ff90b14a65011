//! Adapts filters to the start of a packet on the WAN device: its IP header, or a PPPoE frame.

use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Frames, Model, Shape};
use crate::tc::{FilterProtocol, Selector, Word};
use crate::units::Family;

/// Bytes in front of the IP packet: a PPPoE header and the PPP protocol field (RFC 2516, section 4).
const PPPOE: u16 = 8;

/// Returns the protocol of a filter for this family, and the selector with matching offsets.
///
/// The kernel treats a frame of a PPPoE session that only passes through as PPPoE, so no IP filter sees it. Offsets
/// then count from the PPPoE header in both directions (kernel 6.1).
pub(super) fn framed(model: &Model, family: Family, selector: &Selector) -> (FilterProtocol, Selector) {
    if model.link.frames.value != Frames::Pppoe {
        return (plain(family), selector.clone());
    }
    let within = selector.words.iter().map(|(offset, word)| (offset.saturating_add(PPPOE), *word));
    // the PPP protocol number is in the last two of the eight bytes
    let value = match family {
        Family::Ipv4 => 0x0021,
        Family::Ipv6 => 0x0057,
    };
    let words = within.chain([(4, Word { value, mask: 0xffff })]).collect();
    (FilterProtocol::Pppoe, Selector { words, ..selector.clone() })
}

/// Returns the protocol of a filter for plain IP packets of this family.
pub(super) const fn plain(family: Family) -> FilterProtocol {
    match family {
        Family::Ipv4 => FilterProtocol::Ip,
        Family::Ipv6 => FilterProtocol::Ipv6,
    }
}

/// Reports actions that are impossible for packets in PPPoE frames.
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
