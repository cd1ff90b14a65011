//! Rules over the [`Model`]: one file a rule, one registry.

mod acks;
mod big_limits;
mod bursts;
mod cover;
mod device_kind;
mod devices;
mod dscp_down;
mod engine;
pub mod expected;
mod fifo_bulk;
mod hosts;
mod icmpv6;
mod kept_offloads;
mod known_marks;
mod lan_bridge;
mod left_out;
mod line_rate;
mod low_priority;
mod margin;
mod memory;
mod mtu;
mod nat;
mod no_uploads;
mod nothing_matches;
mod one_device;
mod out_of_reach;
mod outside;
mod overhead_fit;
mod own_device;
mod police_burst;
mod police_class;
mod policed_link;
mod quic;
mod same_address;
pub mod same_name;
pub mod same_router;
mod served_first;
mod small_guarantee;
mod swapped;
mod taken;
mod target_short;
mod trusted;
mod tunnel_mtu;
mod tunnel_wan;
mod tunnels;
mod unused_hosts;
mod unused_tunnels;
mod varies;

use crate::diag::{Code, Diagnostic, FileId, Severity, Sink, and_ticked, ticked};
use crate::model::{Alternative, Class, FileSection, Leaf, Model, Shape};
use crate::units::Bytes;

/// A rule: what it may say, and how it looks.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The codes of its findings.
    pub codes: &'static [Code],
    /// The parts of the file that its findings rest on.
    rests: &'static [FileSection],
    run: fn(&Model, &mut Sink),
}

/// Every rule there is, in the order in which they run.
pub const RULES: &[Rule] = &[
    engine::RULE,
    nat::RULE,
    hosts::RULE,
    memory::RULE,
    tunnels::RULE,
    dscp_down::RULE,
    no_uploads::RULE,
    nothing_matches::RULE,
    bursts::RULE,
    margin::RULE,
    swapped::RULE,
    line_rate::RULE,
    acks::RULE,
    left_out::RULE,
    device_kind::RULE,
    overhead_fit::RULE,
    mtu::RULE,
    varies::RULE,
    own_device::RULE,
    one_device::RULE,
    lan_bridge::RULE,
    police_burst::RULE,
    police_class::RULE,
    policed_link::RULE,
    kept_offloads::RULE,
    outside::RULE,
    same_address::RULE,
    unused_hosts::RULE,
    tunnel_mtu::RULE,
    unused_tunnels::RULE,
    tunnel_wan::RULE,
    served_first::RULE,
    small_guarantee::RULE,
    low_priority::RULE,
    target_short::RULE,
    fifo_bulk::RULE,
    big_limits::RULE,
    taken::RULE,
    known_marks::RULE,
    icmpv6::RULE,
    quic::RULE,
    trusted::RULE,
    out_of_reach::RULE,
];

/// Runs every rule. Of what an error makes unsure, a rule says only what is an error, too: what is only likely of a stand-in is
/// no fault of the file.
pub fn check(model: &Model, sink: &mut Sink) {
    for rule in RULES {
        let sure = rule.rests.iter().all(|part| !model.with_errors.contains(part));
        let mut found = Sink::default();
        (rule.run)(model, &mut found);
        sink.extend(found.into_sorted().into_iter().filter(|one| sure || one.severity == Severity::Error));
    }
}

/// As many things of one kind as have a finding each: nobody reads thousands, and what else is found would drown in them.
const EACH: usize = 8;

/// As many names as a finding says.
const NAMED: usize = 4;

/// Says something of each, or where they are many, once of all.
fn each_or_all<T>(found: &[T], sink: &mut Sink, finding: impl Fn(&[T]) -> Option<Diagnostic>) {
    let at_once = if found.len() > EACH { found.len() } else { 1 };
    sink.extend(found.chunks(at_once).filter_map(finding));
}

/// Names, and how many more there are.
fn some_of(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named: Vec<String> = names.iter().take(NAMED).map(|name| ticked(name)).collect();
    match more {
        0 => and_ticked(names.iter().copied()),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Half of what a router of 128 MB has.
const MUCH_MEMORY: Bytes = Bytes::new(64_000_000);

/// The leaves that the user's file writes, not a built-in set.
fn own_leaves(model: &Model) -> impl Iterator<Item = (&Class, &Leaf)> {
    let own = model.leaves().into_iter().filter(|class| class.span.file == FileId::OWN);
    own.filter_map(|class| Some((class, class.leaf()?)))
}

/// The alternatives of all classes, depth first.
fn of_classes(model: &Model) -> Vec<&Alternative> {
    fn walk<'a>(classes: &'a [Class], out: &mut Vec<&'a Alternative>) {
        for class in classes {
            out.extend(class.matches.iter().flatten());
            if let Shape::Inner(children) = &class.shape {
                walk(children, out);
            }
        }
    }
    let mut all = Vec::new();
    walk(&model.classes, &mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_something() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
        assert!(RULES.iter().all(|rule| !rule.codes.is_empty()));
    }
}
