#![doc = include_str!("../../../../docs/rules/Q0805.md")]

use crate::diag::{Code, Diagnostic, FileId, Sink, ticked};
use crate::model::{Inner, Model};
use std::collections::BTreeSet;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let alternatives = model.alternatives();
    let named: BTreeSet<usize> =
        alternatives.iter().flat_map(|(_, alternative)| alternative.tunnels.iter().copied()).collect();
    for (index, tunnel) in model.tunnels.iter().enumerate() {
        // for other tunnels it suffices to be described, because matches and queues then see the inner packets
        let opaque = tunnel.inner.value == Inner::Opaque;
        // An included file may be for others, too.
        if opaque && !named.contains(&index) && tunnel.span.file == FileId::OWN {
            let message = format!("nothing uses tunnel {}", ticked(&tunnel.name));
            sink.push(
                Diagnostic::new(Code::UnusedTunnel, tunnel.span, message)
                    .label("no match names it, and matches cannot see inside it")
                    .help(format!(
                        "match it in a class with `match: {{ tunnel: {} }}`, or remove it",
                        tunnel.name
                    )),
            );
        }
    }
}
