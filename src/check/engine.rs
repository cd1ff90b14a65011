//! `engine: cake` for a whole direction is not built yet.

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Engine, Model};

pub(super) const RULE: Rule = Rule { name: "engine", codes: &[Code::NotBuiltYet], run };

fn run(model: &Model, sink: &mut Sink) {
    let engine = &model.link.engine;
    let mut places: Vec<_> = [&engine.up, &engine.down]
        .into_iter()
        .filter(|e| e.value == Engine::Cake)
        .filter_map(|e| e.span())
        .collect();
    places.dedup();
    for place in places {
        sink.push(
            Diagnostic::new(Code::NotBuiltYet, place, "CAKE for a whole direction is not built yet")
                .help("leave `engine` out; a class can have `queue: cake`"),
        );
    }
}
