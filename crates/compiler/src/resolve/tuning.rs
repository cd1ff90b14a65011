//! Resolves `tuning`, the system settings besides the shaper.

use super::link::choice;
use crate::derive;
use crate::model::{Link, Offloads, PerDirection, Tcp, Tuning, Val};
use crate::syntax::raw::RawTuning;

/// Returns the setting for offloads.
pub(super) fn offloads(raw: Option<&RawTuning>) -> Val<Offloads> {
    choice(raw.and_then(|tuning| tuning.offloads), Offloads::Auto)
}

/// Resolves the rest of `tuning`.
pub(super) fn resolve(
    raw: Option<&RawTuning>,
    link: &Link,
    offloads: Val<Offloads>,
    split: PerDirection<Val<bool>>,
) -> Tuning {
    let tcp = raw.and_then(|tuning| tuning.tcp_rtt).map(|rtt| Tcp {
        rtt: Val::given(rtt.value, rtt.span),
        send: derive::socket_buffer(link.shaped.up.value, rtt.value, Some(rtt.span)),
        receive: derive::socket_buffer(link.shaped.down.value, rtt.value, Some(rtt.span)),
    });
    Tuning {
        offloads,
        split,
        txqueuelen: raw.and_then(|t| t.txqueuelen).map(|n| Val::given(n.value, n.span)),
        bql: raw.and_then(|t| t.bql).map(|bytes| Val::given(bytes.value, bytes.span)),
        tcp,
        ecn: raw.and_then(|t| t.ecn).map(|ecn| Val::given(ecn.value, ecn.span)),
        mark_mask: raw.and_then(|t| t.mark_mask).map(|mask| Val::given(mask.value, mask.span)),
    }
}
