//! Values that differ between two lines.

use super::step::ChangedValue;
use qosc_compiler::units::{Bytes, Rate};

/// Options without a value.
const FLAGS: [&str; 24] = [
    "ecn",
    "noecn",
    "besteffort",
    "diffserv3",
    "diffserv4",
    "diffserv8",
    "wash",
    "nowash",
    "ack-filter",
    "no-ack-filter",
    "split-gso",
    "unlimited",
    "raw",
    "nonat",
    "nat",
    "dual-srchost",
    "dual-dsthost",
    "ingress",
    "egress",
    "noatm",
    "atm",
    "triple-isolate",
    "dsthost",
    "srchost",
];

/// Options of classes and queues with a value, in the order in which people read them.
const OPTIONS: [&str; 20] = [
    "parent",
    "bandwidth",
    "rate",
    "ceil",
    "prio",
    "burst",
    "cburst",
    "quantum",
    "overhead",
    "mpu",
    "linklayer",
    "limit",
    "flows",
    "target",
    "interval",
    "memory_limit",
    "memlimit",
    "drop_batch",
    "rtt",
    "level",
];

/// Returns the values that differ between two described lines, written for people.
pub(super) fn lines(was: &str, want: &str) -> Vec<ChangedValue> {
    if was.is_empty() {
        return Vec::new();
    }
    differing(was, want, |field, value| match field {
        "rate" | "ceil" | "bandwidth" => value
            .strip_suffix("bit")
            .and_then(|bits| bits.parse().ok())
            .map_or(value.to_owned(), |bits| Rate::from_bps(bits).to_string()),
        "burst" | "cburst" | "memory_limit" | "memlimit" => {
            value.parse().map_or(value.to_owned(), |bytes| Bytes::new(bytes).to_string())
        }
        _ => value.to_owned(),
    })
}

fn differing(old: &str, new: &str, print: impl Fn(&str, &str) -> String) -> Vec<ChangedValue> {
    let mut found = Vec::new();
    let kinds = [old, new].map(kind);
    if kinds[0] != kinds[1] {
        let [old, new] = kinds.map(str::to_owned);
        return vec![ChangedValue { field: "kind".to_owned(), old, new }];
    }
    // CAKE has a flag `flows` without a value.
    let named = OPTIONS.iter().filter(|field| !kinds[0].starts_with("cake") || **field != "flows");
    for field in named.copied() {
        let (old, new) = (all(old, field), all(new, field));
        if old != new {
            let print = |values: &[&str]| values.first().map_or(String::new(), |value| print(field, value));
            found.push(ChangedValue { field: field.to_owned(), old: print(&old), new: print(&new) });
        }
    }
    let flags = |line: &str| {
        let words = line.split_whitespace().filter(|word| FLAGS.contains(word));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let (old, new) = (flags(old), flags(new));
    let only = |own: &[String], other: &[String]| {
        own.iter().filter(|flag| !other.contains(flag)).cloned().collect::<Vec<_>>().join(" ")
    };
    if old != new {
        found.push(ChangedValue { field: "mode".to_owned(), old: only(&old, &new), new: only(&new, &old) });
    }
    found
}

/// Returns the kind of a queue: `qdisc fq_codel 20:`, or `qdisc add dev @wan parent c05:20 handle 20: fq_codel`.
pub(super) fn kind(line: &str) -> &str {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["qdisc", "replace", _, _, "root", "handle", _, kind, ..]
        | ["qdisc", "add", _, _, _, _, _, _, kind, ..]
        | ["qdisc", kind, ..] => kind,
        _ => "",
    }
}

/// Returns all values of an option. For some options of a class, tc shows one value per bucket.
fn all<'a>(line: &'a str, field: &str) -> Vec<&'a str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words
        .windows(2)
        .filter_map(|pair| if let [word, value] = pair { (*word == field).then_some(*value) } else { None })
        .collect()
}

/// Returns the value of an option: the word after its name.
pub(super) fn option<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}

/// True if an observed root has our handle and is of a kind that we use.
pub(super) fn is_ours(root: &str) -> bool {
    ["htb", "cake", "cake_mq"].iter().any(|kind| root.starts_with(&format!("qdisc {kind} c05: root")))
}

/// True if the described root is a CAKE.
pub(super) fn is_cake(want: &str) -> bool {
    kind(want).starts_with("cake")
}

/// Flow isolation mode of a CAKE.
pub(super) fn isolation(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| ISOLATIONS.contains(word))
}

const ISOLATIONS: [&str; 3] = ["flows", "dual-srchost", "dual-dsthost"];
