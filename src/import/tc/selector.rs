//! Turns the words of a filter into conditions of a packet.

use super::read::{Filter, after};
use crate::import::config::Match;
use crate::import::text::Word;
use crate::terms::{Direction, TcpKind};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, PortRange, Protocol};
use ipnet::{Ipv4Net, Ipv6Net};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use strum::VariantArray as _;

/// Conditions by the ends of a packet.
#[derive(Debug, Default)]
struct Conditions {
    base: Match,
    src: Option<Address>,
    dst: Option<Address>,
    sport: Option<PortRange>,
    dport: Option<PortRange>,
}

/// Bits of a word.
type Bits = (u32, u32);

/// Returns the match of a filter, or the words that have no equivalent.
pub(super) fn matched(filter: &Filter, direction: Direction) -> Result<Match, String> {
    let family = match filter.protocol.as_str() {
        "ip" => Some(Family::Ipv4),
        "ipv6" => Some(Family::Ipv6),
        "all" => None,
        other => return Err(format!("protocol {other}")),
    };
    let mut all = Conditions { base: Match { family, ..Match::default() }, ..Conditions::default() };
    let mut words: BTreeMap<u32, Bits> = BTreeMap::new();
    if filter.kind == "fw" {
        all.base.mark.push(mark(filter.handle.as_deref().unwrap_or_default(), "0xffffffff")?);
    }
    for line in &filter.more {
        one_line(line, filter, family, &mut words, &mut all)?;
    }
    match family {
        Some(family) => decode(words, family, &mut all)?,
        None if words.values().all(|(_, mask)| *mask == 0) => {}
        None => return Err("match of u32 with protocol all".to_owned()),
    }
    let ported = all.sport.is_some() || all.dport.is_some();
    if let Some(protocol) = all.base.protocol.iter().find(|protocol| ported && !protocol.has_ports()) {
        return Err(format!("match of ports of protocol {protocol}"));
    }
    // a port needs a protocol, and the two that have ports are meant
    if ported && all.base.protocol.is_empty() && all.base.tcp.is_empty() {
        all.base.protocol = vec![Protocol::TCP, Protocol::UDP];
    }
    Ok(finished(all, direction))
}

/// First words of lines about counters, actions and offloads.
const TOLD: &[&str] = &[
    "index",
    "ref",
    "installed",
    "Action",
    "Sent",
    "backlog",
    "skip_hw",
    "skip_sw",
    "in_hw",
    "not_in_hw",
    "random",
    "action",
    "key",
    "eth_type",
    "hw_stats",
    "used_hw_stats",
    "cookie",
    "no_percpu",
    "overhead",
    "mtu",
    "rate",
    "burst",
];

