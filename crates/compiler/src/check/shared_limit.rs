#![doc = include_str!("../../../../docs/rules/Q0416.md")]

use super::{EACH, each_or_all};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Model, Networks};
use crate::units::Address;
use ipnet::Ipv4Net;

/// A limit: its words and place, and the number of addresses that share it.
type Limit = (String, Span, u64);

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let of_host = |index: &usize| {
        let addresses = model.hosts.get(*index).map(|host| &host.addresses).into_iter().flatten();
        addresses.flat_map(|address| prefixes(model, address.value)).collect::<Vec<_>>()
    };
    let hosts = model.hosts.iter().enumerate().filter(|(_, host)| !host.each);
    let hosts = hosts.filter(|(_, host)| host.ceiling.up.is_some() || host.ceiling.down.is_some());
    let hosts = hosts.map(|(index, host)| {
        (format!("the ceiling of host {}", ticked(&host.name)), host.span, devices(&of_host(&index)))
    });
    let police = model.police.iter().map(|police| {
        let nets = police.matches.iter().flat_map(|alternative| {
            let local = alternative.local.iter().flat_map(|address| prefixes(model, *address));
            local.chain(alternative.hosts.iter().flat_map(of_host))
        });
        let number = devices(&nets.collect::<Vec<_>>());
        (format!("the rate of policer {}", ticked(&police.name)), police.span, number)
    });
    let found: Vec<Limit> = hosts.chain(police).filter(|(_, _, number)| *number > 0).collect();
    each_or_all(&found, sink, finding);
}

fn finding(found: &[Limit]) -> Option<Diagnostic> {
    let ((limit, place, number), others) = found.split_first()?;
    Some(
        Diagnostic::new(Code::SharedLimit, *place, format!("{number} addresses share {limit}"))
            .label("this is one limit for all of them together")
            .also_at(others.iter().take(EACH).map(|(_, place, _)| (*place, "this one, too")))
            .help("if each device should have a limit of its own, write `each: { ceiling: 4mbit }` in a host with the prefix")
            .help("if they should share the limit, add `# qosc: allow(Q0416)`"),
    )
}

/// Returns the part of a private IPv4 prefix that is in the LAN; nothing for a single address.
///
/// An IPv6 prefix says nothing about the number of devices: one device has a /64 for its temporary addresses. A prefix
/// of public addresses belongs to one customer.
fn prefixes(model: &Model, address: Address) -> Vec<Ipv4Net> {
    let Address::V4(net) = address else { return Vec::new() };
    let [first, second, ..] = net.network().octets();
    let private = net.network().is_private() || (first == 100 && second & 0xc0 == 64);
    if !private || net.prefix_len() == 32 {
        return Vec::new();
    }
    let in_lan = match &model.lan.networks {
        Networks::Auto => vec![address],
        Networks::List(list) => list.iter().filter_map(|own| own.value.common(address)).collect(),
    };
    let nets = in_lan.into_iter().filter_map(|own| match own {
        Address::V4(net) => Some(net),
        _ => None,
    });
    nets.collect()
}

/// Returns the number of addresses for devices in some prefixes together. The first and the last address of a network
/// are not for devices.
fn devices(nets: &[Ipv4Net]) -> u64 {
    let addresses = |net: &Ipv4Net| match 1u64 << (32 - net.prefix_len()) {
        1 => 0,
        2 => 2,
        all => all - 2,
    };
    Ipv4Net::aggregate(&nets.to_vec()).iter().map(addresses).sum()
}

#[cfg(test)]
#[path = "shared_limit_tests.rs"]
mod tests;
