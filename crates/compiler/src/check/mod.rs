//! Semantic rules over the [`Model`]: one rule per file, and a registry of all rules.
//!
//! A rule has one name in three places:
//!
//! - the file, such as `own_device.rs`, with its tests in `own_device_tests.rs`,
//! - the variant of [`Code`], such as `OwnDevice`,
//! - the page that the file includes, such as `docs/rules/Q0614.md`.
//!
//! A rule with several codes begins the variant of each with its name: `PoliceBurstBelowPacket` belongs to
//! `police_burst.rs`. Helpers that are not rules are in `shared/`.

mod acks_fill_upload;
mod cake_engine;
mod default_below_match;
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
mod queue_too_short;
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
mod tunnel_one_flow;
mod unlikely_rate;
mod unseen;
mod unsupported;
mod unused_host;
mod unused_tunnel;
mod wan_is_lan;
mod web_without_quic;

use crate::diag::{Code, Sink};
use crate::model::FileSection::{Classes, Expect, Hosts, Lan, Link, Name, Police, Tuning, Tunnels};
use crate::model::Model;
use shared::rule::Subject::{EachLeaf, EachPolicer, EachTunnel, Once, Whole};
use shared::rule::{Rule, rule};
use shared::{EACH, MUCH_MEMORY, each_or_all, of_classes, own_leaves, siblings, some_of};

/// All rules, in the order of their files, with their codes and the sections that they depend on. Other code calls the
/// functions of `expect_not_met`, `same_link_name` and `same_router`.
const RULES: &[Rule] = &[
    rule(&[Code::AcksFillUpload], &[Link, Classes, Police], Once(acks_fill_upload::find)),
    rule(
        &[Code::CakeEngineUnsupported, Code::CakeEngineIgnored],
        &[Link, Hosts, Classes, Police],
        Whole(cake_engine::find),
    ),
    rule(&[Code::DefaultBelowMatch], &[Classes], Once(default_below_match::find)),
    rule(&[Code::DownloadBursts], &[Link, Classes], Once(download_bursts::find)),
    rule(&[Code::DscpUploadOnly], &[Link, Lan, Hosts, Classes, Police, Tuning], Once(dscp_upload_only::find)),
    rule(
        &[Code::ExpectOutOfReach],
        &[Link, Hosts, Classes, Police, Expect],
        Whole(expect_out_of_reach::find),
    ),
    rule(&[Code::FifoForBulk], &[Classes], EachLeaf(fifo_for_bulk::find)),
    rule(&[Code::GuaranteeTooSmall], &[Link, Hosts, Classes, Police], Whole(guarantee_too_small::find)),
    rule(&[Code::HostCeilingScope], &[Hosts, Classes], Whole(host_ceiling_scope::find)),
    rule(&[Code::HostOutsideLan], &[Lan, Hosts, Tunnels], Whole(host_outside_lan::find)),
    rule(&[Code::IcmpWithoutIcmpv6], &[Classes], Once(icmp_without_icmpv6::find)),
    rule(&[Code::LanBridge], &[Link, Lan], Once(lan_bridge::find)),
    rule(&[Code::LimitsTooLarge], &[Link, Hosts, Classes], Once(limits_too_large::find)),
    rule(&[Code::LowPriorityGuarantee], &[Link, Hosts, Classes, Police], Whole(low_priority_guarantee::find)),
    rule(&[Code::Margin], &[Link], Whole(margin::find)),
    rule(
        &[Code::MarksOfOtherTools],
        &[Link, Lan, Hosts, Classes, Police, Tuning],
        Once(marks_of_other_tools::find),
    ),
    rule(&[Code::MissingOverhead], &[Link], Once(missing_overhead::find)),
    rule(&[Code::MtuTooLarge], &[Link], Once(mtu_too_large::find)),
    rule(&[Code::NothingMatches], &[Hosts, Tunnels, Classes, Police], Whole(nothing_matches::find)),
    rule(
        &[Code::OffloadDelay, Code::OffloadDelayInClass],
        &[Link, Hosts, Classes, Police, Tuning],
        Once(offload_delay::find),
    ),
    rule(&[Code::OverheadMismatch], &[Link], Once(overhead_mismatch::find)),
    rule(&[Code::OwnDevice], &[Name, Link, Lan, Tunnels], Whole(own_device::find)),
    rule(
        &[Code::PoliceBurstBelowPacket, Code::PoliceBurstBelowAggregate, Code::PoliceBurstStarvesTcp],
        &[Link, Police, Tuning],
        EachPolicer(police_burst::find),
    ),
    rule(
        &[Code::PoliceClassOverlap],
        &[Link, Hosts, Tunnels, Classes, Police],
        Whole(police_class_overlap::find),
    ),
    rule(&[Code::PolicedLink], &[Link, Police], Whole(policed_link::find)),
    rule(&[Code::PriorityWithoutCeiling], &[Link, Classes, Police], Whole(priority_without_ceiling::find)),
    rule(&[Code::ProfileDeviceMismatch], &[Link], Once(profile_device_mismatch::find)),
    rule(&[Code::QueueMemory], &[Link, Hosts, Classes], Once(queue_memory::find)),
    rule(&[Code::QueueTooShort], &[Link, Hosts, Classes], EachLeaf(queue_too_short::find)),
    rule(&[Code::RateVaries], &[Link], Once(rate_varies::find)),
    rule(&[Code::RatesSwapped], &[Link], Once(rates_swapped::find)),
    rule(&[Code::RemoteInLan], &[Lan, Classes, Police], Whole(remote_in_lan::find)),
    rule(&[Code::SameAddress], &[Hosts], Whole(same_address::find)),
    rule(
        &[Code::ShadowedMatch, Code::ShadowedMatchValue, Code::ShadowedMatchSameClass],
        &[Hosts, Tunnels, Classes],
        Whole(shadowed_match::find),
    ),
    rule(&[Code::SharedLimit], &[Lan, Hosts, Police], Whole(shared_limit::find)),
    rule(&[Code::TargetTooShort], &[Link, Classes, Police], EachLeaf(target_too_short::find)),
    rule(&[Code::TrustedDscp], &[Link, Classes], Once(trusted_dscp::find)),
    rule(&[Code::TunnelIsWan], &[Link, Tunnels], EachTunnel(tunnel_is_wan::find)),
    rule(&[Code::TunnelMtuTooLarge], &[Link, Tunnels], EachTunnel(tunnel_mtu_too_large::find)),
    rule(&[Code::TunnelOneFlow], &[Link, Lan, Tunnels, Police], EachTunnel(tunnel_one_flow::find)),
    rule(&[Code::UnlikelyRate], &[Link], Whole(unlikely_rate::find)),
    rule(
        &[Code::UnseenAddress, Code::UnseenFamily, Code::UnseenHosts],
        &[Link, Lan, Hosts, Tunnels, Classes, Police],
        Whole(unseen::find),
    ),
    rule(&[Code::Unsupported], &[Link, Lan, Tunnels, Classes, Police], Whole(unsupported::find)),
    rule(&[Code::UnusedHost], &[Hosts, Classes, Police, Expect], Whole(unused_host::find)),
    rule(&[Code::UnusedTunnel], &[Tunnels, Classes, Police], Whole(unused_tunnel::find)),
    rule(&[Code::WanIsLan], &[Link, Lan], Whole(wan_is_lan::find)),
    rule(&[Code::WebWithoutQuic], &[Classes], EachLeaf(web_without_quic::find)),
];

/// Runs every rule on a model.
pub fn check(model: &Model, sink: &mut Sink) {
    for rule in RULES {
        sink.extend(rule.findings(model));
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
