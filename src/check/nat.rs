//! Hosts that NAT hides: on the WAN device their IPv4 addresses are not to be seen.

use super::{Rule, alternatives};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Alternative, Model};
use crate::units::{Address, Family, Protocol};

pub(super) const RULE: Rule = Rule { name: "nat", codes: &[Code::NotBuiltYet], run };

fn run(model: &Model, sink: &mut Sink) {
    if !model.lan.nat.value {
        return;
    }
    for (_, alternative) in alternatives(model).into_iter().filter(|(_, a)| may_be_ipv4(a)) {
        let hosts = alternative.hosts.iter().filter_map(|host| model.hosts.get(*host));
        let of_hosts = hosts.flat_map(|host| host.addresses.iter().map(|address| &address.value));
        let Some(hidden) = of_hosts.chain(&alternative.local).find(|a| a.family() == Family::Ipv4) else {
            continue;
        };
        let message = "IPv4 hosts behind NAT cannot be told apart yet";
        let mut finding = Diagnostic::new(Code::NotBuiltYet, alternative.span, message)
            .label(format!("on the WAN device, {} has the router's address", ticked(&hidden.to_string())));
        if let Some(nat) = model.lan.nat.span() {
            finding = finding.also(nat, "NAT, as said here");
        }
        sink.push(
            finding
                .help("match by port, protocol or `dscp`, or with `family: ipv6` by the IPv6 addresses")
                .help("where the router does not translate addresses, write `nat: false` in `lan`"),
        );
    }
}

/// Whether an IPv4 packet can meet the other keys.
fn may_be_ipv4(alternative: &Alternative) -> bool {
    alternative.family != Some(Family::Ipv6)
        && (alternative.protocol.is_empty() || alternative.protocol.iter().any(|p| *p != Protocol::ICMPV6))
        && (alternative.remote.is_empty() || alternative.remote.iter().any(|a| matches!(a, Address::V4(_))))
}
