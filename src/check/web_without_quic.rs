#![doc = include_str!("../rules/Q0515.md")]

use super::{Rule, own_leaves};
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Alternative, FileSection, Model};
use crate::units::{PortSet, Protocol};

pub(super) const RULE: Rule = Rule {
    name: "web-without-quic",
    codes: &[Code::WebWithoutQuic],
    sections: &[FileSection::Classes],
    run: Some(run),
};

/// Port of HTTPS and QUIC.
const WEB: u16 = 443;

fn run(model: &Model, sink: &mut Sink) {
    for (class, _) in own_leaves(model) {
        let all: Vec<&Alternative> = class.matches.iter().flatten().collect();
        let web = |alternative: &&&Alternative, protocol: Protocol| {
            alternative.protocol.contains(&protocol)
                && (has(alternative.remote_port.as_ref()) || has(alternative.port.as_ref()))
        };
        let udp = all.iter().any(|alternative| web(&alternative, Protocol::UDP));
        // A match for certain servers may be right: they may be known to use only TCP.
        let any = |alternative: &&&Alternative| alternative.remote.is_empty() && alternative.tcp.is_empty();
        let tcp = all.iter().filter(any).find(|alternative| web(alternative, Protocol::TCP));
        if let Some(tcp) = tcp.filter(|_| !udp) {
            sink.push(
                Diagnostic::new(Code::WebWithoutQuic, tcp.span, "this match misses QUIC, which uses `udp`")
                    .label("browsers use QUIC on port 443 if the server offers it")
                    .help("write `protocol: [tcp, udp]`"),
            );
        }
    }
}

fn has(ports: Option<&PortSet>) -> bool {
    ports.is_some_and(|ports| ports.ranges().iter().any(|range| (range.first..=range.last).contains(&WEB)))
}
