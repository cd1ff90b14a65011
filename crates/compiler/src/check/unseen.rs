#![doc = include_str!("../../../../docs/rules/Q0520.md")]
#![doc = include_str!("../../../../docs/rules/Q0521.md")]
#![doc = include_str!("../../../../docs/rules/Q0522.md")]

use super::host_outside_lan::Ranges;
use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::journey::{Known, Place, View, is_hidden};
use crate::model::{Alternative, Direction, Host, Inner, Model, Share, Tunnel};
use crate::units::{Address, Family};
use std::collections::BTreeSet;

/// An address that the line never shows, the name of its host unless a match names it, and the place.
type Unseen<'a> = (Address, Option<&'a str>, Span);

pub(super) fn find(model: &Model, sink: &mut Sink) {
    each_or_all(&addresses(model), sink, unseen_address(model));
    sink.extend(router(model));
    each_or_all(&in_matches(model), sink, |found| found.first().cloned());
    each_or_all(&limits(model), sink, unseen_family);
    sink.extend(unseen_hosts(model));
}

/// Returns the addresses that only the house has, although no NAT of their family is declared, and the interface parts
/// behind NAT: each with its host or match.
fn addresses(model: &Model) -> Vec<Unseen<'_>> {
    if model.tunnels.iter().any(is_entered) || !model.lan.shaped.value {
        return Vec::new();
    }
    let is_unseen = |address: Address| {
        let view = View::at(Place::Line, model, address.family(), Direction::Up);
        let is_shown = view.of(address) == Known::Shown;
        if is_shown { is_local(address) } else { matches!(address, Address::V6Interface { .. }) }
    };
    let alternatives = model.alternatives();
    let of_hosts = by_address(model).filter_map(|host| {
        let of_ipv6 = || host.addresses.iter().filter(|own| own.value.family() == Family::Ipv6);
        let first = of_ipv6().next().filter(|_| of_ipv6().all(|own| is_unseen(own.value)))?;
        Some((first.value, Some(host.name.as_str()), first.given_at()?))
    });
    let of_matches = alternatives.iter().filter(|(_, own)| own.devices.is_empty()).filter_map(|(_, own)| {
        let first = own.local.iter().find(|address| is_unseen(**address))?;
        Some((*first, None, own.span))
    });
    of_hosts.chain(of_matches).collect()
}

/// Returns the hosts that something uses, and that only their addresses identify.
fn by_address(model: &Model) -> impl Iterator<Item = &Host> {
    let alternatives = model.alternatives();
    let matched: BTreeSet<usize> =
        alternatives.iter().flat_map(|(_, own)| own.hosts.iter().copied()).collect();
    let hosts = model.hosts.iter().enumerate().filter(move |(index, host)| {
        let used = matched.contains(index) || host.is_promised() || host.home.is_given();
        used && host.of.is_none() && host.mac.is_empty() && !host.is_router
    });
    hosts.map(|(_, host)| host)
}

/// Reports a host behind NAT with the first address of a network, which is usually the router's own.
fn router(model: &Model) -> Option<Diagnostic> {
    let is_first = |own: Address| match own {
        Address::V4(net) if net.prefix_len() == 32 && is_hidden(model, own) => {
            model.lan.listed().iter().any(|network| {
                let first =
                    |lan: ipnet::Ipv4Net| lan.prefix_len() < 31 && lan.hosts().next() == Some(net.network());
                matches!(network.value, Address::V4(lan) if first(lan))
            })
        }
        _ => false,
    };
    let (host, own) = by_address(model)
        .find_map(|host| Some((host, host.addresses.iter().find(|own| is_first(own.value))?)))?;
    let (address, host) = (ticked(&own.value.to_string()), ticked(&host.name));
    let message = format!("the address {address} of host {host} is usually the router's own");
    Some(
        Diagnostic::new(Code::UnseenAddress, own.given_at()?, message)
            .label("on the line, what the router itself sends has the address of the WAN device")
            .help("if it is the router, write `self: true` instead of the address")
            .help("if it is another machine, add `# qosc: allow(Q0520)`"),
    )
}

