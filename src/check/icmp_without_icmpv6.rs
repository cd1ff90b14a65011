#![doc = include_str!("../rules/Q0514.md")]

use super::{Rule, of_classes};
use crate::diag::{Code, Diagnostic, FileId, Sink};
use crate::model::{Alternative, FileSection, Model};
use crate::units::Protocol;

pub(super) const RULE: Rule = Rule {
    name: "icmp-without-icmpv6",
    codes: &[Code::IcmpWithoutIcmpv6],
    sections: &[FileSection::Classes],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    let all = of_classes(model);
    if all.iter().any(|alternative| alternative.protocol.contains(&Protocol::ICMPV6)) {
        return;
    }
    // A match for IPv4 alone needs no ICMPv6.
    let both = |alternative: &&&Alternative| {
        let addresses = alternative.local.iter().chain(&alternative.remote);
        alternative.family.is_none() && alternative.hosts.is_empty() && addresses.count() == 0
    };
    let icmp = all.iter().filter(|alternative| alternative.protocol.contains(&Protocol::ICMP));
    let Some(first) = icmp.filter(both).find(|alternative| alternative.span.file == FileId::OWN) else {
        return;
    };
    sink.push(
        Diagnostic::new(Code::IcmpWithoutIcmpv6, first.span, "`icmp` matches only IPv4")
            .label("IPv6 sends pings, errors and neighbour discovery as `icmpv6`")
            .help("write `protocol: [icmp, icmpv6]`")
            .help("if only IPv4 is meant, add `family: ipv4`"),
    );
}
