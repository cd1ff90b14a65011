#![doc = include_str!("../rules/Q0901.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Frames, Inner, Model, TunnelKind};

pub(super) const RULE: Rule = Rule {
    name: "unsupported",
    codes: &[Code::Unsupported],
    sections: &[FileSection::Link, FileSection::Lan, FileSection::Tunnels],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    marks_in_frames(model, sink);
    inside_of_wireguard(model, sink);
}

/// Reports matches that need marks, on a device that carries PPPoE frames through the router: no mark is visible there.
fn marks_in_frames(model: &Model, sink: &mut Sink) {
    let frames = &model.link.frames;
    let Some(marks) = model.marks.as_ref().filter(|_| frames.value == Frames::Pppoe) else { return };
    for need in &marks.needs {
        let message = "this cannot be matched in PPPoE frames that only pass through the router";
        let finding = Diagnostic::new(Code::Unsupported, need.span, message).label(need.what.clone());
        let finding = finding.also_at(frames.span().map(|span| (span, "chosen here")));
        sink.push(
            finding
                .help("shape the PPP device of the session, on the router that ends it")
                .help("or match by port, protocol or `remote`; if the router does not translate addresses, write `nat: false` in `lan`"),
        );
    }
}

/// Reports WireGuard tunnels whose file asks to match the inner packets of uploads.
fn inside_of_wireguard(model: &Model, sink: &mut Sink) {
    for tunnel in &model.tunnels {
        if tunnel.kind != TunnelKind::Wireguard || tunnel.inner.value != Inner::Match {
            continue;
        }
        let place = tunnel.inner.span().unwrap_or(tunnel.span);
        let message = format!("uploads inside tunnel {} cannot be matched", ticked(&tunnel.name));
        let finding = Diagnostic::new(Code::Unsupported, place, message)
            .label("WireGuard encrypts them, and the kernel clears their marks");
        sink.push(finding.help(
            "leave `inner` out: uploads are queued by flow, and downloads are matched after decryption",
        ));
    }
}
