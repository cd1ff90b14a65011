//! `hosts.*.each`: every address of a prefix as a host of its own.

use super::ids;
use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked};
use crate::syntax::raw::{RawEach, RawHost};
use crate::units::Address;
use ipnet::Ipv4Net;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// Shortest prefix: 1,022 devices in each direction, of 12,000 classes that a link may have.
const SHORTEST: u8 = 22;

/// Returns the hosts of a file, with one for each address of a prefix with `each` after that of the prefix. An address
/// that another host has alone is no device of the prefix.
pub(super) fn expanded(hosts: &[RawHost], sink: &mut Sink) -> Vec<RawHost> {
    let names = hosts.iter().map(|host| host.name.value.clone());
    let addresses = hosts.iter().flat_map(|host| &host.address).map(|address| address.value.to_string());
    let others: BTreeSet<String> = names.chain(addresses).collect();
    let mut nets = Nets::new();
    let mut all: Vec<RawHost> = Vec::with_capacity(hosts.len());
    for host in hosts {
        let whole = all.len();
        all.push(host.clone());
        let Some(each) = &host.each else { continue };
        refuse(host, each, sink);
        for address in &host.address {
            let Some(net) = net(address, &mut nets, sink) else { continue };
            // More devices than this are an error of the classes.
            let most = (ids::MOST + 1 + hosts.len()).saturating_sub(all.len());
            let devices = net.hosts().take(most).count();
            if !sink.charge(devices, budget::OBJECT) || !sink.charge(devices, budget::HOST_CLASS) {
                return all;
            }
            let own = net.hosts().take(most).map(|device| (device, device.to_string()));
            all.extend(own.filter(|(_, name)| !others.contains(name)).map(|(device, name)| RawHost {
                name: Spanned::new(name, host.name.span),
                address: vec![Spanned::new(Address::V4(Ipv4Net::from(device)), each.key)],
                mac: Vec::new(),
                guarantee: each.guarantee,
                ceiling: each.ceiling,
                each: None,
                of: Some(whole),
                ..host.clone()
            }));
        }
    }
    all
}

/// Prefixes with `each`, which do not overlap: the last address and the place of each, by its first address.
type Nets = BTreeMap<Ipv4Addr, (Ipv4Addr, Span)>;

/// Returns the prefix whose addresses get a class each, and adds it to the others. IPv6 packets of all devices share
/// what is left.
fn net(address: &Spanned<Address>, nets: &mut Nets, sink: &mut Sink) -> Option<Ipv4Net> {
    let Address::V4(net) = address.value else { return None };
    let refused =
        |message: &str, help: &str| Diagnostic::new(Code::BadEach, address.span, message).help(help);
    let before = nets.range(..=net.broadcast()).next_back().map(|(_, before)| *before);
    let finding = match (net.prefix_len(), before.filter(|(last, _)| *last >= net.network())) {
        (32, _) | (0..SHORTEST, _) => refused(
            "`each` needs a prefix from /22 to /31",
            "write a prefix such as `192.168.9.0/24`; with `share: per-host`, any number of devices gets equal shares",
        ),
        (_, Some((_, other))) => {
            refused("two prefixes with `each` overlap", "write each address in one of them only")
                .also(other, "the other prefix")
        }
        (_, None) => {
            nets.insert(net.network(), (net.broadcast(), address.span));
            return Some(net);
        }
    };
    sink.push(finding);
    None
}

/// Reports `each` without a prefix, and rates of the prefix itself: its devices have them.
fn refuse(host: &RawHost, each: &RawEach, sink: &mut Sink) {
    let has_v4 = host.address.iter().any(|address| matches!(address.value, Address::V4(_)));
    if !has_v4 && host.address.len() + host.mac.len() > 0 {
        let message = format!("`each` of host {} has no IPv4 prefix", ticked(&host.name.value));
        sink.push(Diagnostic::new(Code::BadEach, each.key, message).help(
            "write a prefix such as `address: 192.168.9.0/24`: a device chooses its IPv6 addresses at random",
        ));
    }
    for (key, rate) in [("guarantee", &host.guarantee), ("ceiling", &host.ceiling)] {
        let Some(given) = rate.up.or(rate.down) else { continue };
        let message = format!("`{key}` cannot stand beside `each`");
        let help = format!("write `{key}` in a class for all of them, which matches this host");
        sink.push(Diagnostic::new(Code::BadEach, given.span, message).help(help));
    }
}
