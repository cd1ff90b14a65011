//! Prices of changed queues.

use super::values::option;
use crate::diff::cost::Price;

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
