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
        let message = "what is matched here does not show in PPPoE frames that only pass through";
        let finding = Diagnostic::new(Code::Unsupported, need.span, message).label(need.what.clone());
        let finding = finding.also_at(frames.span().map(|span| (span, "the frames")));
        sink.push(
            finding
                .help("shape the ppp device that the session belongs to")
                .help("match by port, protocol or `remote`; where the router does not translate addresses, write `nat: false` in `lan`"),
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
        let message = format!("the inside of tunnel {} cannot be matched upwards", ticked(&tunnel.name));
        let finding = Diagnostic::new(Code::Unsupported, place, message)
            .label("it is encrypted, and the kernel clears the mark that a packet had before");
        sink.push(finding.help(
            "leave `inner` out: uploads are kept apart by flow, and downloads are matched after they were decrypted",
        ));
    }
}
