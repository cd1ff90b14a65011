//! Random hosts for random configurations. Some have a promise, and some are part of another host's network.

use super::Random;
use std::fmt::Write as _;

/// The largest number of hosts.
pub const CROWD: usize = 5;
/// The number of seeds of a host: for its presence and addresses, and for its promise.
pub const PARTS: usize = 2;
/// The host of the watched streams.
pub const WATCHED: &str = "desk";

/// The hosts that exist, each with its seeds.
pub struct Crowd {
    there: Vec<Option<(Random, Random)>>,
}

impl Crowd {
    /// Draws the hosts from their seeds.
    pub fn new(mut seeds: impl FnMut(usize) -> (Random, Random)) -> Self {
        let there = (0..CROWD).map(|host| {
            let (mut own, promise) = seeds(host);
            own.chance(70).then_some((own, promise))
        });
        Crowd { there: there.collect() }
    }

    /// The hosts as YAML. `homes` are the leaf classes in which a host can have a class of its own. With `anywhere`, a
    /// host that names no class can have one too. `watched` is the promise to the watched host.
    pub fn yaml(&self, homes: &[String], anywhere: bool, watched: &str, out: &mut String) {
        let _ = write!(out, "hosts:\n  {WATCHED}: {{ address: 192.168.1.10{watched} }}\n");
        for (host, (own, promise)) in
            self.there.iter().enumerate().filter_map(|(n, own)| Some((n, own.as_ref()?)))
        {
            let (mut own, mut promise) = (own.clone(), promise.clone());
            let mut words = vec![format!("address: {}", addresses(host, &mut own))];
            let home = match homes {
                [] => None,
                homes => Some(&homes[usize::try_from(promise.next()).unwrap_or(0) % homes.len()]),
            };
            let named = home.filter(|_| promise.chance(60));
            words.extend(named.map(|home| format!("class: {home}")));
            if named.is_some() || anywhere {
                if promise.chance(50) {
                    words.push(format!("guarantee: {}", both(&mut promise, 5, 20)));
                }
                if promise.chance(40) {
                    words.push(format!("ceiling: {}", both(&mut promise, 40, 100)));
                }
            }
            let _ = writeln!(out, "  host-{host}: {{ {} }}", words.join(", "));
        }
    }

    /// One or two of the existing hosts, in the form of a match; `None` if there are no hosts.
    pub fn some(&self, random: &mut Random) -> Option<String> {
        let there: Vec<usize> = (0..CROWD).filter(|host| self.there[*host].is_some()).collect();
        let one = *there.get(usize::try_from(random.next()).unwrap_or(0) % there.len().max(1))?;
        let other = random.pick(&there);
        Some(if one == other { format!("host-{one}") } else { format!("[host-{one}, host-{other}]") })
    }
}

/// Percentages for both directions, or for one.
fn both(random: &mut Random, least: u64, most: u64) -> String {
    let (up, down) = (random.within(least, most), random.within(least, most));
    match random.within(0, 4) {
        0 => format!("{{ up: {up}% }}"),
        1 => format!("{{ down: {down}% }}"),
        _ => format!("{{ up: {up}%, down: {down}% }}"),
    }
}

/// The addresses of a host, never the watched host's. The last host is a network, which may contain others.
fn addresses(host: usize, random: &mut Random) -> String {
    let first = 32 + 32 * host as u64;
    let own = first + random.within(1, 14);
    if host == CROWD - 1 {
        return format!("192.168.1.{}", random.pick(&["128/25", "160/27", "64/26"]));
    }
    match random.within(0, 5) {
        0 => format!("192.168.1.{first}/28"),
        1 => format!("[192.168.1.{own}, \"2001:db8:1::{own}\"]"),
        2 => format!("[192.168.1.{own}, \"::{own}/-64\"]"),
        3 => format!("[192.168.1.{own}, 192.168.1.{}]", own + 1),
        4 => format!("\"2001:db8:1:{own}::/64\""),
        _ => format!("192.168.1.{own}"),
    }
}