/// Returns a finding on each match that asks for the router by an address that no mark stands for, because a host does,
/// or inside a tunnel for a host by its MAC address.
fn in_matches(model: &Model) -> Vec<Diagnostic> {
    let lan = Ranges::of(model.lan.listed().iter().map(|network| network.value));
    let is_router =
        |own: &&Address| model.lan.translates(own.family()) && !own.is_group() && lan.are_outside(**own);
    let mac = |tunnel: &Tunnel| {
        let view = View::at(Place::Inside { nat: tunnel.nat.value }, model, Family::Ipv4, Direction::Up);
        match view.mac {
            Known::Not(why) if is_entered(tunnel) => Some((ticked(&tunnel.name), why)),
            _ => None,
        }
    };
    let one = |own: &Alternative| {
        let new = |message| Diagnostic::new(Code::UnseenAddress, own.span, message);
        let mut hosts = own.hosts.iter().filter_map(|index| model.hosts.get(*index));
        let mut tunnels = own.tunnels.iter().filter_map(|index| model.tunnels.get(*index));
        if let Some((tunnel, why)) = tunnels.find_map(mac) {
            let host = ticked(&hosts.find(|host| host.addresses.is_empty() && !host.is_router)?.name);
            let message = format!("no packet in tunnel {tunnel} shows the MAC address of host {host}");
            return Some(new(message).label(why).help("add the `address` of the host"));
        }
        let address =
            own.local.iter().find(is_router).filter(|_| own.tunnels.is_empty() && own.devices.is_empty())?;
        let host = &model.hosts.iter().find(|host| host.is_router)?.name;
        let message =
            format!("matches do not know the router by its address {}", ticked(&address.to_string()));
        Some(
            new(message)
                .label("no network of `lan` has it, and a host with `self: true` stands for the router")
                .help(format!("write `host: {host}` instead")),
        )
    };
    model.alternatives().into_iter().filter_map(|(_, own)| one(own)).collect()
}

/// True if matches read the packets inside a tunnel.
fn is_entered(tunnel: &Tunnel) -> bool {
    tunnel.inner.value == Inner::Match || tunnel.decrypted().is_some()
}

/// True for unique local addresses, which no provider routes (RFC 4193).
fn is_local(address: Address) -> bool {
    matches!(address, Address::V6(net) if net.network().is_unique_local() && net.prefix_len() >= 7)
}

