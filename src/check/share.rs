//! `share: per-host` is not built yet; the sets of classes of our own share per flow until it is.

use super::Rule;
use crate::diag::{Code, Diagnostic, FileId, Sink};
use crate::model::{Model, Origin, Shape, Share};

pub(super) const RULE: Rule = Rule { name: "share", codes: &[Code::NotBuiltYet, Code::NotBuiltYetNote], run };

/// The user's own file.
const OWN: FileId = FileId(0);

fn run(model: &Model, sink: &mut Sink) {
    let mut ours = false;
    for class in model.leaves() {
        let Shape::Leaf(leaf) = &class.shape else { continue };
        ours |= class.span.file != OWN && matches!(leaf.share.origin, Origin::Default { .. });
        if let Some(place) = leaf.share.span().filter(|_| leaf.share.value == Share::PerHost) {
            sink.push(
                Diagnostic::new(Code::NotBuiltYet, place, "sharing per host is not built yet")
                    .help("leave `share` out: every flow of the class gets the same"),
            );
        }
    }
    if let Some(place) = model.link.device.span().filter(|_| ours) {
        let message = "hosts do not get the same yet, flows do";
        sink.push(
            Diagnostic::new(Code::NotBuiltYetNote, place, message)
                .help("a host with many flows gets more than one with few, in each class of the set"),
        );
    }
}
