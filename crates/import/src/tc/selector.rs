//! Turns the words of a filter into conditions of a packet.

use super::read::{Filter, after};
use crate::config::Match;
use crate::packet::Conditions;
use crate::proof::packet::{Bits, Test, header};
use ipnet::{Ipv4Net, Ipv6Net};
use qosc_compiler::terms::{Direction, Ecn, TcpKind};
use qosc_compiler::units::{Address, Dscp, Family, LengthRange, Mark, PortRange, Protocol};
use std::collections::BTreeMap;
use std::net::Ipv6Addr;
use strum::VariantArray as _;

/// Advice about filters that are not converted.
pub(super) const BY_HAND: &str =
    "write a `match` for each; a script of `qosc` carries its file as comments at its end";

/// Words of a packet by their offset.
type Words = BTreeMap<u16, Bits>;

/// Place of a field: the offset of its word, and its bits in the word.
type Field = (u16, u32);

/// Returns what a filter compares, as the kernel does, or the words that have no equivalent.
pub(super) fn test(filter: &Filter) -> Result<Test, String> {
    let family = filter.family().ok_or_else(|| format!("protocol {}", filter.protocol))?;
    if !matches!(filter.kind.as_str(), "u32" | "fw" | "flower" | "matchall") {
        return Err(filter.kind.clone());
    }
    let mut test = Test::default();
    if let (true, Some(handle)) = (filter.kind == "fw", &filter.handle) {
        test.mark = mark(handle).ok_or_else(|| format!("mark {handle}"))?;
    }
    for line in &filter.more {
        let line: Vec<&str> = line.iter().map(|word| word.text.as_str()).collect();
        one_line(&line, &filter.kind, family, &mut test).ok_or_else(|| match line.as_slice() {
            ["mark", value, mask, ..] => format!("mark {value}/{mask}"),
            other => other.join(" "),
        })?;
    }
    test.words.retain(|(_, (_, mask))| *mask != 0);
    Ok(test)
}

/// Returns the match of a filter, or the words that have no equivalent.
pub(super) fn matched(filter: &Filter, direction: Direction) -> Result<Match, String> {
    let Test { words: list, mark: (value, mask) } = test(filter)?;
    let family = filter.family().flatten();
    let mut all = Conditions { base: Match { family, ..Match::default() }, ..Conditions::default() };
    all.base.mark.extend((mask != 0).then_some(Mark { value, mask }));
    let mut words = Words::new();
    for (at, (value, mask)) in list {
        let slot = words.entry(at).or_default();
        // A damaged line may have bits beyond its mask.
        *slot = (slot.0 | value & mask, slot.1 | mask);
    }
    if !words.is_empty() {
        let own = family.unwrap_or(Family::Ipv4);
        all.base.family = Some(own);
        decode(words, own, &mut all)?;
    }
    all.add_protocols().map_err(|protocol| format!("match of ports of protocol {protocol}"))?;
    let mut one = all.of_direction(direction, direction);
    if implied(&one).is_some() {
        one.family = None;
    }
    Ok(one)
}

fn mark(text: &str) -> Option<Bits> {
    text.parse().ok().map(|Mark { value, mask }| (value, mask))
}

/// Returns the IP version that an address or the ICMP of a version implies.
pub(super) fn implied(one: &Match) -> Option<Family> {
    let address = one.local.iter().chain(&one.remote).next().map(|address| address.family());
    let of = |protocol: &Protocol| match *protocol {
        Protocol::ICMP => Some(Family::Ipv4),
        Protocol::ICMPV6 => Some(Family::Ipv6),
        _ => None,
    };
    address.or_else(|| one.protocol.iter().find_map(of))
}

