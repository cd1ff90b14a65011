#![doc = include_str!("../rules/Q0801.md")]

use super::{Rule, each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{FileSection, Model, Networks};
use crate::units::Address;

pub(super) const RULE: Rule = Rule {
    name: "host-outside-lan",
    codes: &[Code::HostOutsideLan],
    sections: &[FileSection::Lan, FileSection::Hosts],
    run: Some(run),
};

/// An address outside all networks of the house.
struct Outside<'a> {
    host: &'a str,
    address: Address,
    place: Span,
}

fn run(model: &Model, sink: &mut Sink) {
    let Networks::List(networks) = &model.lan.networks else { return };
    let networks: Vec<Address> = networks.iter().map(|network| network.value).collect();
    let mut found = Vec::new();
    for host in &model.hosts {
        let outside = host.addresses.iter().find(|address| is_outside(address.value, &networks));
        if let Some((address, place)) = outside.and_then(|own| Some((own.value, own.given_at()?))) {
            found.push(Outside { host: &host.name, address, place });
        }
    }
    each_or_all(&found, sink, finding);
}

/// True if the file gives networks of this family, and none of them has any address in common with this one.
fn is_outside(address: Address, networks: &[Address]) -> bool {
    let mut family = networks.iter().filter(|network| network.family() == address.family()).peekable();
    family.peek().is_some() && family.all(|network| are_apart(address, *network))
}

/// True if two networks of one family have no address in common; false for interface parts.
pub(super) fn are_apart(one: Address, other: Address) -> bool {
    match (one, other) {
        (Address::V4(one), Address::V4(other)) => !one.contains(&other) && !other.contains(&one),
        (Address::V6(one), Address::V6(other)) => !one.contains(&other) && !other.contains(&one),
        // an interface part fits any prefix
        _ => false,
    }
}

fn finding(found: &[Outside<'_>]) -> Option<Diagnostic> {
    let first = found.first()?;
    let hosts: Vec<&str> = found.iter().map(|outside| outside.host).collect();
    let message = match hosts.as_slice() {
        [host] => format!(
            "{} of host {} is in no network of the LAN",
            ticked(&first.address.to_string()),
            ticked(host)
        ),
        hosts => format!("{} hosts have addresses in no network of the LAN", hosts.len()),
    };
    let label = if hosts.len() > 1 { some_of(&hosts) } else { "not in `networks` of `lan`".to_owned() };
    Some(
        Diagnostic::new(Code::HostOutsideLan, first.place, message)
            .label(label)
            .help("correct the address, or add its network to `networks`; `networks: auto` uses the networks of the LAN devices"),
    )
}
