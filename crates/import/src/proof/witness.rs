//! Witness packets: for each filter of both sides its values, their neighbours, and packets that several filters take.

use super::packet::{Bits, Packet, Test, flags_of, header};
use super::side::Rule;
use crate::config::Match;
use indexmap::IndexSet;
use qosc_compiler::terms::Direction;
use qosc_compiler::units::{Address, Family, PortRange};

/// Largest number of filters whose packets are made.
const FILTERS: usize = 3000;

/// Largest number of filters that are combined with all others.
const PAIRS: usize = 24;

/// Protocols of witness packets: TCP, UDP, and the ICMP of the version.
const fn protocols(family: Family) -> [u8; 3] {
    match family {
        Family::Ipv4 => [6, 17, 1],
        Family::Ipv6 => [6, 17, 58],
    }
}

/// Returns the witness packets for these filters.
pub(super) fn witnesses<'a>(rules: impl Iterator<Item = &'a Rule>) -> IndexSet<Packet> {
    let conditions: IndexSet<(Option<Family>, &Test)> = rules.map(|rule| (rule.family, &rule.test)).collect();
    let mut found = IndexSet::new();
    found.insert(Packet::arp());
    let step = conditions.len().div_ceil(FILTERS).max(1);
    let conditions: Vec<_> = conditions.into_iter().step_by(step).collect();
    let pairs = conditions.len().div_ceil(PAIRS);
    for family in [Family::Ipv4, Family::Ipv6] {
        for protocol in protocols(family) {
            let plain = Packet::ip(family, protocol);
            let is_own = |own: Option<Family>| own.is_none_or(|own| own == family);
            found.insert(plain.clone());
            for (number, (_, test)) in conditions.iter().enumerate().filter(|(_, (own, _))| is_own(*own)) {
                let own = with(&plain, test);
                found.extend(own.iter().flat_map(|own| neighbours(own, test)));
                if let Some(one) = own.first().filter(|_| family == Family::Ipv4) {
                    let mut fragment = one.clone();
                    fragment.set(4, (0x2000, 0x3fff));
                    found.insert(fragment);
                }
                // Few filters meet all others; of many, each meets some.
                let others = conditions.iter().skip(number % pairs).step_by(pairs);
                for (_, other) in others.filter(|(own, _)| is_own(*own)) {
                    let both = own.iter().flat_map(|own| with(own, other));
                    found.extend(both.filter(|both| both.meets(test) && both.meets(other)));
                }
                found.extend(own);
            }
        }
    }
    found
}

/// Returns packets that meet a condition and are otherwise like this one.
fn with(packet: &Packet, test: &Test) -> Vec<Packet> {
    let found = match test {
        Test::Never => Vec::new(),
        Test::Words(words, mark) => {
            let mut own = packet.clone();
            words.iter().for_each(|(at, bits)| own.set(*at, *bits));
            own.mark = mark.0 | own.mark & !mark.1;
            vec![own]
        }
        Test::Fields(one, direction) => of_fields(packet, one, *direction),
    };
    let is_like = |own: &Packet| {
        let same = own.protocol() == packet.protocol();
        let plain = Packet::ip(packet.family.unwrap_or(Family::Ipv4), own.protocol());
        // A header with another version or length is none.
        own.meets(test)
            && own.bytes[0] == packet.bytes[0] & 0xf0 | own.bytes[0] & 0xf
            && (same || own.protocol() == plain.protocol())
    };
    found.into_iter().filter(is_like).collect()
}