/// Reads a line of a filter. `None` if it has no equivalent.
fn one_line(line: &[&str], kind: &str, family: Option<Family>, test: &mut Test) -> Option<()> {
    let v4 = family != Some(Family::Ipv6);
    let end = header(family.unwrap_or(Family::Ipv4));
    match line {
        ["match", word, "at", offset, ..] => {
            let (value, mask) = word.split_once('/')?;
            // Without an `offset`, the kernel takes `nexthdr` for the begin of the IP header (`cls_u32.c`: `u32_classify`).
            let offset = offset.trim_start_matches("nexthdr+").parse().ok()?;
            test.words.push((offset, (hex(value)?, hex(mask)?)));
        }
        ["mark", value, mask, ..] => test.mark = mark(&format!("{value}/{mask}"))?,
        [key @ ("src_ip" | "dst_ip"), prefix] => match (prefix.parse().ok()?, *key == "src_ip") {
            (Address::V4(net), src) => {
                let bits = (net.addr().to_bits(), net.netmask().to_bits());
                test.words.push((if src { 12 } else { 16 }, bits));
            }
            (Address::V6(net), src) => {
                let words = [96, 64, 32, 0].map(|shift| {
                    let word =
                        |own: Ipv6Addr| u32::try_from(own.to_bits() >> shift & 0xffff_ffff).unwrap_or(0);
                    (word(net.addr()), word(net.netmask()))
                });
                test.words.extend((if src { 8 } else { 24 }..).step_by(4).zip(words));
            }
            _ => return None,
        },
        ["ip_proto", name] => {
            let Protocol(number) = name.parse().ok()?;
            let number = u32::from(number);
            test.words.push(if v4 { (8, (number << 16, 0x00ff_0000)) } else { (4, (number << 8, 0xff00)) });
        }
        [key @ ("src_port" | "dst_port"), port] => {
            let (port, shift) =
                (u32::from(port.parse::<u16>().ok()?), if *key == "src_port" { 16 } else { 0 });
            // Only whole packets have ports.
            test.words.extend(v4.then_some((4, (0, 0x3fff))));
            test.words.push((end, (port << shift, 0xffff << shift)));
        }
        ["ip_tos", tos] => {
            let (tos, mask) = tos.split_once('/').unwrap_or((tos, "ff"));
            let shift = if v4 { 16 } else { 20 };
            test.words.push((0, (hex(tos)? << shift, hex(mask)? << shift)));
        }
        // counters, actions and offloads
        [
            "index" | "ref" | "installed" | "Action" | "Sent" | "backlog" | "skip_hw" | "skip_sw" | "in_hw"
            | "not_in_hw" | "random" | "action" | "key" | "eth_type" | "hw_stats" | "used_hw_stats"
            | "cookie" | "no_percpu" | "overhead" | "mtu" | "rate" | "burst",
            ..,
        ] => {}
        _ if kind == "matchall" => {}
        _ => return None,
    }
    Some(())
}

pub(super) fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// Takes the bits of a field out of the words, shifted to the right. `None` if none of them counts.
fn take(words: &mut Words, (offset, field): Field) -> Option<Bits> {
    let (value, mask) = words.get_mut(&offset)?;
    let shifted = |bits: u32| (bits & field).checked_shr(field.trailing_zeros()).unwrap_or(0);
    let found = (shifted(*value), shifted(*mask));
    (*value, *mask) = (*value & !field, *mask & !field);
    (found.1 != 0).then_some(found)
}

/// Reads the words of the network and transport header.
fn decode(mut words: Words, family: Family, all: &mut Conditions) -> Result<(), String> {
    let (size, words) = (header(family), &mut words);
    // offsets of the addresses, and their number of words (RFC 791, section 3.1; RFC 8200, section 3)
    let (src, dst, count) = if family == Family::Ipv4 { (12, 16, 1) } else { (8, 24, 4u16) };
    let ports = [0xffff_0000, 0xffff].map(|field| take(words, (size, field)));
    let flags = take(words, (size + 12, u32::MAX));
    for (slot, from) in [(&mut all.src, src), (&mut all.dst, dst)] {
        let bits = (0..count).fold((0u128, 0u128), |(value, mask), number| {
            let (v, m) = take(words, (from + 4 * number, u32::MAX)).unwrap_or_default();
            (value << 32 | u128::from(v), mask << 32 | u128::from(m))
        });
        slot.extend(prefix(bits, family)?);
    }
    fields(words, family, &mut all.base)?;
    for (slot, found) in [&mut all.sport, &mut all.dport].into_iter().zip(ports) {
        if let Some((first, last)) = found.map(range).transpose()? {
            *slot = vec![PortRange { first, last }];
        }
    }
    if let Some((value, mask)) = flags {
        let kind = TcpKind::VARIANTS.iter().find(|kind| {
            let (own_mask, own_value) = kind.flags();
            (u32::from(own_value) << 16, u32::from(own_mask) << 16) == (value, mask)
        });
        let kind = kind.ok_or_else(|| format!("match {value:08x}/{mask:08x} of the TCP flags"))?;
        all.base.tcp.push(kind.as_str());
        all.base.protocol.clear();
        if *kind == TcpKind::Ack {
            // the match itself implies that they are short
            all.base.length.clear();
        }
    }
    match words.iter().find(|(_, (_, mask))| *mask != 0) {
        Some((offset, (value, mask))) => Err(format!("match {value:08x}/{mask:08x} at {offset}")),
        None => Ok(()),
    }
}

