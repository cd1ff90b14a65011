#![doc = include_str!("../../../../docs/rules/Q0515.md")]

use crate::diag::{Code, Diagnostic};
use crate::model::{Alternative, Class, Leaf, Model};
use crate::units::{PortSet, Protocol};

/// Port of HTTPS and QUIC.
const WEB: u16 = 443;

pub(super) fn find(_: &Model, class: &Class, _: &Leaf) -> Option<Diagnostic> {
    let all: Vec<&Alternative> = class.matches.iter().flatten().collect();
    let web = |alternative: &Alternative, protocol: Protocol| {
        alternative.protocol.contains(&protocol)
            && (has(alternative.remote_port.as_ref()) || has(alternative.port.as_ref()))
    };
    let udp = all.iter().any(|alternative| web(alternative, Protocol::UDP));
    // A match for certain servers may be right: they may be known to use only TCP.
    let any = |alternative: &&&Alternative| alternative.remote.is_empty() && alternative.tcp.is_empty();
    let tcp = all.iter().filter(any).find(|alternative| web(alternative, Protocol::TCP)).filter(|_| !udp)?;
    Some(
        Diagnostic::new(Code::WebWithoutQuic, tcp.span, "this match misses QUIC, which uses `udp`")
            .label("browsers use QUIC on port 443 if the server offers it")
            .help("write `protocol: [tcp, udp]`"),
    )
}

fn has(ports: Option<&PortSet>) -> bool {
    ports.is_some_and(|ports| ports.ranges().iter().any(|range| (range.first..=range.last).contains(&WEB)))
}
