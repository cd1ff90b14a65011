//! Semantic rules over the [`Model`]: one rule per file, and a registry of all rules.
//!
//! A rule has one name in four places:
//!
//! - `Rule::name`, such as `own-device`,
//! - the file, such as `own_device.rs`, with its tests in `own_device_tests.rs`,
//! - the variant of [`Code`](crate::diag::Code), such as `OwnDevice`,
//! - the page that the file includes, such as `src/rules/Q0614.md`.
//!
//! A rule with several codes begins the variant of each with its name: `PoliceBurstBelowPacket` belongs to
//! `police-burst`. Helpers that are not rules are in `shared/`.

mod acks_fill_upload;
mod cake_engine;
mod download_bursts;
mod dscp_upload_only;
pub mod expect_not_met;
mod expect_out_of_reach;
mod fifo_for_bulk;
mod guarantee_too_small;
mod host_ceiling_scope;
mod host_outside_lan;
mod icmp_without_icmpv6;
mod lan_bridge;
mod limits_too_large;
mod low_priority_guarantee;
mod margin;
mod marks_of_other_tools;
mod missing_overhead;
mod mtu_too_large;
mod nothing_matches;
mod offload_delay;
mod overhead_mismatch;
mod own_device;
mod police_burst;
mod police_class_overlap;
mod policed_link;
mod priority_without_ceiling;
mod profile_device_mismatch;
mod queue_memory;
mod rate_varies;
mod rates_swapped;
mod remote_in_lan;
mod same_address;
pub mod same_link_name;
pub mod same_router;
mod shadowed_match;
mod shared;
mod shared_limit;
mod target_too_short;
mod trusted_dscp;
mod tunnel_is_wan;
mod tunnel_mtu_too_large;
mod tunnel_one_direction;
mod tunnel_one_flow;
mod unlikely_rate;
mod unsupported;
mod unused_host;
mod unused_tunnel;
mod wan_is_lan;
mod web_without_quic;

pub use shared::rule::Rule;

use crate::diag::Sink;
use crate::model::Model;
use shared::{EACH, MUCH_MEMORY, each_or_all, of_classes, own_leaves, some_of};

/// All rules, sorted by name.
pub const RULES: &[Rule] = &[
    acks_fill_upload::RULE,
    cake_engine::RULE,
    download_bursts::RULE,
    dscp_upload_only::RULE,
    expect_not_met::RULE,
    expect_out_of_reach::RULE,
    fifo_for_bulk::RULE,
    guarantee_too_small::RULE,
    host_ceiling_scope::RULE,
    host_outside_lan::RULE,
    icmp_without_icmpv6::RULE,
    lan_bridge::RULE,
    limits_too_large::RULE,
    low_priority_guarantee::RULE,
    margin::RULE,
    marks_of_other_tools::RULE,
    missing_overhead::RULE,
    mtu_too_large::RULE,
    nothing_matches::RULE,
    offload_delay::RULE,
    overhead_mismatch::RULE,
    own_device::RULE,
    police_burst::RULE,
    police_class_overlap::RULE,
    policed_link::RULE,
    priority_without_ceiling::RULE,
    profile_device_mismatch::RULE,
    queue_memory::RULE,
    rate_varies::RULE,
    rates_swapped::RULE,
    remote_in_lan::RULE,
    same_address::RULE,
    same_link_name::RULE,
    same_router::RULE,
    shadowed_match::RULE,
    shared_limit::RULE,
    target_too_short::RULE,
    trusted_dscp::RULE,
    tunnel_is_wan::RULE,
    tunnel_mtu_too_large::RULE,
    tunnel_one_direction::RULE,
    tunnel_one_flow::RULE,
    unlikely_rate::RULE,
    unsupported::RULE,
    unused_host::RULE,
    unused_tunnel::RULE,
    wan_is_lan::RULE,
    web_without_quic::RULE,
];

/// Runs every rule on a model. If a section that a rule depends on has errors, only the rule's errors are kept: its
/// warnings would be about placeholders.
pub fn check(model: &Model, sink: &mut Sink) {
    for rule in RULES {
        sink.extend(rule.findings(model));
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
