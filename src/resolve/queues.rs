//! `queue`: what is given of its options, and the rest derived.

use super::derive::{self, FqCodelGiven, Packet};
use super::link::choice;
use crate::diag::{Code, Diagnostic, Sink, Spanned};
use crate::model::{Diffserv, Queue, Val};
use crate::syntax::raw::{Opt, RawQueue};
use crate::units::{Micros, Rate};

fn given<T: Copy>(value: &Opt<T>) -> Option<Val<T>> {
    value.map(|value| Val::given(value.value, value.span))
}

/// A leaf's queue in one direction: `tree` is the rate of the direction, `ceiling` that of the class.
pub(super) fn resolve(raw: Option<&RawQueue>, packet: Packet, tree: Rate, ceiling: Rate) -> Queue {
    match raw {
        None => derive::fq_codel(packet, tree, ceiling, FqCodelGiven::default()),
        Some(RawQueue::FqCodel { target, interval, limit, quantum, flows, ecn, memory }) => {
            let options = FqCodelGiven {
                target: given(target),
                interval: given(interval),
                limit: given(limit),
                quantum: given(quantum),
                flows: given(flows),
                ecn: given(ecn),
                memory: given(memory),
            };
            derive::fq_codel(packet, tree, ceiling, options)
        }
        Some(RawQueue::Cake { rtt, diffserv, ack_filter, wash }) => {
            let rtt = given(rtt).unwrap_or_else(|| Val::default(Micros::from_ms(100), "CAKE's own"));
            Queue::Cake {
                memory: derive::cake_memory(packet, ceiling, rtt.value),
                diffserv: choice(*diffserv, Diffserv::Besteffort),
                ack_filter: choice(*ack_filter, false),
                wash: choice(*wash, false),
                rtt,
            }
        }
        Some(RawQueue::Fifo { limit }) => {
            Queue::Fifo { limit: given(limit).unwrap_or_else(|| derive::fifo_limit(packet, ceiling)) }
        }
    }
}

/// Pushes options that do not go together.
pub(super) fn check(raw: &Spanned<RawQueue>, sink: &mut Sink) {
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
