//! Recognises inputs of other tools, so that they get one finding instead of one for each line.

use crate::report::{Import, ImportReport};
use crate::text::START;

/// How to read what a tool has set up in the kernel.
const BY_TC: &str = "run the tool, and give the output of tc on that router to `qosc import tc`; docs/import.md has the commands";

/// Inputs by a text that a line of them begins with: the tool of `import`, or how to convert them, and their name.
const KNOWN: [(&str, &str, &str); 15] = [
    ("qdisc ", "tc", "the output of tc"),
    ("==> tc ", "tc", "the output of tc"),
    ("config queue", "sqm", "a file of sqm-scripts"),
    ("UPLINK=", "sqm", "a file of sqm-scripts"),
    ("interface ", "fireqos", "a file of FireQOS"),
    ("interface4", "fireqos", "a file of FireQOS"),
    ("interface6", "fireqos", "a file of FireQOS"),
    ("option ROOT_QDISC", BY_TC, "a file of QoSmate"),
    ("option bandwidth_up", BY_TC, "a file of qosify"),
    ("config defaults", BY_TC, "a file of qosify"),
    ("traffic-policy {", BY_TC, "a configuration of VyOS"),
    ("set traffic-policy", BY_TC, "a configuration of VyOS"),
    ("set qos policy", BY_TC, "a configuration of VyOS"),
    (
        "/queue",
        "RouterOS has no tc: write a file for a Linux router with `qosc init`",
        "a configuration of RouterOS",
    ),
    ("link:", "`qosc check` reads it", "a file of qosc itself"),
];

/// Returns the only finding about a text that is no input of `tool`; `None` if it can be one.
pub(super) fn only_finding(text: &str, tool: &str) -> Option<Import> {
    let found = |begin: &str| {
        text.lines().any(|line| line.trim_start_matches(['$', '+', ' ', '\t']).starts_with(begin))
    };
    let of = |(begin, ..): &&(&str, &str, &str)| found(begin);
    let is_own = KNOWN.iter().filter(|(_, way, _)| *way == tool).any(|one| of(&one));
    let json = text.trim_start().starts_with(['[', '{']) && tool == "tc";
    let (said, help) = match KNOWN.iter().find(of) {
        _ if json => ("the output of `tc -j` cannot be read".to_owned(), BY_TC.to_owned()),
        Some((_, way, name)) if !is_own => {
            let help = if way.len() < 8 {
                format!("`qosc import {way} FILE` converts it")
            } else {
                (*way).to_owned()
            };
            (format!("this is {name}"), help)
        }
        _ => return None,
    };
    let mut report = ImportReport::default();
    report.bad(START, said, &help);
    Some(Import { results: Vec::new(), findings: report.finish() })
}
