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
use super::report::{Import, ImportReport, Part, Wanted};
use super::text::START;
use block::Interface;
use indexmap::IndexMap;
use qosc_compiler::terms::Direction;
use qosc_compiler::units::IfName;
use reader::read;
use std::collections::HashSet;

/// Converts a file. `wanted` may name the WAN device.
#[must_use]
pub fn fireqos(text: &str, wanted: Wanted<'_>) -> Import {
    if let Some(import) = foreign::only_finding(text, "fireqos") {
        return import;
    }
    let (mut interfaces, mut report) = read(text);
    keep_last(&mut interfaces, &mut report);
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
        report.bad(
            START,
            "the file has no interface that can be converted",
            "give FireQOS's `fireqos.conf`; it has lines such as `interface eth1 world-in input rate 10mbit`",
        );
    }
    report.import("device", &devices, wanted, |_| String::new(), |parts, report| merge::config(parts, report))
}

/// Removes directions that later interfaces of the same device replace, as FireQOS does. An interface without any has no
/// findings of its own.
fn keep_last(interfaces: &mut Vec<Interface>, report: &mut ImportReport) {
    let mut later = HashSet::new();
    for interface in interfaces.iter_mut().rev() {
        let is_last = |one: &Direction| later.insert((interface.device.clone(), *one));
        let (last, replaced): (Vec<_>, Vec<_>) = interface.directions.iter().copied().partition(is_last);
        if last.is_empty() {
            report.forget(&(interface.span.line..interface.end));
        }
        if !replaced.is_empty() {
            interface.report_replaced(&replaced, report);
        }
        interface.directions = last;
    }
    interfaces.retain(|interface| !interface.directions.is_empty());
}

#[cfg(test)]
#[path = "fireqos_tests.rs"]
mod tests;
