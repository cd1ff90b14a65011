//! Imports a `fireqos.conf` of FireQOS.

mod arithmetic;
mod block;
mod matches;
mod merge;
mod params;
mod reader;
mod services;
mod shell;

use super::foreign;
use super::report::{Import, Part, Wanted};
use super::text::START;
use block::Interface;
use indexmap::IndexMap;
use qosc_compiler::units::IfName;
use reader::read;

/// Converts a file. `wanted` may name the WAN device.
#[must_use]
pub fn fireqos(text: &str, wanted: Wanted<'_>) -> Import {
    if let Some(import) = foreign::only_finding(text, "fireqos") {
        return import;
    }
    let (interfaces, mut report) = read(text);
    let mut devices: IndexMap<&IfName, Vec<&Interface>> = IndexMap::new();
    for interface in &interfaces {
        devices.entry(&interface.device).or_default().push(interface);
    }
    let part = |(device, of): (_, Vec<_>)| {
        let span = of.first().map_or(START, |interface: &&Interface| interface.span);
        Part { name: IfName::as_str(device), span, enabled: true, of }
    };
    let devices: Vec<_> = devices.into_iter().map(part).collect();
    if devices.is_empty() {
        let help = "give FireQOS's `fireqos.conf`, with lines such as `interface eth1 wan input rate 10mbit`";
        report.bad(START, "the file has no interface that can be converted", help);
    }
    report.import("device", &devices, wanted, "", |parts, report| merge::config(parts, report))
}

#[cfg(test)]
#[path = "fireqos_tests.rs"]
mod tests;
