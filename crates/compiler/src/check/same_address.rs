#![doc = include_str!("../../../../docs/rules/Q0802.md")]

use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::Model;
use crate::units::Address;
use std::collections::BTreeMap;

/// An address that another host has, too: the address, its host and place, and the first host and its place.
type Twice<'a> = (Address, &'a str, Span, (&'a str, Span));

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut owners: BTreeMap<Address, (&str, Span)> = BTreeMap::new();
    let mut found: Vec<Twice<'_>> = Vec::new();
    for host in &model.hosts {
        let name = host.name.as_str();
        let mut twice = host.addresses.iter().filter_map(|address| {
            let place = address.given_at()?;
            let first = *owners.entry(address.value).or_insert((name, place));
            (first.0 != name).then_some((address.value, name, place, first))
        });
        found.extend(twice.next());
        // the other addresses belong to the host, too
        twice.for_each(drop);
    }
    each_or_all(&found, sink, finding);
}

fn finding(found: &[Twice<'_>]) -> Option<Diagnostic> {
    let (address, _, place, (first, span)) = found.first()?;
    let hosts: Vec<&str> = found.iter().map(|(_, host, ..)| *host).collect();
    let (address, first) = (ticked(&address.to_string()), ticked(first));
    let (message, label) = match hosts.as_slice() {
        [host] => (
            format!("hosts {first} and {} have the same address", ticked(host)),
            format!("{address} stands for both hosts in matches and rates"),
        ),
        hosts => (format!("{} hosts have the address of another host", hosts.len()), some_of(hosts)),
    };
    Some(
        Diagnostic::new(Code::SameAddress, *place, message)
            .label(label)
            .also(*span, format!("the address of host {first}"))
            .help("give each host its own address; an address inside the prefix of another host is allowed, such as `192.168.1.5` in `192.168.1.0/24`"),
    )
}
