//! In which of its keys a match is not of a packet.

use super::lists::Seen;
use crate::model::Direction;
use crate::tc::{Filter, FilterProtocol};
use crate::units::Family;

/// Bytes of a PPPoE header with PPP's, before the packet in it.
const FRAME: u16 = 8;

/// The keys, as a file calls them, that a filter asks for and the packet has not; without those that follow from another.
pub(super) fn differs(filter: &Filter, seen: &Seen<'_>) -> Vec<&'static str> {
    let selector = &filter.selector;
    let frame = match filter.protocol {
        FilterProtocol::Pppoe => FRAME,
        FilterProtocol::Ip | FilterProtocol::Ipv6 | FilterProtocol::All => 0,
    };
    if !seen.came(selector) {
        return vec!["tunnel"];
    }
    let mut keys: Vec<&'static str> = Vec::new();
    keys.extend(selector.mark.filter(|_| !seen.has_mark(selector)).map(|mark| by_mark(mark.mask, seen)));
    keys.extend(seen.misses(selector).map(|(offset, bits)| key(offset - frame.min(offset), bits, seen)));
    // where ports and flags stand follows from the protocol
    if keys.contains(&"protocol") {
        keys.retain(|key| !matches!(*key, "headers" | "tcp" | "local_port" | "remote_port"));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// What our bits of a mark say, or somebody else's.
fn by_mark(mask: u32, seen: &Seen<'_>) -> &'static str {
    let Some(marks) = seen.marks else { return "mark" };
    let is = |bits: Option<u32>| bits.is_some_and(|bits| bits & mask != 0);
    if is(marks.address.as_ref().map(|field| field.bits.value)) {
        "local"
    } else if is(marks.mac.as_ref().map(|field| field.bits.value)) {
        "mac"
    } else if is(marks.dscp.as_ref().map(|field| field.bits.value)) {
        "dscp"
    } else {
        "mark"
    }
}

/// What stands in these bits of a packet (RFC 791, section 3.1; RFC 8200, section 3; RFC 768, RFC 9293).
fn key(offset: u16, bits: u32, seen: &Seen<'_>) -> &'static str {
    let (source, destination, source_port, destination_port) = match seen.direction {
        Direction::Up => ("local", "remote", "local_port", "remote_port"),
        Direction::Down => ("remote", "local", "remote_port", "local_port"),
    };
    let port = if bits & 0xffff_0000 != 0 { source_port } else { destination_port };
    match (seen.family, offset) {
        (Family::Ipv4, 0) if bits & 0x00ff_0000 != 0 => "dscp",
        (Family::Ipv6, 0) if bits & 0x0ff0_0000 != 0 => "dscp",
        (Family::Ipv4, 0) if bits & 0xffff != 0 => "length",
        (Family::Ipv6, 4) if bits & 0xffff_0000 != 0 => "length",
        (Family::Ipv4, 8) if bits & 0x00ff_0000 != 0 => "protocol",
        (Family::Ipv6, 4) if bits & 0xff00 != 0 => "protocol",
        (Family::Ipv4, 12) | (Family::Ipv6, 8..=20) => source,
        (Family::Ipv4, 16) | (Family::Ipv6, 24..=36) => destination,
        (Family::Ipv4, 20) | (Family::Ipv6, 40) => port,
        (Family::Ipv4, 32) | (Family::Ipv6, 52) => "tcp",
        _ => "headers",
    }
}
