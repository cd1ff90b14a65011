//! Formats a match as one line for people.

use crate::syntax::raw::{Many, RawMatch};
use crate::units::{Family, PortSet};
use std::fmt::Display;

/// Returns the text of an alternative: `host ata`, `dscp ef, cs5`, `udp remote_port 3478, 5060-5061`.
pub(super) fn match_text(raw: &RawMatch) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(raw.direction.map(|direction| direction.value.as_str().to_owned()));
    match raw.family.map(|f| f.value) {
        Some(Family::Ipv4) => words.push("ipv4".to_owned()),
        Some(Family::Ipv6) => words.push("ipv6".to_owned()),
        None => {}
    }
    key(&mut words, "host ", &raw.host);
    key(&mut words, "local ", &raw.local);
    key(&mut words, "remote ", &raw.remote);
    key(&mut words, "tunnel ", &raw.tunnel);
    key(&mut words, "device ", &raw.device);
    if raw.tcp.is_empty() {
        key(&mut words, "", &raw.protocol);
    } else {
        key(&mut words, "tcp ", &raw.tcp);
    }
    for (name, ports) in raw.ports() {
        if !ports.is_empty() {
            let set: PortSet = ports.iter().map(|port| port.value).collect();
            words.push(format!("{name} {set}"));
        }
    }
    key(&mut words, "dscp ", &raw.dscp);
    key(&mut words, "ecn ", &raw.ecn);
    key(&mut words, "mark ", &raw.mark);
    key(&mut words, "length ", &raw.length);
    words.join(" ")
}

fn key<T: Display>(words: &mut Vec<String>, name: &str, values: &Many<T>) {
    if !values.is_empty() {
        let list: Vec<String> = values.iter().map(|value| value.value.to_string()).collect();
        words.push(format!("{name}{}", list.join(", ")));
    }
}
