//! Recognises inputs of other tools, so that they get one finding instead of one for each line.

use crate::report::{Import, ImportReport};
use crate::text::START;

/// Commands whose output can be converted.
pub(super) const BY_TC: &str = "give the output of a script's `dump`, or of `sh -xc 'for d in eth0 ifb0; do tc -d qdisc show dev $d; tc -d class show dev $d; tc -d filter show dev $d; tc -d filter show dev $d ingress; done' 2>&1` with the devices of the router";

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
    ("/queue", "RouterOS has no tc: write a file with `qosc init`", "a configuration of RouterOS"),
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
        // Without a statement of the tool, each line would be a finding.
        None if tool != "tc" && !text.trim().is_empty() && !found("config ") => {
            (format!("this is no file of {tool}"), "`qosc help import` says which files it reads".to_owned())
        }
        _ => return None,
    };
    let mut report = ImportReport::default();
    report.bad(START, said, &help);
    Some(Import { results: Vec::new(), findings: report.finish() })
}
