//! `queue`: what is given of its options, and the rest derived.

use super::derive::{self, FqCodelGiven, Packet};
use super::link::choice;
use crate::diag::{Code, Diagnostic, Sink, Spanned};
use crate::model::{Diffserv, Isolation, Queue, Share, Val};
use crate::syntax::raw::{Opt, RawQueue};
use crate::units::{Micros, Rate};

fn given<T: Copy>(value: &Opt<T>) -> Option<Val<T>> {
    value.map(|value| Val::given(value.value, value.span))
}

/// Who shares in a leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sharers<'a> {
    /// Flows or hosts.
    pub share: &'a Val<Share>,
    /// Whether IPv4 hosts are behind NAT.
    pub nat: &'a Val<bool>,
    /// How many flows an fq_codel has that is told nothing.
    pub flows: &'a Val<u32>,
}

impl Sharers<'_> {
    fn isolation(self) -> Val<Isolation> {
        match self.share.value {
            Share::PerFlow => Val::default(Isolation::Flows, "`share: per-flow`"),
            Share::PerHost => Val::derived(Isolation::Hosts, "`share: per-host`", self.share.span()),
        }
    }

    /// Only hosts are looked up: a flow is a flow on either side of NAT.
    fn nat(self) -> Val<bool> {
        match self.share.value {
            Share::PerFlow => Val::default(false, "flows are told apart without"),
            Share::PerHost => Val::derived(self.nat.value, "`nat` of `lan`", self.nat.span()),
        }
    }
}

/// A leaf's queue in one direction, by the rate of the direction and the ceiling of the class.
///
/// Hosts share in a CAKE: it looks for them in every packet, on both sides of NAT, named or not, and flows share inside.
pub(super) fn resolve(
    raw: Option<&RawQueue>,
    packet: Packet,
    (tree, ceiling): (Rate, Rate),
    sharers: Sharers<'_>,
) -> Queue {
    let none = RawQueue::Cake { rtt: None, diffserv: None, ack_filter: None, wash: None };
    let hosts = sharers.share.value == Share::PerHost;
    match raw.or(hosts.then_some(&none)) {
        None => {
            let options = FqCodelGiven { flows: Some(sharers.flows.clone()), ..FqCodelGiven::default() };
            derive::fq_codel(packet, tree, ceiling, options)
        }
        Some(RawQueue::FqCodel { target, interval, limit, quantum, flows, ecn, memory }) => {
            let options = FqCodelGiven {
                target: given(target),
                interval: given(interval),
                limit: given(limit),
                quantum: given(quantum),
                flows: given(flows).or_else(|| Some(sharers.flows.clone())),
                ecn: given(ecn),
                memory: given(memory),
            };
            derive::fq_codel(packet, tree, ceiling, options)
        }
        Some(RawQueue::Cake { rtt, diffserv, ack_filter, wash }) => {
            let rtt = given(rtt).unwrap_or_else(|| match sharers.share.value {
                Share::PerFlow => Val::default(Micros::from_ms(100), "CAKE's own"),
                Share::PerHost => derive::cake_rtt_of_hosts(packet, ceiling),
            });
            Queue::Cake {
                memory: derive::cake_memory(packet, ceiling, rtt.value),
                diffserv: choice(*diffserv, Diffserv::Besteffort),
                ack_filter: choice(*ack_filter, false),
                wash: choice(*wash, false),
                isolation: sharers.isolation(),
                nat: sharers.nat(),
                rtt,
            }
        }
        Some(RawQueue::Fifo { limit }) => {
            Queue::Fifo { limit: given(limit).unwrap_or_else(|| derive::fifo_limit(packet, ceiling)) }
        }
    }
}

/// Pushes options that do not go together, and a queue that cannot share as is asked.
pub(super) fn check(raw: &Spanned<RawQueue>, share: &Val<Share>, sink: &mut Sink) {
    let kind = match &raw.value {
        RawQueue::FqCodel { .. } => "fq_codel",
        RawQueue::Fifo { .. } => "fifo",
        RawQueue::Cake { .. } => "",
    };
    if let Some(place) = share.span().filter(|_| share.value == Share::PerHost && !kind.is_empty()) {
        let message = format!("a `{kind}` queue does not know hosts");
        sink.push(
            Diagnostic::new(Code::ShareNeedsCake, raw.span, message)
                .also(place, "hosts are to get the same")
                .help("leave `queue` out, or write `queue: cake`, which shares between hosts first and then between the flows of each"),
        );
    }
    if let RawQueue::FqCodel { target: Some(target), interval: Some(interval), .. } = &raw.value
        && target.value >= interval.value
    {
        let message = format!("a `target` of {} within an `interval` of {}", target.value, interval.value);
        sink.push(
            Diagnostic::new(Code::BadTime, target.span, message)
                .also(interval.span, "the interval")
                .help("the target is a small part of the interval: 5ms of 100ms as a rule"),
        );
    }
}
