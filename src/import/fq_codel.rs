//! Options of fq_codel, as in a command line and in the output of `tc`.

use super::amounts::{size_of_tc, time_of_tc};
use super::config::Queue;
use super::report::Report;
use super::text::Word;
use crate::diag::{Span, ticked};
use crate::terms::PerDirection;
use crate::terms::limits::{CODEL_TIME, FLOWS, MEMORY, PACKETS, QUANTUM};
use crate::units::{Bytes, Micros};

/// Options that the source sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) target: Option<Micros>,
    pub(super) interval: Option<Micros>,
    pub(super) limit: Option<u64>,
    pub(super) quantum: Option<u64>,
    pub(super) flows: Option<u64>,
    pub(super) ecn: Option<bool>,
    pub(super) memory: Option<u64>,
}

/// Reads words such as `limit 1000p target 5ms noecn`.
pub(super) fn read(words: &[Word], options: &mut Options, report: &mut Report) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let key = word.text.as_str();
        match key {
            "ecn" => options.ecn = Some(true),
            "noecn" => options.ecn = Some(false),
            "limit" | "quantum" | "flows" | "memory_limit" | "target" | "interval" | "drop_batch" => {
                let value = words.next().map(|word| word.text.as_str()).unwrap_or_default();
                let number = value.trim_end_matches('p').parse::<u64>().ok();
                let known = match key {
                    "limit" => set(&mut options.limit, number.filter(|number| PACKETS.holds(*number))),
                    "quantum" => set(&mut options.quantum, number.filter(|number| QUANTUM.holds(*number))),
                    "flows" => set(&mut options.flows, number.filter(|number| FLOWS.holds(*number))),
                    "memory_limit" => {
                        set(&mut options.memory, size_of_tc(value).filter(|size| MEMORY.holds(*size)))
                    }
                    "target" => set(&mut options.target, time(value)),
                    "interval" => set(&mut options.interval, time(value)),
                    _ => true,
                };
                if !known {
                    let said = format!("the value {} of `{key}` has no equivalent", ticked(value));
                    report.lost(word.span, said, "the compiler derives the value");
                }
            }
            _ => {
                let said = format!("the fq_codel option {} has no equivalent", ticked(key));
                report.lost(word.span, said, "");
                // its value
                if words
                    .clone()
                    .next()
                    .is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()))
                {
                    words.next();
                }
            }
        }
    }
}

/// Reads a time that CoDel can have.
pub(super) fn time(text: &str) -> Option<Micros> {
    time_of_tc(text).filter(|time| CODEL_TIME.holds(time.us()))
}

fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let known = value.is_some();
    *slot = value;
    known
}

/// Returns the queue for both directions, which have the same options in a file. An option that differs stays out, and
/// `report` gets it.
pub(super) fn queue(options: &PerDirection<Options>, span: Span, report: &mut Report) -> Option<Queue> {
    let PerDirection { up, down } = options;
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let time = |value: Option<Micros>| value.map(|value| value.to_string());
    let bytes = |value: Option<u64>| value.map(|value| Bytes::new(value).to_string());
    let all = [
        ("target", time(up.target), time(down.target)),
        ("interval", time(up.interval), time(down.interval)),
        ("limit", number(up.limit), number(down.limit)),
        ("quantum", number(up.quantum), number(down.quantum)),
        ("flows", number(up.flows), number(down.flows)),
        ("ecn", up.ecn.map(|ecn| ecn.to_string()), down.ecn.map(|ecn| ecn.to_string())),
        ("memory", bytes(up.memory), bytes(down.memory)),
    ];
    let mut same = Vec::new();
    for (key, up, down) in all {
        match (up, down) {
            (None, None) => {}
            (Some(up), Some(down)) if up == down => same.push((key, up)),
            (up, down) => {
                let said = |value: Option<String>| value.unwrap_or_else(|| "the default".to_owned());
                let said = format!(
                    "`{key}` of fq_codel is {} for uploads and {} for downloads, and a file has one value for both",
                    said(up),
                    said(down)
                );
                report.lost(span, said, &format!("the compiler derives `{key}`; write it in `queue` if both directions are to have the same value"));
            }
        }
    }
    (!same.is_empty()).then_some(Queue { kind: "fq_codel", options: same })
}
