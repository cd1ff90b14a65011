//! Options of fq_codel, as in a command line and in the output of `tc`.

use super::amounts::{size_of_tc, time_of_tc};
use super::config::Queue;
use super::report::ImportReport;
use super::text::Word;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::limits::{CODEL_TIME, FLOWS, Limit, MEMORY, PACKETS, QUANTUM};
use qosc_compiler::units::{Bytes, Micros};

/// Kind of an option's value.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A time for CoDel in microseconds.
    Time,
    /// A size in bytes.
    Size,
    /// A whole number within limits.
    Number(Limit),
    /// 0 or 1.
    Flag,
}

/// Options: the key in a file, the word of `tc`, the kind of the value, and the kernel's default (`sch_fq_codel.c`).
const OPTIONS: [(&str, &str, Kind, u64); 7] = [
    ("target", "target", Kind::Time, 5_000),
    ("interval", "interval", Kind::Time, 100_000),
    ("limit", "limit", Kind::Number(PACKETS), 10_240),
    ("quantum", "quantum", Kind::Number(QUANTUM), 1_514),
    ("flows", "flows", Kind::Number(FLOWS), 1_024),
    ("ecn", "ecn", Kind::Flag, 1),
    ("memory", "memory_limit", Kind::Size, 32 << 20),
];

/// Values in the order of [`OPTIONS`]; `None` for those that the source does not set.
pub(super) type Options = [Option<u64>; OPTIONS.len()];

impl Kind {
    /// Reads a value that a file can have.
    fn read(self, text: &str) -> Option<u64> {
        match self {
            Kind::Time => time_of_tc(text).map(Micros::us).filter(|time| CODEL_TIME.holds(*time)),
            Kind::Size => size_of_tc(text).map(Bytes::get).filter(|size| MEMORY.holds(*size)),
            Kind::Number(limit) => text.trim_end_matches('p').parse().ok().filter(|own| limit.holds(*own)),
            Kind::Flag => text.parse().ok(),
        }
    }

    /// Returns the value as a file has it.
    fn written(self, value: u64) -> String {
        match self {
            Kind::Time => Micros::from_us(value).to_string(),
            Kind::Size => Bytes::new(value).to_string(),
            Kind::Number(_) => value.to_string(),
            Kind::Flag => (value == 1).to_string(),
        }
    }
}

/// Sets the option with a word of `tc`. Returns `false` if a file cannot have the value.
pub(super) fn set(options: &mut Options, word: &str, value: &str) -> bool {
    let mut slots = options.iter_mut().zip(OPTIONS);
    slots.find(|(_, (_, own, ..))| *own == word).is_some_and(|(slot, (_, _, kind, _))| {
        *slot = kind.read(value);
        slot.is_some()
    })
}

/// Reads the output of `tc`, and returns the options that are not the kernel's defaults, which the compiler replaces.
pub(super) fn changed(words: &[Word], report: &mut ImportReport) -> Options {
    let mut own = Options::default();
    set(&mut own, "ecn", "0");
    read(words, &mut own, report);
    for (slot, (.., default)) in own.iter_mut().zip(OPTIONS) {
        // tc prints few digits, and the default quantum is a full packet of the device.
        *slot = slot.filter(|own| own.abs_diff(default) > default / 50);
    }
    own
}

/// Reads words such as `limit 1000p target 5ms noecn`.
pub(super) fn read(words: &[Word], options: &mut Options, report: &mut ImportReport) {
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let key = word.text.as_str();
        match key {
            "ecn" | "noecn" => {
                set(options, "ecn", if key == "ecn" { "1" } else { "0" });
            }
            _ if key == "drop_batch" || OPTIONS.iter().any(|(_, own, ..)| *own == key) => {
                let value = words.next().map(|word| word.text.as_str()).unwrap_or_default();
                if key != "drop_batch" && !set(options, key, value) {
                    let said = format!("the value {} of `{key}` has no equivalent", ticked(value));
                    report.lost(word.span, said, "the compiler derives the value");
                }
            }
            _ => {
                report.unknown(word.span, "the fq_codel option", key, "");
                // its value
                words.next_if(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
            }
        }
    }
}

/// Advice about a queue that a file does not have.
pub(super) const QUEUES: &str = "the queues are `fq_codel`, `cake` and `fifo`";

/// Returns the finding about a queue that a file does not have.
pub(super) fn instead_of(queue: &str) -> String {
    format!("the queue {} has no equivalent; fq_codel replaces it", ticked(queue))
}

/// Returns a queue with options; `None` if there are none.
pub(super) fn queue(options: &Options) -> Option<Queue> {
    let options = OPTIONS.into_iter().zip(options);
    let options = options.filter_map(|((key, _, kind, _), value)| Some((key, kind.written((*value)?))));
    let options: Vec<_> = options.collect();
    (!options.is_empty()).then_some(Queue { kind: "fq_codel", options })
}
