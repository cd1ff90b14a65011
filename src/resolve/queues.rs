//! Resolves `queue`: takes the given options and derives the others.

use super::link::choice;
use crate::derive::{self, FqCodelGiven, Packet};
use crate::diag::{Code, Diagnostic, Sink, Spanned};
use crate::model::{Diffserv, Isolation, Queue, Share, Val};
use crate::syntax::raw::{Opt, RawQueue};
use crate::units::{Micros, Rate};

fn given<T: Copy>(value: &Opt<T>) -> Option<Val<T>> {
    value.map(|value| Val::given(value.value, value.span))
}

/// Parties that share a leaf, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sharers<'a> {
    /// Sharing between flows or between hosts.
    pub share: &'a Val<Share>,
    /// `true` if IPv4 hosts are behind NAT.
    pub nat: &'a Val<bool>,
    /// Default number of flows in an fq_codel queue.
    pub flows: &'a Val<u32>,
}

impl Sharers<'_> {
    fn isolation(self) -> Val<Isolation> {
        match self.share.value {
            Share::PerFlow => Val::default(Isolation::Flows, "`share: per-flow`"),
            Share::PerHost => Val::derived(Isolation::Hosts, "`share: per-host`", self.share.span()),
        }
    }

    /// Only sharing between hosts needs a NAT lookup: flows differ on both sides of NAT.
    fn nat(self) -> Val<bool> {
        match self.share.value {
            Share::PerFlow => Val::default(false, "flows are told apart without"),
            Share::PerHost => {
                let formula = self.nat.formula().unwrap_or("`nat` of `lan`").to_owned();
                Val::derived(self.nat.value, formula, self.nat.span())
            }
        }
    }
}

/// Resolves the queue of a leaf in one direction, from the rate of the direction and the ceiling of the class.
///
/// Hosts share through CAKE. It reads the host from every packet, also behind NAT and for unnamed hosts, and shares
/// between the flows of each host.
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

/// Reports options that do not go together, and a queue that cannot share as requested.
pub(super) fn check(raw: &Spanned<RawQueue>, share: &Val<Share>, sink: &mut Sink) {
    let kind = match &raw.value {
        RawQueue::FqCodel { .. } => "fq_codel",
        RawQueue::Fifo { .. } => "fifo",
        RawQueue::Cake { .. } => "",
    };
    if let Some(place) = share.span().filter(|_| share.value == Share::PerHost && !kind.is_empty()) {
        let message = format!("a `{kind}` queue cannot share between hosts");
        sink.push(
            Diagnostic::new(Code::ShareNeedsCake, raw.span, message)
                .also(place, "this asks for equal shares of hosts")
                .help("remove `queue`, or write `queue: cake`: CAKE shares between hosts first, and then between the flows of each host"),
        );
    }
    if let RawQueue::FqCodel { target: Some(target), interval: Some(interval), .. } = &raw.value
        && target.value >= interval.value
    {
        let message =
            format!("the `target` of {} is not below the `interval` of {}", target.value, interval.value);
        sink.push(
            Diagnostic::new(Code::BadTime, target.span, message)
                .also(interval.span, "the interval")
                .help("write a `target` far below the `interval`, such as `5ms` for an interval of `100ms`"),
        );
    }
}
