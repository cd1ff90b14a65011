//! Imports a `fireqos.conf` of FireQOS.

mod arithmetic;
mod block;
mod matches;
mod merge;
mod params;
mod reader;
mod services;
mod shell;
mod versions;

use super::foreign;
use super::report::{Import, Wanted};
use super::text::START;
use block::Interface;
use indexmap::IndexMap;
use qosc_compiler::units::IfName;
use reader::read;
use std::collections::{HashMap, HashSet};

/// Converts a file. `wanted` may name the WAN device.
#[must_use]
pub fn fireqos(text: &str, wanted: Wanted<'_>) -> Import {
    if let Some(import) = foreign::only_finding(text, "fireqos") {
        return import;
    }
    // The first reading only finds the interfaces that count.
    let replaced = replaced(read(text, HashMap::new()).0);
    let (interfaces, mut report) = read(text, replaced);
    let mut devices: IndexMap<&IfName, Vec<&Interface>> = IndexMap::new();
    for interface in &interfaces {
        devices.entry(&interface.device).or_default().push(interface);
    }
    let place = |parts: &[&Interface]| parts.first().map_or(START, |interface| interface.span);
    let devices: Vec<_> =
        devices.into_iter().map(|(device, parts)| (device.as_str(), place(&parts), parts)).collect();
    if devices.is_empty() {
        report.bad(
            START,
            "the file has no interface that can be converted",
            "give FireQOS's `fireqos.conf`; it has lines such as `interface eth1 world-in input rate 10mbit`",
        );
    }
    let help = |name: &str| format!("`--section {name}` converts it");
    report.import(&devices, wanted, 0, help, |parts, report| merge::config(parts, report))
}

/// Returns the interfaces that FireQOS deletes, because later ones have the same device and directions.
fn replaced(interfaces: Vec<Interface>) -> HashMap<usize, Interface> {
    let mut later = HashSet::new();
    let mut out = HashMap::new();
    for interface in interfaces.into_iter().rev() {
        let fresh = interface.directions.iter().filter(|one| later.insert((interface.device.clone(), **one)));
        if fresh.count() == 0 {
            out.insert(interface.span.start, interface);
        }
    }
    out
}

#[cfg(test)]
#[path = "fireqos_tests.rs"]
mod tests;
