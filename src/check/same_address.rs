#![doc = include_str!("../rules/Q0802.md")]

use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::Model;
use crate::units::Address;
use std::collections::BTreeMap;

/// An address that another host has, too.
struct Twice<'a> {
    address: Address,
    host: &'a str,
    place: Span,
    first: (&'a str, Span),
}

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut owners: BTreeMap<Address, (usize, Span)> = BTreeMap::new();
    let mut found: Vec<Twice<'_>> = Vec::new();
    for (index, host) in model.hosts.iter().enumerate() {
        let mut said = false;
        for address in &host.addresses {
            let Some(place) = address.given_at() else { continue };
            let (owner, span) = *owners.entry(address.value).or_insert((index, place));
            if owner != index && !said {
                said = true;
                let first = (model.hosts.get(owner).map_or("", |host| host.name.as_str()), span);
                found.push(Twice { address: address.value, host: &host.name, place, first });
            }
        }
    }
    each_or_all(&found, sink, finding);
}

fn finding(found: &[Twice<'_>]) -> Option<Diagnostic> {
    let one = found.first()?;
    let (first, span) = one.first;
    let hosts: Vec<&str> = found.iter().map(|twice| twice.host).collect();
    let address = ticked(&one.address.to_string());
    let finding = match hosts.as_slice() {
        [host] => {
            let message = format!("hosts {} and {} have the same address", ticked(first), ticked(host));
            Diagnostic::new(Code::SameAddress, one.place, message)
                .label(format!("{address} stands for both hosts in matches and rates"))
        }
        hosts => {
            let message = format!("{} hosts have the address of another host", hosts.len());
            Diagnostic::new(Code::SameAddress, one.place, message).label(some_of(hosts))
        }
    };
    Some(
        finding
            .also(span, format!("the address of host {}", ticked(first)))
            .help("give each host its own address; an address inside the prefix of another host is allowed, such as `192.168.1.5` in `192.168.1.0/24`"),
    )
}
