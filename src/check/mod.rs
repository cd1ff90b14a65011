//! Rules over the [`Model`]: one file a rule, one registry.

mod acks;
mod big_limits;
mod bursts;
mod cover;
mod device_kind;
mod devices;
mod dscp_down;
mod engine;
mod fifo_bulk;
mod hosts;
mod icmpv6;
mod known_marks;
mod left_out;
mod line_rate;
mod margin;
mod memory;
mod mtu;
mod nat;
mod nothing_matches;
mod one_device;
mod outside;
mod own_device;
mod police_burst;
mod police_class;
mod policed_link;
mod quic;
mod same_address;
mod served_first;
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

use crate::diag::{Code, Sink};
use crate::model::{Alternative, Class, Model, Shape};

/// A rule: what it may say, and how it looks.
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The codes of its findings.
    pub codes: &'static [Code],
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
    nothing_matches::RULE,
    bursts::RULE,
    margin::RULE,
    swapped::RULE,
    line_rate::RULE,
    acks::RULE,
    left_out::RULE,
    device_kind::RULE,
    mtu::RULE,
    varies::RULE,
    own_device::RULE,
    one_device::RULE,
    police_burst::RULE,
    police_class::RULE,
    policed_link::RULE,
    outside::RULE,
    same_address::RULE,
    unused_hosts::RULE,
    tunnel_mtu::RULE,
    unused_tunnels::RULE,
    tunnel_wan::RULE,
    served_first::RULE,
    target_short::RULE,
    fifo_bulk::RULE,
    big_limits::RULE,
    taken::RULE,
    known_marks::RULE,
    icmpv6::RULE,
    quic::RULE,
    trusted::RULE,
];

/// Runs every rule.
pub fn check(model: &Model, sink: &mut Sink) {
    for rule in RULES {
        (rule.run)(model, sink);
    }
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
