#![doc = include_str!("../rules/Q0416.md")]

use super::host_outside_lan::are_apart;
use super::{EACH, Rule, each_or_all};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{FileSection, Model, Networks};
use crate::units::Address;

pub(super) const RULE: Rule = Rule {
    name: "shared-limit",
    codes: &[Code::SharedLimit],
    sections: &[FileSection::Lan, FileSection::Hosts, FileSection::Police],
    run: Some(run),
};

/// A limit: its words and place, and the number of addresses that share it.
type Limit = (String, Span, u64);

fn run(model: &Model, sink: &mut Sink) {
    let of_host = |index: &usize| {
        model
            .hosts
            .get(*index)
            .map_or(0, |host| host.addresses.iter().map(|address| devices(model, address.value)).sum())
    };
    let hosts = model.hosts.iter().enumerate();
    let hosts = hosts.filter(|(_, host)| host.ceiling.up.is_some() || host.ceiling.down.is_some());
    let hosts = hosts.map(|(index, host)| {
        (format!("the ceiling of host {}", ticked(&host.name)), host.span, of_host(&index))
    });
    let police = model.police.iter().map(|police| {
        let number = police.matches.iter().map(|alternative| {
            let local = alternative.local.iter().map(|address| devices(model, *address));
            local.chain(alternative.hosts.iter().map(of_host)).sum::<u64>()
        });
        (format!("the rate of policer {}", ticked(&police.name)), police.span, number.sum())
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
            .help("if each device should have a limit of its own, write one host for each address")
            .help("if they should share the limit, add `# qosc: allow(Q0416)`"),
    )
}

/// Returns the number of addresses for devices in a private IPv4 prefix of the LAN; 0 for a single address.
///
/// An IPv6 prefix says nothing about the number of devices: one device has a /64 for its temporary addresses. A prefix
/// of public addresses belongs to one customer.
fn devices(model: &Model, address: Address) -> u64 {
    let Address::V4(net) = address else { return 0 };
    let [first, second, ..] = net.network().octets();
    let private = net.network().is_private() || (first == 100 && second & 0xc0 == 64);
    let in_lan = match &model.lan.networks {
        Networks::List(list) => list.iter().any(|network| !are_apart(network.value, address)),
        Networks::Auto => true,
    };
    match 1u64 << (32 - net.prefix_len()) {
        2.. if !(private && in_lan) => 0,
        1 => 0,
        2 => 2,
        // the first and the last address of a network are not for devices
        all => all - 2,
    }
}

#[cfg(test)]
#[path = "shared_limit_tests.rs"]
mod tests;
