//! Joins matches of single filters, so that a class has few matches with lists.

use crate::config::{Match, joined, without};
use indexmap::{IndexMap, IndexSet};
use qosc_compiler::units::{Family, PortRange, PortSet};
use std::hash::Hash;

/// Returns fewer matches that hold for the same packets.
pub(super) fn gathered(matches: Vec<Match>) -> Vec<Match> {
    let mut all = matches;
    all = by(all, |one| &mut one.remote_port, ports);
    all = by(all, |one| &mut one.local_port, ports);
    all = by(all, |one| &mut one.protocol, once);
    all = without(all, |one| &mut one.family, [Family::Ipv4, Family::Ipv6]);
    all = by(all, |one| &mut one.length, once);
    all = by(all, |one| &mut one.ecn, once);
    all = by(all, |one| &mut one.dscp, once);
    all = by(all, |one| &mut one.mark, once);
    all = by(all, |one| &mut one.remote, once);
    all = by(all, |one| &mut one.local, once);
    joined(all)
}

/// Joins matches that differ only in one list.
fn by<T: Clone>(
    matches: Vec<Match>,
    list: fn(&mut Match) -> &mut Vec<T>,
    tidy: fn(Vec<T>) -> Vec<T>,
) -> Vec<Match> {
    let mut groups: IndexMap<Match, (Vec<T>, bool)> = IndexMap::new();
    for mut one in matches {
        let values = std::mem::take(list(&mut one));
        let (all, whole) = groups.entry(one).or_default();
        // an empty list matches everything
        *whole |= values.is_empty();
        all.extend(values);
    }
    let filled = |(mut one, (all, whole)): (Match, (Vec<T>, bool))| {
        if !whole {
            *list(&mut one) = tidy(all);
        }
        one
    };
    groups.into_iter().map(filled).collect()
}

/// Returns each value once, in the order of the filters.
fn once<T: Hash + Eq>(values: Vec<T>) -> Vec<T> {
    values.into_iter().collect::<IndexSet<T>>().into_iter().collect()
}

/// Joins adjacent ranges of ports.
fn ports(values: Vec<PortRange>) -> Vec<PortRange> {
    PortSet::from_iter(values).ranges().to_vec()
}

#[cfg(test)]
mod tests {
    use super::{Match, gathered};
    use qosc_compiler::terms::Direction;
    use qosc_compiler::units::{Family, PortRange, Protocol};

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
        let [local, remote] = <[Match; 2]>::try_from(gathered(matches)).unwrap();
        let ports = [PortRange { first: 10, last: 15 }, PortRange { first: 80, last: 80 }];
        assert_eq!((&*local.local_port, &*remote.remote_port), (&ports[..], &ports[..]));
        for one in [local, remote] {
            assert_eq!(one.protocol, [Protocol::TCP, Protocol::UDP]);
            assert_eq!((one.family, one.direction), (None, None));
        }
    }
}
