#![doc = include_str!("../../../../docs/rules/Q0803.md")]

use super::{each_or_all, some_of};
use crate::diag::{Code, Diagnostic, FileId, Sink, ticked};
use crate::model::{Host, Model};
use std::collections::BTreeSet;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let matched: BTreeSet<usize> =
        model.alternatives().iter().flat_map(|(_, alternative)| alternative.hosts.iter().copied()).collect();
    let expected: BTreeSet<usize> =
        model.expect.iter().flat_map(|expect| [expect.from, expect.on]).flatten().collect();
    let unused = model.hosts.iter().enumerate().filter(|(index, host)| {
        let used = matched.contains(index) || expected.contains(index);
        // An included file may be for others, too.
        !used && host.span.file == FileId::OWN && !host.is_promised() && !host.home.is_given()
    });
    let unused: Vec<&Host> = unused.map(|(_, host)| host).collect();
    each_or_all(&unused, sink, finding);
}

fn finding(hosts: &[&Host]) -> Option<Diagnostic> {
    let first = hosts.first()?;
    let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
    let (message, label) = match names.as_slice() {
        [host] => (
            format!("nothing uses host {}", ticked(host)),
            "no match names it, and it has no class or rate".to_owned(),
        ),
        names => (format!("nothing uses {} of the hosts", names.len()), some_of(names)),
    };
    Some(
        Diagnostic::new(Code::UnusedHost, first.span, message)
            .label(label)
            .help("name it in a `match`, give it a `class`, `guarantee` or `ceiling`, or remove it: `share: per-host` needs no list of hosts"),
    )
}