fn unseen_address(model: &Model) -> impl Fn(&[Unseen<'_>]) -> Option<Diagnostic> {
    let nat = format!("nat: {{ ipv4: {}, ipv6: true }}", model.lan.nat.value);
    let translated = model.lan.nat_ipv6.value;
    move |found| {
        let (address, host, place) = *found.first()?;
        let named: Vec<&str> = found.iter().filter_map(|(_, host, _)| *host).collect();
        let of = match (named.as_slice(), host) {
            ([_, _, ..], _) => format!(" of hosts {}", some_of(&named)),
            (_, Some(host)) => format!(" of host {}", ticked(host)),
            (_, None) => String::new(),
        };
        let message =
            format!("the line shows no packet with the address {}{of}", ticked(&address.to_string()));
        let finding = Diagnostic::new(Code::UnseenAddress, place, message);
        Some(match translated {
            true => finding
                .label("NAT of IPv6 replaces the address, and no mark can stand for an interface part")
                .help("add the `mac` of the host, or write its whole address"),
            false => finding
                .label("a unique local address stays in the house: no provider routes it")
                .help(format!("if the router translates IPv6 addresses, write `{nat}` in `lan`"))
                .help("otherwise write the global address of the host, or its `mac`"),
        })
    }
}

/// A limit on hosts: its name, the family that it covers, and the place of the first of its hosts.
type Limit = (String, Family, Span);

/// Returns the limits that hold for one family of their hosts only, although the house has both.
fn limits(model: &Model) -> Vec<Limit> {
    let known = model.lan.listed().iter().chain(model.hosts.iter().flat_map(|host| &host.addresses));
    let known: BTreeSet<Family> =
        known.map(|own| own.value).filter(|own| !own.is_group()).map(Address::family).collect();
    if known.len() < 2 {
        return Vec::new();
    }
    let hosts = model.hosts.iter().filter(|host| host.of.is_none());
    let hosts = hosts.filter(|host| host.each || host.ceiling.up.is_some() || host.ceiling.down.is_some());
    let of_hosts = hosts.filter_map(|host| {
        Some((
            format!("the ceiling of host {}", ticked(&host.name)),
            of_host(host)?,
            host.addresses.first()?.given_at()?,
        ))
    });
    let of_matches = |what: String, all: &[Alternative]| {
        let families: Option<BTreeSet<Family>> = all.iter().map(|own| of_match(model, own)).collect();
        let families: Vec<Family> = families?.into_iter().collect();
        match families.as_slice() {
            [one] => Some((what, *one, all.first()?.span)),
            _ => None,
        }
    };
    let police = model.police.iter().filter_map(|police| {
        of_matches(format!("the rate of policer {}", ticked(&police.name)), &police.matches)
    });
    let classes = model.classes().into_iter().filter_map(|class| {
        let limited = class.asked.ceiling.up.is_some() || class.asked.ceiling.down.is_some();
        of_matches(
            format!("the ceiling of class {}", ticked(&class.name)),
            class.matches.as_ref().filter(|_| limited)?,
        )
    });
    of_hosts.chain(police).chain(classes).collect()
}

/// Returns the family of all addresses of a host that nothing else identifies.
fn of_host(host: &Host) -> Option<Family> {
    let known = host.mac.is_empty() && !host.is_router;
    only(host.addresses.iter().map(|own| own.value)).filter(|_| known)
}

/// Returns the family of the hosts of an alternative, if nothing else in it asks for a family.
fn of_match(model: &Model, own: &Alternative) -> Option<Family> {
    let asks =
        own.family.is_some() || !own.remote.is_empty() || !own.tunnels.is_empty() || !own.protocol.is_empty();
    let hosts: Vec<&Host> = own.hosts.iter().filter_map(|index| model.hosts.get(*index)).collect();
    if asks || hosts.iter().any(|host| of_host(host).is_none()) {
        return None;
    }
    let addresses = hosts.iter().flat_map(|host| host.addresses.iter().map(|own| own.value));
    only(addresses.chain(own.local.iter().copied()))
}

/// Returns the family that all of these addresses have; `None` if there are none, or groups among them.
fn only(addresses: impl Iterator<Item = Address>) -> Option<Family> {
    let all: Vec<Address> = addresses.collect();
    let first = all.first()?.family();
    all.iter().all(|own| own.family() == first && own.groups().is_empty()).then_some(first)
}

fn unseen_family(found: &[Limit]) -> Option<Diagnostic> {
    let ((limit, family, place), others) = found.split_first()?;
    let (shown, hidden) = match family {
        Family::Ipv4 => ("IPv4", "IPv6"),
        Family::Ipv6 => ("IPv6", "IPv4"),
    };
    Some(
        Diagnostic::new(
            Code::UnseenFamily,
            *place,
            format!("{limit} does not hold for its {hidden} packets"),
        )
        .label(format!("only {shown} addresses, but the house has {hidden} too"))
        .also_at(others.iter().map(|(_, _, place)| (*place, "this one, too")))
        .help("add the `mac` of the host, which stands for both families, or its other addresses")
        .help(format!("if only {shown} is meant, add `# qosc: allow(Q0521)`")),
    )
}

/// Reports hosts that share equally, although CAKE cannot tell them apart: it looks up connections of IPv4 alone
/// (`cake_update_flowkeys` in the kernel's `net/sched/sch_cake.c`).
fn unseen_hosts(model: &Model) -> Option<Diagnostic> {
    let place = model.lan.nat_ipv6.given_at().filter(|_| model.lan.nat_ipv6.value)?;
    let shares = |direction| {
        model
            .leaves()
            .iter()
            .filter_map(|class| class.leaf())
            .any(|leaf| leaf.share.get(direction).value == Share::PerHost)
    };
    Direction::BOTH.into_iter().any(shares).then(|| {
        Diagnostic::new(Code::UnseenHosts, place, "`share: per-host` takes all IPv6 behind NAT for one host")
            .label("CAKE looks up the hosts of IPv4 connections only")
            .help("IPv4 and each IPv6 flow still have their share; give busy hosts a `ceiling`, which works for both families")
    })
}

#[cfg(test)]
#[path = "unseen_tests.rs"]
mod tests;
