#![doc = include_str!("../../../../docs/rules/Q0801.md")]

use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Host, Model, Tunnel};
use crate::units::{Address, Family};
use std::collections::BTreeMap;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut ends = Ends::new();
    for (tunnel, end) in
        model.tunnels.iter().flat_map(|tunnel| tunnel.remote.iter().map(move |end| (tunnel, end)))
    {
        if let Some((first, last)) = range(end.value) {
            ends.entry((end.value.family(), first, last)).or_insert(tunnel);
        }
    }
    sink.extend(model.hosts.iter().filter(|host| host.of.is_none()).filter_map(|host| far_end(&ends, host)));
    let networks = Ranges::of(model.lan.listed().iter().map(|network| network.value));
    // A group is no address of the LAN, but the host can be a member of it.
    let is_outside = |address: Address| !address.is_group() && networks.are_outside(address);
    let outside = model.hosts.iter().filter(|host| host.of.is_none()).filter_map(|host| {
        let address = host.addresses.iter().find(|address| is_outside(address.value))?;
        Some((host.name.as_str(), address.value, address.given_at()?))
    });
    each_or_all(&outside.collect::<Vec<_>>(), sink, finding);
}

/// Tunnels by the family, the first and the last address of a remote end.
type Ends<'a> = BTreeMap<(Family, u128, u128), &'a Tunnel>;

/// Returns the finding on a host that is the remote end of a tunnel.
fn far_end(ends: &Ends<'_>, host: &Host) -> Option<Diagnostic> {
    let tunnel = host.addresses.iter().find_map(|address| {
        let ((first, last), family) = (range(address.value)?, address.value.family());
        let inside = ends.range((family, first, 0)..=(family, last, last));
        inside.filter(|((_, _, end), _)| *end <= last).map(|(_, tunnel)| *tunnel).next()
    })?;
    let message = format!("host {} is the remote end of tunnel {}", ticked(&host.name), ticked(&tunnel.name));
    Some(
        Diagnostic::new(Code::HostOutsideLan, host.addresses.first()?.given_at()?, message)
            .label("a host is the house's end of a connection, so no packet matches this one")
            .help(format!(
                "write `match: {{ tunnel: {} }}` in a class, or its address in `remote`",
                tunnel.name
            )),
    )
}

/// Networks of the house. Ranges do not overlap.
#[derive(Default)]
pub(super) struct Ranges {
    /// Last address of each range by its family and first address.
    last: BTreeMap<(Family, u128), u128>,
    /// True if an interface part is among them, which fits any IPv6 prefix.
    interface: bool,
}

impl Ranges {
    pub(super) fn of(networks: impl Iterator<Item = Address>) -> Self {
        let mut ranges = Ranges::default();
        for network in networks {
            let Some((first, last)) = range(network) else {
                ranges.interface = true;
                continue;
            };
            // Two prefixes overlap only if one contains the other. The larger one of equal first addresses stays.
            let end = ranges.last.entry((network.family(), first)).or_insert(last);
            *end = last.max(*end);
        }
        let mut covered = None;
        ranges.last.retain(|(family, first), last| {
            let inside = covered.is_some_and(|covered| (*family, *first) <= covered);
            covered = covered.max(Some((*family, *last)));
            !inside
        });
        ranges
    }

    /// Returns the last address of the range that begins at this address or before it.
    fn before(&self, family: Family, address: u128) -> Option<u128> {
        self.last.range((family, 0)..=(family, address)).next_back().map(|(_, last)| *last)
    }

    /// True if a network contains all of this one.
    pub(super) fn contain(&self, address: Address) -> bool {
        let end = |(first, last)| self.before(address.family(), first).is_some_and(|end| last <= end);
        range(address).is_some_and(end)
    }

    /// True if there are networks of this family, and none of them has any address in common with this one.
    pub(super) fn are_outside(&self, address: Address) -> bool {
        let Some((first, last)) = range(address) else { return false };
        let family = address.family();
        let known = self.before(family, u128::MAX).is_some() && !(self.interface && family == Family::Ipv6);
        known && self.before(family, last).is_none_or(|end| end < first)
    }
}

/// Returns the first and the last address of a prefix; `None` for an interface part.
fn range(address: Address) -> Option<(u128, u128)> {
    match address {
        Address::V4(net) => Some((net.network().to_bits().into(), net.broadcast().to_bits().into())),
        Address::V6(net) => Some((net.network().to_bits(), net.broadcast().to_bits())),
        Address::V6Interface { .. } => None,
    }
}

/// True if two networks of one family have no address in common; false for interface parts, which fit any prefix.
pub(super) fn are_apart(one: Address, other: Address) -> bool {
    one.family() == other.family()
        && range(one).zip(range(other)).is_some_and(|(one, other)| one.1 < other.0 || other.1 < one.0)
}

fn finding(found: &[(&str, Address, Span)]) -> Option<Diagnostic> {
    let (_, address, place) = found.first()?;
    let hosts: Vec<&str> = found.iter().map(|(host, ..)| *host).collect();
    let (message, label) = match hosts.as_slice() {
        [host] => {
            let (address, host) = (ticked(&address.to_string()), ticked(host));
            let message = format!("{address} of host {host} is in no network of the LAN");
            (message, "not in `networks` of `lan`".to_owned())
        }
        hosts => (format!("{} hosts have addresses in no network of the LAN", hosts.len()), some_of(hosts)),
    };
    Some(
        Diagnostic::new(Code::HostOutsideLan, *place, message)
            .label(label)
            .help("correct the address, or add its network to `networks`; `networks: auto` uses the networks of the LAN devices"),
    )
}
