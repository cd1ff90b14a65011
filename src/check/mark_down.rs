//! Downloads carry no mark yet where they are sorted into classes: the ingress hook comes before netfilter.

use super::{Rule, alternatives};
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Direction, Ingress, Model};

pub(super) const RULE: Rule =
    Rule { name: "mark-down", codes: &[Code::NotBuiltYet, Code::NotBuiltYetNote], run };

fn run(model: &Model, sink: &mut Sink) {
    let shaped = model.link.ingress.value == Ingress::Shape;
    for (direction, alternative) in alternatives(model) {
        if alternative.mark.is_empty() {
            continue;
        }
        match direction {
            Some(Direction::Down) => sink.push(
                Diagnostic::new(
                    Code::NotBuiltYet,
                    alternative.span,
                    "a `mark` downwards cannot be matched yet",
                )
                .label("downloads carry no mark where they are sorted")
                .help("match them by `remote`, port or protocol"),
            ),
            None if shaped => sink.push(
                Diagnostic::new(
                    Code::NotBuiltYetNote,
                    alternative.span,
                    "a `mark` is matched only upwards for now",
                )
                .help("write `direction: up` to say so"),
            ),
            None | Some(Direction::Up) => {}
        }
    }
}
