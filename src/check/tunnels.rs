//! What is inside a tunnel that encrypts.

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Downloads, FileSection, Inner, Model, TunnelKind};

pub(super) const RULE: Rule = Rule {
    name: "tunnels",
    codes: &[Code::Unsupported, Code::TunnelOneFlow],
    rests: &[FileSection::Link, FileSection::Lan, FileSection::Tunnels, FileSection::Police],
    run,
};

fn run(model: &Model, sink: &mut Sink) {
    for tunnel in &model.tunnels {
        let name = ticked(&tunnel.name);
        let place = tunnel.inner.span().unwrap_or(tunnel.span);
        match tunnel.inner.value {
            Inner::Match if tunnel.kind == TunnelKind::Wireguard => {
                let message = format!("the inside of tunnel {name} cannot be matched upwards");
                let finding = Diagnostic::new(Code::Unsupported, place, message)
                    .label("it is encrypted, and the kernel clears the mark that a packet had before");
                sink.push(finding.help(
                    "leave `inner` out: uploads are kept apart by flow, and downloads are matched after they were decrypted",
                ));
            }
            Inner::Match | Inner::Flows | Inner::Opaque => {}
        }
        // of that another rule speaks
        if tunnel.device.as_ref().is_some_and(|device| device.value == model.link.device.value) {
            continue;
        }
        // who asks for `flows` knows
        if let (Some(Downloads::Wrapped(why)), None) = (&tunnel.downloads, tunnel.inner.span()) {
            let message = format!("downloads through tunnel {name} are one flow");
            sink.push(
                Diagnostic::new(Code::TunnelOneFlow, place, message).label(why.as_str()).help(
                    "give the tunnel a class of its own; write `inner: flows` to say that this is meant",
                ),
            );
        }
    }
}
