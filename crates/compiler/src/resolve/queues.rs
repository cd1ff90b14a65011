//! Resolves `queue`: takes the given options and derives the others.

use super::link::choice;
use crate::derive::{self, FqCodelGiven, Packet};
use crate::diag::{Code, Diagnostic, Sink, Spanned};
use crate::model::{Diffserv, Direction, Isolation, PerDirection, Queue, Share, Val};
use crate::syntax::raw::{Each, Opt, RawQueue};
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
    raw: &Each<RawQueue>,
    direction: Direction,
    packet: Packet,
    (tree, ceiling): (Rate, Rate),
    sharers: Sharers<'_>,
) -> Queue {
    let none = RawQueue::Cake { rtt: None, diffserv: None, ack_filter: None, wash: None };
    let hosts = sharers.share.value == Share::PerHost;
    let raw = raw.get(direction).as_ref().map(|raw| &raw.value);
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
                ecn: given(ecn.get(direction)),
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
pub(super) fn check(raw: &Each<RawQueue>, share: &PerDirection<Val<Share>>, sink: &mut Sink) {
    let both = raw.up == raw.down && share.up == share.down;
    for direction in Direction::BOTH.into_iter().take(if both { 1 } else { 2 }) {
        if let Some(raw) = raw.get(direction) {
            check_share(raw, share.get(direction), (!both).then_some(direction), sink);
        }
    }
    let down = raw.down.as_ref().filter(|_| raw.up != raw.down);
    raw.up.iter().chain(down).for_each(|raw| check_times(&raw.value, sink));
}

/// Reports a queue that cannot share as requested, with its direction if the other one differs.
fn check_share(raw: &Spanned<RawQueue>, share: &Val<Share>, of: Option<Direction>, sink: &mut Sink) {
    let kind = match &raw.value {
        RawQueue::FqCodel { .. } => "fq_codel",
        RawQueue::Fifo { .. } => "fifo",
        RawQueue::Cake { .. } => "",
    };
    if let Some(place) = share.span().filter(|_| share.value == Share::PerHost && !kind.is_empty()) {
        let message = format!("a `{kind}` queue cannot share between hosts");
        let cure = match of {
            None => "remove `queue`, or write `queue: cake`".to_owned(),
            Some(of) => format!("write `queue: {{ {}: cake }}` for {}", of.as_str(), of.loads()),
        };
        sink.push(
            Diagnostic::new(Code::ShareNeedsCake, raw.span, message)
                .also(place, "this asks for equal shares of hosts")
                .help(format!(
                    "{cure}: CAKE shares between hosts first, and then between the flows of each host"
                )),
        );
    }
}

/// Reports times of fq_codel that do not go together.
fn check_times(raw: &RawQueue, sink: &mut Sink) {
    if let RawQueue::FqCodel { target: Some(target), interval: Some(interval), .. } = raw
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
