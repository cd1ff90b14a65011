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
    let finding = |span, message: &str, key: &str| {
        Diagnostic::new(Code::Unsupported, span, message).help(format!(
            "remove `{key}`, or write the `ppp` device of the session as the `device` of the link"
        ))
    };
    if model.link.wash.up || model.link.wash.down {
        sink.push(finding(span, "qosc cannot clear the DSCP of packets in PPPoE frames yet", "wash"));
    }
    for class in model.leaves() {
        if let Shape::Leaf(leaf) = &class.shape
            && let Some(dscp) = &leaf.set_dscp
        {
            let message = "qosc cannot set the DSCP of packets in PPPoE frames yet";
            sink.push(
                finding(dscp.span().unwrap_or(class.span), message, "set_dscp")
                    .also(span, "the packets are in PPPoE frames"),
            );
        }
    }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