fn one_line(
    line: &[Word],
    filter: &Filter,
    family: Option<Family>,
    words: &mut BTreeMap<u32, Bits>,
    all: &mut Conditions,
) -> Result<(), String> {
    let text: Vec<&str> = line.iter().map(|word| word.text.as_str()).collect();
    let lost = || text.join(" ");
    match text.as_slice() {
        ["match", word, "at", offset, ..] => {
            let (value, mask) = word.split_once('/').ok_or_else(lost)?;
            let bits = hex(value).zip(hex(mask)).ok_or_else(lost)?;
            // a word behind the header is at a fixed place if the header has no options
            let offset = match offset.strip_prefix("nexthdr+") {
                Some(more) => more
                    .parse::<u32>()
                    .ok()
                    .map(|more| more.saturating_add(if family == Some(Family::Ipv6) { 40 } else { 20 })),
                None => offset.parse().ok(),
            };
            let slot = words.entry(offset.ok_or_else(lost)?).or_insert((0, 0));
            // A damaged line may have bits beyond its mask.
            *slot = (slot.0 | bits.0 & bits.1, slot.1 | bits.1);
        }
        ["mark", value, mask, ..] => all.base.mark.push(mark(value, mask)?),
        ["src_ip", prefix] => all.src = Some(address(prefix).ok_or_else(lost)?),
        ["dst_ip", prefix] => all.dst = Some(address(prefix).ok_or_else(lost)?),
        ["ip_proto", name] => all.base.protocol.push(name.parse().map_err(|_| lost())?),
        ["src_port", ports] => all.sport = Some(ports.parse().map_err(|_| lost())?),
        ["dst_port", ports] => all.dport = Some(ports.parse().map_err(|_| lost())?),
        ["ip_tos", tos] => {
            let tos = hex(tos.split('/').next().unwrap_or_default()).and_then(|tos| u8::try_from(tos).ok());
            all.base.dscp.push(tos.and_then(|tos| Dscp::new(tos >> 2)).ok_or_else(lost)?);
        }
        [told, ..] if TOLD.contains(told) => {}
        _ if filter.kind == "matchall" => {}
        _ => return Err(lost()),
    }
    Ok(())
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

fn mark(value: &str, mask: &str) -> Result<Mark, String> {
    let (value, mask) = value.split_once('/').unwrap_or((value, mask));
    let bits = hex(value).zip(hex(mask)).filter(|(_, mask)| *mask != 0);
    bits.map(|(value, mask)| Mark { value: value & mask, mask }).ok_or_else(|| format!("mark {value}/{mask}"))
}

fn address(text: &str) -> Option<Address> {
    text.parse().ok()
}

/// Reads the words of the network and transport header.
fn decode(mut words: BTreeMap<u32, Bits>, family: Family, all: &mut Conditions) -> Result<(), String> {
    let (header, first) = if family == Family::Ipv4 { (20, 12) } else { (40, 8) };
    let ports = words.remove(&header);
    let flags = words.remove(&(header + 12));
    let mut take = |offset: u32| words.remove(&offset).unwrap_or((0, 0));
    let mut addresses = |from: u32, count: u32| {
        (0..count).fold((0u128, 0u128), |(value, mask), number| {
            let (v, m) = take(from + 4 * number);
            (value << 32 | u128::from(v), mask << 32 | u128::from(m))
        })
    };
    let count = if family == Family::Ipv4 { 1 } else { 4 };
    let (src, dst) = (addresses(first, count), addresses(first + 4 * count, count));
    all.src = all.src.take().or(prefix(src, family)?);
    all.dst = all.dst.take().or(prefix(dst, family)?);
    match family {
        Family::Ipv4 => version_4(&mut words, all)?,
        Family::Ipv6 => version_6(&mut words, all)?,
    }
    if let Some((value, mask)) = ports {
        all.sport = port(value >> 16, mask >> 16)?;
        all.dport = port(value & 0xffff, mask & 0xffff)?;
    }
    if let Some((value, mask)) = flags {
        let kind = TcpKind::VARIANTS.iter().find(|kind| {
            let (own_mask, own_value) = kind.flags();
            (u32::from(own_value) << 16, u32::from(own_mask) << 16) == (value, mask)
        });
        let kind = kind.ok_or_else(|| format!("match {value:08x}/{mask:08x} of the TCP flags"))?;
        all.base.tcp.push(kind.as_str());
        all.base.protocol.clear();
        if kind.as_str() == "ack" {
            // the match itself implies that they are short
            all.base.length.clear();
        }
    }
    match words.iter().find(|(_, (_, mask))| *mask != 0) {
        Some((offset, (value, mask))) => Err(format!("match {value:08x}/{mask:08x} at {offset}")),
        None => Ok(()),
    }
}

/// Takes bits out of a word.
fn bits(words: &mut BTreeMap<u32, Bits>, offset: u32, mask: u32) -> Option<Bits> {
    let slot = words.get_mut(&offset)?;
    let found = (slot.0 & mask, slot.1 & mask);
    *slot = (slot.0 & !mask, slot.1 & !mask);
    (found.1 != 0).then_some(found)
}

fn version_4(words: &mut BTreeMap<u32, Bits>, all: &mut Conditions) -> Result<(), String> {
    // version, length of the header, and no fragment: conditions that a match with ports has anyway
    let _ = bits(words, 0, 0xff00_0000);
    if bits(words, 4, 0x0000_3fff).is_some_and(|(value, _)| value != 0) {
        return Err("match of a fragment".to_owned());
    }
    code_point(bits(words, 0, 0x00ff_0000), 16, all)?;
    if let Some(found) = bits(words, 0, 0xffff) {
        let (min, max) = range(found)?;
        all.base.length.push(LengthRange { min, max });
    }
    protocol(bits(words, 8, 0x00ff_0000), 16, all)
}

fn version_6(words: &mut BTreeMap<u32, Bits>, all: &mut Conditions) -> Result<(), String> {
    let _ = bits(words, 0, 0xf000_0000);
    code_point(bits(words, 0, 0x0ff0_0000), 20, all)?;
    if let Some((value, mask)) = bits(words, 4, 0xffff_0000) {
        let (least, most) = range((value >> 16, mask >> 16))?;
        let min = if least == 0 { 0 } else { least.saturating_add(40) };
        all.base.length.push(LengthRange { min, max: most.saturating_add(40) });
    }
    protocol(bits(words, 4, 0x0000_ff00), 8, all)
}

fn code_point(found: Option<Bits>, shift: u32, all: &mut Conditions) -> Result<(), String> {
    let Some((value, mask)) = found else { return Ok(()) };
    let (tos, mask) = (value >> shift, mask >> shift);
    let dscp = u8::try_from(tos >> 2).ok().and_then(Dscp::new);
    match dscp.filter(|_| matches!(mask, 0xfc | 0xff)) {
        Some(dscp) => all.base.dscp.push(dscp),
        None => return Err(format!("match of the TOS {tos:#x}/{mask:#x}")),
    }
    Ok(())
}

fn protocol(found: Option<Bits>, shift: u32, all: &mut Conditions) -> Result<(), String> {
    let Some((value, mask)) = found else { return Ok(()) };
    match u8::try_from(value >> shift) {
        Ok(number) if mask >> shift == 0xff => all.base.protocol.push(Protocol(number)),
        _ => return Err("match of a part of the protocol".to_owned()),
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

fn port(value: u32, mask: u32) -> Result<Option<PortRange>, String> {
    if mask == 0 {
        return Ok(None);
    }
    range((value, mask)).map(|(first, last)| Some(PortRange { first, last }))
}

/// Returns a prefix, or the last bits of an IPv6 address.
fn prefix((value, mask): (u128, u128), family: Family) -> Result<Option<Address>, String> {
    let (whole, bits) = if family == Family::Ipv4 { (u128::from(u32::MAX), 32) } else { (u128::MAX, 128) };
    if mask == 0 {
        return Ok(None);
    }
    let ones = mask.count_ones();
    let length = u8::try_from(ones).unwrap_or(128);
    let leading = mask == whole & !(u128::MAX.checked_shr(128 - bits + ones).unwrap_or(0));
    let found = match family {
        Family::Ipv4 if leading => {
            let address = Ipv4Addr::from_bits(u32::try_from(value).unwrap_or_default());
            Ipv4Net::new(address, length).ok().map(Address::V4)
        }
        Family::Ipv6 if leading => Ipv6Net::new(Ipv6Addr::from_bits(value), length).ok().map(Address::V6),
        Family::Ipv6 if mask == u128::MAX >> (128 - ones) => {
            Some(Address::V6Interface { part: Ipv6Addr::from_bits(value), bits: length })
        }
        _ => None,
    };
    found.map(Some).ok_or_else(|| format!("match {value:08x}/{mask:08x} of an address"))
}

fn finished(all: Conditions, direction: Direction) -> Match {
    let Conditions { mut base, src, dst, sport, dport } = all;
    let list = |address: Option<Address>| address.into_iter().collect();
    let ports = |ports: Option<PortRange>| ports.into_iter().collect();
    match direction {
        Direction::Up => {
            (base.local, base.remote) = (list(src), list(dst));
            (base.local_port, base.remote_port) = (ports(sport), ports(dport));
        }
        Direction::Down => {
            (base.local, base.remote) = (list(dst), list(src));
            (base.local_port, base.remote_port) = (ports(dport), ports(sport));
        }
    }
    base.direction = Some(direction);
    // an address and the ICMP of a version imply the version
    let implied = !base.local.is_empty()
        || !base.remote.is_empty()
        || base.protocol.iter().any(|own| [Protocol::ICMP, Protocol::ICMPV6].contains(own));
    if implied {
        base.family = None;
    }
    base
}

/// Returns the class that an action sets as priority.
pub(super) fn priority(filter: &Filter) -> Option<super::read::Id> {
    filter.more.iter().find_map(|line| super::read::id(after(line, "priority")?.trim_start_matches(':')))
}

/// Returns the device to which a filter redirects packets.
pub(super) fn redirected(filter: &Filter) -> Option<&str> {
    filter.more.iter().find_map(|line| Some(after(line, "device")?.trim_end_matches(')')))
}

/// Returns the DSCP that the actions of a filter set: `key #0  at ipv4+0: val 00200000 mask ff03ffff`.
pub(super) fn set_dscp(filter: &Filter) -> Option<Dscp> {
    filter.more.iter().find_map(|line| {
        let text: Vec<&str> = line.iter().map(|word| word.text.as_str()).collect();
        let (value, shift) = match text.as_slice() {
            ["key", _, "at", "ipv4+0:", "val", value, "mask", "ff03ffff"] => (value, 18),
            ["key", _, "at", "ipv6+0:", "val", value, "mask", "f03fffff"] => (value, 22),
            _ => return None,
        };
        u8::try_from(hex(value)? >> shift).ok().and_then(Dscp::new)
    })
}
