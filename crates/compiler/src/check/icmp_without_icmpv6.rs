#![doc = include_str!("../../../../docs/rules/Q0514.md")]

use super::of_classes;
use crate::diag::{Code, Diagnostic};
use crate::model::{Alternative, Model};
use crate::units::Protocol;

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let all = of_classes(model);
    if all.iter().any(|alternative| alternative.protocol.contains(&Protocol::ICMPV6)) {
        return None;
    }
    // A match for IPv4 alone needs no ICMPv6.
    let both = |alternative: &&&Alternative| {
        let addresses = alternative.local.iter().chain(&alternative.remote);
        alternative.family.is_none() && alternative.hosts.is_empty() && addresses.count() == 0
    };
    let icmp = all.iter().filter(|alternative| alternative.protocol.contains(&Protocol::ICMP));
    let first = icmp.filter(both).find(|alternative| alternative.span.is_own())?;
    Some(
        Diagnostic::new(Code::IcmpWithoutIcmpv6, first.span, "`icmp` matches only IPv4")
            .label("IPv6 sends pings, errors and neighbour discovery as `icmpv6`")
            .help("write `protocol: [icmp, icmpv6]`")
            .help("if only IPv4 is meant, add `family: ipv4`"),
    )
}
