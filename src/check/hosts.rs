//! What a host is promised beyond its addresses is not built yet.

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Host, Model, Origin};

pub(super) const RULE: Rule = Rule { name: "hosts", codes: &[Code::NotBuiltYet], run };

fn run(model: &Model, sink: &mut Sink) {
    for host in &model.hosts {
        for (key, place) in asked(host) {
            let name = ticked(&host.name);
            let message = format!("`{key}` of host {name} is not built yet");
            let help = match key {
                "class" => format!("give that class a match on the host: `- host: {}`", host.name),
                _ => "give the host a class of its own, or cap it with `police`".to_owned(),
            };
            sink.push(Diagnostic::new(Code::NotBuiltYet, place, message).help(help));
        }
    }
}

fn asked(host: &Host) -> Vec<(&'static str, Span)> {
    let mut asked = Vec::new();
    if let Origin::Given(span) = host.home.origin {
        asked.push(("class", span));
    }
    for (key, both) in [("guarantee", &host.guarantee), ("ceiling", &host.ceiling)] {
        let places = [&both.up, &both.down].map(|rate| rate.as_ref().and_then(|rate| rate.span()));
        asked.extend(places.into_iter().flatten().map(|span| (key, span)));
    }
    asked.dedup();
    asked
}
