//! What is inside a tunnel that encrypts.

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Inner, Model, TunnelKind};

pub(super) const RULE: Rule =
    Rule { name: "tunnels", codes: &[Code::NotBuiltYet, Code::NotBuiltYetNote], run };

fn run(model: &Model, sink: &mut Sink) {
    for tunnel in &model.tunnels {
        let name = ticked(&tunnel.name);
        let place = tunnel.inner.span().unwrap_or(tunnel.span);
        match tunnel.inner.value {
            Inner::Match if tunnel.kind == TunnelKind::Wireguard => {
                let message = format!("the inside of tunnel {name} cannot be matched yet");
                let finding = Diagnostic::new(Code::NotBuiltYet, place, message)
                    .label("it is encrypted, and the kernel clears the mark that a packet had before");
                sink.push(finding.help(
                    "write `inner: flows`: its flows are kept apart, and a match on the tunnel takes it as a whole",
                ));
            }
            Inner::Flows if tunnel.kind == TunnelKind::Wireguard => {
                let message = format!("downloads through tunnel {name} are one flow for now");
                sink.push(Diagnostic::new(Code::NotBuiltYetNote, place, message).help(
                    "give the tunnel a class of its own; write `inner: opaque` to say that this is meant",
                ));
            }
            Inner::Match | Inner::Flows | Inner::Opaque => {}
        }
    }
}
