//! Keys in which a packet differs from a match.

use super::seen::Seen;
use qosc_compiler::model::Direction;
use qosc_compiler::tc::{Filter, FilterProtocol};
use qosc_compiler::units::Family;

/// Bytes of the PPPoE and PPP headers before the packet.
const FRAME: u16 = 8;

/// Returns the keys of the file whose values differ between filter and packet, without keys that follow from others.
/// There are none if another filter of the match is for packets where this one was seen, inside a tunnel or outside.
pub(super) fn differs(filter: &Filter, seen: &Seen<'_>) -> Vec<&'static str> {
    let (selector, matched) = (&filter.selector, filter.why.what.as_str());
    let frame = match filter.protocol {
        FilterProtocol::Pppoe => FRAME,
        FilterProtocol::Ip | FilterProtocol::Ipv6 | FilterProtocol::All => 0,
    };
    if let Some((_, after)) = matched.split_once("tunnel ")
        && !after.split(", ").any(|name| name.split(' ').next() == seen.tunnel)
    {
        return vec!["tunnel"];
    }
    let (before, family) = seen.inside.unwrap_or((0, seen.family));
    let place = |offset: u16| offset - frame.min(offset);
    let is_elsewhere =
        !seen.came(selector) || seen.misses(selector).any(|(offset, _)| place(offset) < before);
    if is_elsewhere {
        return if has("device", matched) { vec!["device"] } else { Vec::new() };
    }
    let mut keys: Vec<&'static str> = Vec::new();
    keys.extend(selector.mark.filter(|_| !seen.has_mark(selector)).map(|mark| by_mark(mark.mask, seen)));
    keys.extend(
        seen.misses(selector)
            .map(|(offset, bits)| key(place(offset) - before, bits, (family, seen.direction))),
    );
    // the positions of ports and flags depend on the protocol
    if keys.contains(&"protocol") {
        keys.retain(|key| !matches!(*key, "headers" | "tcp" | "local_port" | "remote_port"));
    }
    let mut keys: Vec<&'static str> = keys.into_iter().map(|key| as_written(key, matched)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The key that asks for a part of a packet in a match: `port` asks for either port, and `tunnel` for its own.
fn as_written(key: &'static str, matched: &str) -> &'static str {
    match key {
        "local_port" | "remote_port" if !has(key, matched) && has("port", matched) => "port",
        "local_port" | "remote_port" if !has(key, matched) && has("tunnel", matched) => "tunnel",
        _ => key,
    }
}

/// True if a match, as people read it, has a key.
fn has(key: &str, matched: &str) -> bool {
    matched.split(' ').any(|word| word == key)
}

/// Returns the key that these bits of a mark come from: one of ours, or `mark`.
fn by_mark(mask: u32, seen: &Seen<'_>) -> &'static str {
    let Some(marks) = seen.marks else { return "mark" };
    let is = |bits: Option<u32>| bits.is_some_and(|bits| bits & mask != 0);
    if is(marks.address.as_ref().map(|field| field.bits.value)) {
        "local"
    } else if is(marks.mac.as_ref().map(|field| field.bits.value)) {
        "mac"
    } else if is(marks.port.as_ref().map(|field| field.bits.value)) {
        "local_port"
    } else if is(marks.dscp.as_ref().map(|field| field.bits.value)) {
        "dscp"
    } else {
        "mark"
    }
}

/// Returns the key for these bits of a packet (RFC 791, section 3.1; RFC 8200, section 3; RFC 768, RFC 9293).
fn key(offset: u16, bits: u32, (family, direction): (Family, Direction)) -> &'static str {
    let (source, destination, source_port, destination_port) = match direction {
        Direction::Up => ("local", "remote", "local_port", "remote_port"),
        Direction::Down => ("remote", "local", "remote_port", "local_port"),
    };
    let port = if bits & 0xffff_0000 != 0 { source_port } else { destination_port };
    match (family, offset) {
        (Family::Ipv4, 0) if bits & 0x00fc_0000 != 0 => "dscp",
        (Family::Ipv6, 0) if bits & 0x0fc0_0000 != 0 => "dscp",
        (Family::Ipv4, 0) if bits & 0x0003_0000 != 0 => "ecn",
        (Family::Ipv6, 0) if bits & 0x0030_0000 != 0 => "ecn",
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
