//! Witness packets: for each filter of both sides its values, their neighbours, and packets that several filters take.

use super::packet::{Packet, Test, header};
use super::side::Rule;
use indexmap::IndexSet;
use qosc_compiler::units::Family;

/// Largest number of filters whose packets are made.
const FILTERS: usize = 3000;

/// Largest number of filters that are combined with each filter.
const PAIRS: usize = 24;

/// Returns the witness packets for these filters: packets of TCP, UDP and ICMP of both versions, fragments, and one of
/// ARP.
pub(super) fn witnesses<'a>(rules: impl Iterator<Item = &'a Rule>) -> IndexSet<Packet> {
    let all: IndexSet<(Option<Family>, &Test)> = rules.map(|rule| (rule.family, &rule.test)).collect();
    let step = all.len().div_ceil(FILTERS).max(1);
    let conditions: Vec<_> = all.into_iter().step_by(step).collect();
    let pairs = conditions.len().div_ceil(PAIRS).max(1);
    let mut found = IndexSet::new();
    for (family, protocols) in [(Family::Ipv4, [6, 17, 1]), (Family::Ipv6, [6, 17, 58])] {
        // Filters for all packets compare words of IPv4. Other packets meet them by chance.
        let is_own = |(own, test): &&(Option<Family>, &Test)| {
            own.map_or(family == Family::Ipv4 || test.words.is_empty(), |own| own == family)
        };
        let own: Vec<&Test> = conditions.iter().filter(is_own).map(|one| one.1).collect();
        for plain in protocols.map(|protocol| Packet::new(Some(family), protocol)) {
            found.insert(plain.clone());
            for (number, test) in own.iter().enumerate() {
                let Some(one) = with(&plain, test) else { continue };
                found.extend(neighbours(&one, test, family));
                if family == Family::Ipv4 {
                    let mut fragment = one.clone();
                    fragment.set(4, (0x2000, 0x3fff));
                    found.insert(fragment);
                }
                // Few filters meet all others; of many, each meets some.
                let both =
                    own.iter().skip(number % pairs).step_by(pairs).filter_map(|other| with(&one, other));
                found.extend(both.filter(|both| both.meets(test)));
                found.insert(one);
            }
        }
    }
    found.insert(Packet::new(None, 0));
    found
}

/// Returns a packet that meets a condition and is otherwise like this one. `None` if its header would be another one,
/// or if the condition would be met by chance: one about ports or flags in a packet without them.
fn with(packet: &Packet, test: &Test) -> Option<Packet> {
    let mut own = packet.clone();
    test.words.iter().for_each(|(at, bits)| own.set(*at, *bits));
    own.mark = test.mark.0 | own.mark & !test.mark.1;
    let end = header(packet.family?);
    let is_at = |least: u16| test.words.iter().any(|(at, (_, mask))| *at >= least && *mask != 0);
    let protocol = if end == 20 { (8, 0x00ff_0000) } else { (4, 0xff00) };
    let names = test.words.iter().any(|(at, (_, mask))| *at == protocol.0 && mask & protocol.1 != 0);
    let by_chance =
        !names && (is_at(end) && !matches!(own.protocol(), 6 | 17) || is_at(end + 8) && own.protocol() != 6);
    (!by_chance && own.meets(test) && own.bytes[0] >> 4 == packet.bytes[0] >> 4).then_some(own)
}

/// Returns packets whose values are directly beside those of a condition, or at the end of its range.
fn neighbours(packet: &Packet, test: &Test, family: Family) -> Vec<Packet> {
    let mut found =
        vec![Packet { mark: packet.mark ^ (test.mark.1 & test.mark.1.wrapping_neg()), ..packet.clone() }];
    let addresses = if family == Family::Ipv4 { 12 } else { 8 };
    let end = header(family);
    for (at, (value, mask)) in &test.words {
        for half in [0xffff_0000, 0xffff] {
            let lowest = mask & half & (mask & half).wrapping_neg();
            let mut others = vec![(value ^ lowest, lowest)];
            if *at >= addresses && *at <= end && mask & half != 0 {
                others.push((!0, !mask & if *at < end { !0 } else { half }));
            }
            found.extend(others.into_iter().map(|bits| {
                let mut other = packet.clone();
                other.set(*at, bits);
                other
            }));
        }
    }
    // The version, the length of the header and the protocol of ports stay.
    let has_body = test.words.iter().any(|(at, _)| *at >= end);
    found.retain(|own| own.bytes[0] == packet.bytes[0] && !(has_body && own.protocol() != packet.protocol()));
    found
}
