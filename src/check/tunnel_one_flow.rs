#![doc = include_str!("../rules/Q0509.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Downloads, FileSection, Inner, Model};

pub(super) const RULE: Rule = Rule {
    name: "tunnel-one-flow",
    codes: &[Code::TunnelOneFlow],
    sections: &[FileSection::Link, FileSection::Lan, FileSection::Tunnels, FileSection::Police],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    for tunnel in &model.tunnels {
        // other rules report these
        if tunnel.inner.value == Inner::Match
            || tunnel.device.as_ref().is_some_and(|device| device.value == model.link.device.value)
        {
            continue;
        }
        // a file with `flows` shows that the user knows this
        if let (Some(Downloads::Wrapped(why)), None) = (&tunnel.downloads, tunnel.inner.span()) {
            let name = ticked(&tunnel.name);
            let message = format!("downloads through tunnel {name} are one flow");
            sink.push(
                Diagnostic::new(Code::TunnelOneFlow, tunnel.span, message)
                    .label(why.as_str())
                    .help(match tunnel.device {
                        None => "write the tunnel's device, such as `device: wg0`; if one flow is meant, write `inner: flows`",
                        Some(_) => "give the tunnel its own class; if one flow is meant, write `inner: flows`",
                    }),
            );
        }
    }
}
