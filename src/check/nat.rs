//! What marks tell of a packet where no mark of a packet can be seen: in PPPoE frames that only pass through.

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{FileSection, Frames, Model};

pub(super) const RULE: Rule =
    Rule { name: "nat", codes: &[Code::Unsupported], rests: &[FileSection::Link], run };

fn run(model: &Model, sink: &mut Sink) {
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
