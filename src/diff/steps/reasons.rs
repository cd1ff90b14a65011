//! Reasons for the cost of a change that need more than a fixed text.

use super::described::Line;
use super::observed::Device;
use super::values::{is_cake, is_ours, isolation, option};
use crate::diff::cost::Price;
use crate::tc::Dev;

/// Reason why a root is rebuilt. `was` is true if the last start described a root; `now` is the device that the packets
/// pass.
pub(super) fn rebuild(dev: Dev, was: bool, now: &Device, want: &str) -> String {
    let root = now.root.as_str();
    if !is_ours(root) {
        return match (was, root.is_empty(), dev) {
            (false, _, _) => "there is no tree yet".to_owned(),
            (true, true, Dev::Ifb) => "the ifb device is missing".to_owned(),
            (true, _, _) => "the root qdisc is no longer ours".to_owned(),
        };
    }
    let (old, new) = (root.split_whitespace().nth(1), if is_cake(want) { "cake" } else { "htb" });
    if let Some(old) = old.filter(|old| *old != new) {
        return format!("the engine changes from {old} to {new}");
    }
    if now.is_stray {
        return "others added filters to the root".to_owned();
    }
    if is_cake(want) {
        let of = |line| isolation(line).unwrap_or("?").to_owned();
        return format!("CAKE's flow isolation ({} -> {}) can only be set at creation", of(root), of(want));
    }
    if now.live().is_none() {
        return "no filter leads to a tree".to_owned();
    }
    let (told, table) = (told(want), option(&now.table, "overhead"));
    if told == table {
        return "these options of the root can only be set at creation".to_owned();
    }
    let bytes = |told: Option<&str>| told.map_or("none".to_owned(), |bytes| format!("{bytes} bytes"));
    format!("the root's size table ({} -> {}) can only be set at creation", bytes(table), bytes(told))
}

/// Overhead of the described size table.
pub(super) fn told(want: &str) -> Option<&str> {
    option(want, "overhead").filter(|_| want.contains(" stab "))
}

/// Reason why a queue cannot take its wanted form in place; `None` if it can.
pub(super) fn other_queue(now: &str, want: Line<'_>, class: &str) -> Option<String> {
    let mut words = now.split_whitespace().skip(1);
    let (kind, handle, new) = (words.next().unwrap_or_default(), words.next(), want.word(8));
    if kind != new {
        return Some(format!("the queue of {class} changes from {kind} to {new}"));
    }
    if handle != Some(want.word(7)) {
        return Some(format!("the queue of {class} has another handle"));
    }
    let differs =
        |of: fn(&str) -> Option<&str>| (of(now) != of(want.words)).then(|| of(want.words).unwrap_or("all"));
    match kind {
        "cake" => Some(format!("the queue of {class} separates {}", differs(isolation)?)),
        "fq_codel" => {
            Some(format!("the queue of {class} has {} flows", differs(|line| option(line, "flows"))?))
        }
        _ => None,
    }
}

/// Price of a queue that is changed and keeps its packets.
pub(super) fn leaf(now: &str, want: &str, was: &str) -> Price {
    if want.contains(" cake ") && tins(now) != tins(want) {
        return Price::own_backlog("queued packets do not move to CAKE's new tins");
    }
    let limit =
        |line: &str| option(line, "limit").and_then(|limit| limit.trim_end_matches('p').parse::<u64>().ok());
    if limit(want) < limit(if was.is_empty() { now } else { was }) {
        return Price::in_place("except that a backlog above the new limit is cut");
    }
    Price::in_place("the queue keeps its packets")
}

/// Price of a changed root that stays a CAKE.
pub(super) fn cake(now: &str, want: &str) -> Price {
    if tins(now) == tins(want) {
        Price::in_place("the queue keeps its packets")
    } else {
        Price::own_backlog("queued packets do not move to CAKE's new tins")
    }
}

fn tins(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| TINS.contains(word))
}

const TINS: [&str; 4] = ["besteffort", "diffserv3", "diffserv4", "diffserv8"];