/// Reads the fields of an IP header besides the addresses.
fn fields(words: &mut Words, family: Family, base: &mut Match) -> Result<(), String> {
    let [version, fragment, tos, length, protocol] = match family {
        Family::Ipv4 => [(0, 0xff00_0000), (4, 0x3fff), (0, 0x00ff_0000), (0, 0xffff), (8, 0x00ff_0000)],
        Family::Ipv6 => [(0, 0xf000_0000), (0, 0), (0, 0x0ff0_0000), (4, 0xffff_0000), (4, 0xff00)],
    };
    // a match with ports has a condition on the version, and in IPv4 on the length of the header, anyway
    take(words, version);
    if take(words, fragment).is_some_and(|(value, _)| value != 0) {
        return Err("match of a fragment".to_owned());
    }
    if let Some((tos, mask)) = take(words, tos) {
        let ecn = Ecn::VARIANTS.iter().find(|ecn| mask & 3 == 3 && u32::from(ecn.bits()) == tos & 3);
        base.ecn.extend(ecn);
        let dscp = u8::try_from(tos >> 2).ok().and_then(Dscp::new).filter(|_| matches!(mask, 0xfc | 0xff));
        base.dscp.push(dscp.ok_or_else(|| format!("match of the TOS {tos:#x}/{mask:#x}"))?);
    }
    if let Some((least, most)) = take(words, length).map(range).transpose()? {
        // the length of IPv6 does not count the header
        let header = if family == Family::Ipv4 { 0 } else { 40 };
        let min = if least == 0 { 0 } else { least.saturating_add(header) };
        base.length.push(LengthRange { min, max: most.saturating_add(header) });
    }
    match take(words, protocol).map(|(number, mask)| (u8::try_from(number), mask)) {
        Some((Ok(number), 0xff)) => base.protocol.push(Protocol(number)),
        Some(_) => return Err("match of a part of the protocol".to_owned()),
        None => {}
    }
    Ok(())
}

/// Returns the range of 16-bit numbers with these leading bits.
fn range((value, mask): Bits) -> Result<(u16, u16), String> {
    let aligned = (mask | 0xffff_0000).leading_ones() + mask.trailing_zeros().min(16) == 32;
    let (least, most) = (value, value | (!mask & 0xffff));
    match (u16::try_from(least), u16::try_from(most)) {
        (Ok(least), Ok(most)) if aligned => Ok((least, most)),
        _ => Err(format!("match {value:04x}/{mask:04x} of separate bits")),
    }
}

/// Returns a prefix, or the last bits of an IPv6 address.
fn prefix((value, mask): (u128, u128), family: Family) -> Result<Option<Address>, String> {
    if mask == 0 {
        return Ok(None);
    }
    let found = match family {
        Family::Ipv4 => {
            let [value, mask] = [value, mask].map(|bits| u32::try_from(bits).unwrap_or_default().into());
            Ipv4Net::with_netmask(value, mask).ok().map(Address::V4)
        }
        Family::Ipv6 => {
            let part = Ipv6Addr::from_bits(value);
            let prefix = Ipv6Net::with_netmask(part, mask.into()).ok().map(Address::V6);
            let bits = u8::try_from(mask.trailing_ones()).unwrap_or(128);
            let interface = || Address::V6Interface { part, bits };
            prefix.or_else(|| (mask.count_zeros() == mask.leading_zeros()).then(interface))
        }
    };
    found.map(Some).ok_or_else(|| format!("match {value:08x}/{mask:08x} of an address"))
}

/// Returns the device to which a filter redirects packets.
pub(super) fn redirected(filter: &Filter) -> Option<&str> {
    filter.more.iter().find_map(|line| after(line, "device")).map(|device| device.trim_end_matches(')'))
}
