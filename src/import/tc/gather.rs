//! Joins matches of single filters, so that a class has few matches with lists.

use crate::import::config::{Match, joined};
use crate::units::{Family, LengthRange, PortRange};
use std::collections::{BTreeSet, HashMap};

/// Returns fewer matches that hold for the same packets.
pub(super) fn gathered(matches: Vec<Match>) -> Vec<Match> {
    let mut all = matches;
    all = by(all, |one| &mut one.remote_port, ports);
    all = by(all, |one| &mut one.local_port, ports);
    all = by(all, |one| &mut one.protocol, once);
    all = families(all);
    all = by(all, |one| &mut one.length, lengths);
    all = by(all, |one| &mut one.dscp, once);
    all = by(all, |one| &mut one.mark, once);
    all = by(all, |one| &mut one.remote, once);
    all = by(all, |one| &mut one.local, once);
    all = joined(all);
    either(all)
}

/// Joins matches that differ only in one list.
fn by<T: Clone>(
    matches: Vec<Match>,
    list: fn(&mut Match) -> &mut Vec<T>,
    tidy: fn(Vec<T>) -> Vec<T>,
) -> Vec<Match> {
    let mut known: HashMap<Match, usize> = HashMap::new();
    let mut groups: Vec<(Match, Vec<T>, bool)> = Vec::new();
    for mut one in matches {
        let values = std::mem::take(list(&mut one));
        // an empty list matches everything
        let everything = values.is_empty();
        match known.get(&one).and_then(|at| groups.get_mut(*at)) {
            Some((_, all, whole)) => {
                all.extend(values);
                *whole |= everything;
            }
            None => {
                known.insert(one.clone(), groups.len());
                groups.push((one, values, everything));
            }
        }
    }
    let filled = |(mut one, all, whole): (Match, Vec<T>, bool)| {
        if !whole {
            *list(&mut one) = tidy(all);
        }
        one
    };
    groups.into_iter().map(filled).collect()
}

/// Returns each value once, in the order of the filters.
fn once<T: Ord + Clone>(values: Vec<T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    values.into_iter().filter(|value| seen.insert(value.clone())).collect()
}

/// Joins adjacent ranges of ports.
fn ports(values: Vec<PortRange>) -> Vec<PortRange> {
    let pairs = values.into_iter().map(|range| (range.first, range.last));
    adjacent(pairs).map(|(first, last)| PortRange { first, last }).collect()
}

/// Joins adjacent ranges of lengths.
fn lengths(values: Vec<LengthRange>) -> Vec<LengthRange> {
    let pairs = values.into_iter().map(|range| (range.min, range.max));
    adjacent(pairs).map(|(min, max)| LengthRange { min, max }).collect()
}

fn adjacent(ranges: impl Iterator<Item = (u16, u16)>) -> impl Iterator<Item = (u16, u16)> {
    let mut out: Vec<(u16, u16)> = Vec::new();
    for (least, most) in ranges.collect::<BTreeSet<_>>() {
        match out.last_mut().filter(|(_, end)| least <= end.saturating_add(1)) {
            Some((_, end)) => *end = (*end).max(most),
            None => out.push((least, most)),
        }
    }
    out.into_iter()
}

/// Joins the same match of both IP versions.
fn families(matches: Vec<Match>) -> Vec<Match> {
    let mut seen: HashMap<Match, [bool; 3]> = HashMap::new();
    let plain = |one: &Match| Match { family: None, ..one.clone() };
    let slot = |one: &Match| match one.family {
        Some(Family::Ipv4) => 0,
        Some(Family::Ipv6) => 1,
        None => 2,
    };
    for one in &matches {
        if let Some(flag) = seen.entry(plain(one)).or_default().get_mut(slot(one)) {
            *flag = true;
        }
    }
    let mut out = Vec::new();
    for one in matches {
        let all = plain(&one);
        match seen.get_mut(&all) {
            Some([true, true, _] | [_, _, true]) => {
                seen.insert(all.clone(), [false; 3]);
                out.push(all);
            }
            // the first of the joined matches stands for all
            Some([false, false, false]) | None => {}
            Some(_) => out.push(one),
        }
    }
    out
}

/// Joins a match of a port at one end with that at the other end.
fn either(matches: Vec<Match>) -> Vec<Match> {
    let turned = |one: &Match| Match {
        local_port: one.remote_port.clone(),
        remote_port: one.local_port.clone(),
        ..one.clone()
    };
    let one_end = |one: &Match| one.local_port.is_empty() != one.remote_port.is_empty();
    let known: HashMap<Match, usize> = matches.iter().cloned().zip(0..).collect();
    let mut out = Vec::new();
    for (number, one) in matches.into_iter().enumerate() {
        let other = if one_end(&one) { known.get(&turned(&one)).copied() } else { None };
        match other {
            Some(first) if first < number => {}
            Some(_) => {
                let port = [one.local_port.clone(), one.remote_port.clone()].concat();
                out.push(Match { port, local_port: Vec::new(), remote_port: Vec::new(), ..one });
            }
            None => out.push(one),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Match, gathered};
    use crate::terms::Direction;
    use crate::units::{Family, PortRange, Protocol};

    #[test]
    fn filters_of_one_declaration_become_one_match() {
        let mut matches = Vec::new();
        for direction in Direction::BOTH {
            for family in [Family::Ipv4, Family::Ipv6] {
                for protocol in [Protocol::TCP, Protocol::UDP] {
                    for (first, last) in [(10, 11), (12, 15), (80, 80)] {
                        for local in [true, false] {
                            let ports = vec![PortRange { first, last }];
                            let mut one = Match {
                                protocol: vec![protocol],
                                family: Some(family),
                                direction: Some(direction),
                                ..Match::default()
                            };
                            *(if local { &mut one.local_port } else { &mut one.remote_port }) = ports;
                            matches.push(one);
                        }
                    }
                }
            }
        }
        let [one] = <[Match; 1]>::try_from(gathered(matches)).unwrap();
        assert_eq!(one.port, [PortRange { first: 10, last: 15 }, PortRange { first: 80, last: 80 }]);
        assert_eq!(one.protocol, [Protocol::TCP, Protocol::UDP]);
        assert_eq!((one.family, one.direction), (None, None));
    }
}