/// Returns packets whose values are directly beside those of a condition, or at the end of its range.
fn neighbours(packet: &Packet, test: &Test) -> Vec<Packet> {
    let Test::Words(words, mark) = test else { return Vec::new() };
    let mut found = Vec::new();
    let mut changed = |at: u16, bits: Bits| {
        let mut other = packet.clone();
        other.set(at, bits);
        found.push(other);
    };
    let end = packet.family.map_or(0, header);
    let addresses = if packet.family == Some(Family::Ipv4) { 12 } else { 8 };
    let has_body = words.iter().any(|(at, _)| *at >= end);
    for (at, (value, mask)) in words {
        // the version and the length of the header stay, and so does the protocol of ports
        let own = match (*at, packet.family) {
            (0, _) => mask & 0x00ff_ffff,
            (8, Some(Family::Ipv4)) if has_body => mask & 0xff00_ffff,
            (4, Some(Family::Ipv6)) if has_body => mask & 0xffff_00ff,
            _ => *mask,
        };
        for half in [0xffff_0000, 0xffff] {
            let lowest = (own & half) & (own & half).wrapping_neg();
            if lowest != 0 {
                changed(*at, (value ^ lowest, lowest));
            }
        }
        if *at >= addresses && *at < end {
            changed(*at, (!0, !mask));
        } else if *at == end {
            [0xffff_0000, 0xffff]
                .iter()
                .filter(|half| mask & **half != 0)
                .for_each(|half| changed(*at, (!0, !mask & half)));
        }
    }
    if mark.1 != 0 {
        found.push(Packet { mark: mark.0 ^ (mark.1 & mark.1.wrapping_neg()), ..packet.clone() });
        found.push(Packet { mark: 0, ..packet.clone() });
    }
    found
}

/// Returns packets that have each value of a match at least once.
fn of_fields(packet: &Packet, one: &Match, direction: Direction) -> Vec<Packet> {
    let Some(family) = packet.family else { return Vec::new() };
    let (src, dst) = if family == Family::Ipv4 { (12, 16) } else { (8, 24) };
    let (local, remote) = if direction == Direction::Up { (src, dst) } else { (dst, src) };
    let high = |source: bool| source == (direction == Direction::Up);
    let lists = [
        one.local.len(),
        one.remote.len(),
        one.local_port.len(),
        one.remote_port.len(),
        one.port.len(),
        one.protocol.len(),
        one.dscp.len(),
        one.mark.len(),
        one.length.len(),
    ];
    let longest = lists.into_iter().max().unwrap_or(0).clamp(1, 64);
    let mut found = Vec::new();
    for number in 0..longest {
        fn at<T>(list: &[T], number: usize) -> Option<&T> {
            list.get(number % list.len().max(1))
        }
        let mut own = packet.clone();
        let mut protocol = at(&one.protocol, number).map(|own| own.0);
        if !one.tcp.is_empty() {
            protocol = Some(6);
        }
        if let Some(protocol) = protocol {
            match family {
                Family::Ipv4 => own.set(8, (u32::from(protocol) << 16, 0x00ff_0000)),
                Family::Ipv6 => own.set(4, (u32::from(protocol) << 8, 0xff00)),
            }
        }
        for (list, at_end) in [(&one.local, local), (&one.remote, remote)] {
            match at(list, number) {
                Some(Address::V4(net)) => own.set(at_end, (net.network().to_bits(), net.netmask().to_bits())),
                Some(Address::V6(net)) => {
                    for part in 0..4u16 {
                        let word = |bits: u128| (bits >> (96 - 32 * part)) as u32;
                        own.set(
                            at_end + 4 * part,
                            (word(net.network().to_bits()), word(net.netmask().to_bits())),
                        );
                    }
                }
                _ => {}
            }
        }
        let mut port = |list: &[PortRange], is_source: bool| {
            if let Some(range) = at(list, number) {
                let value = u32::from(if number % 2 == 0 { range.first } else { range.last });
                own.set(header(family), if is_source { (value << 16, 0xffff_0000) } else { (value, 0xffff) });
            }
        };
        port(&one.local_port, high(true));
        port(&one.remote_port, high(false));
        port(&one.port, number % 2 == 0);
        if let Some(dscp) = at(&one.dscp, number) {
            let shift = if family == Family::Ipv4 { 18 } else { 22 };
            own.set(0, (u32::from(dscp.bits()) << shift, 0x3f << shift));
        }
        if let Some(mark) = at(&one.mark, number) {
            own.mark = mark.value | own.mark & !mark.mask;
        }
        if let Some(length) = at(&one.length, number) {
            let least = u32::from(length.min).max(if family == Family::Ipv4 { 0 } else { 40 });
            match family {
                Family::Ipv4 => own.set(0, (least, 0xffff)),
                Family::Ipv6 => own.set(4, (least - 40 << 16, 0xffff_0000)),
            }
        }
        if let Some((mask, value)) = at(&one.tcp, number).and_then(|name| flags_of(name)) {
            own.set(header(family) + 12, (u32::from(value) << 16, u32::from(mask) << 16));
        }
        found.push(own);
    }
    found
}
