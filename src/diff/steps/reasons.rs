//! Reasons for the cost of a change that need more than a fixed text.

use super::trees::Tree;
use super::values::{is_cake, is_ours, isolation, option};
use crate::diff::cost::Price;
use crate::tc::Dev;

impl Tree<'_> {
    /// Returns the reason why the root is rebuilt.
    pub(super) fn why_rebuilt(&self) -> String {
        let (root, want) = (self.text("root", "used"), self.text("root", "wanted"));
        let was = !self.text("root", "was").is_empty();
        if !is_ours(root) {
            return match (was, root.is_empty(), self.dev) {
                (false, _, _) => "there is no tree yet".to_owned(),
                (true, true, Dev::Ifb) => "the ifb device is missing".to_owned(),
                (true, _, _) => "the root qdisc is no longer ours".to_owned(),
            };
        }
        let (old, new) = (root.split_whitespace().nth(1), if is_cake(want) { "cake" } else { "htb" });
        if let Some(old) = old.filter(|old| *old != new) {
            return format!("the engine changes from {old} to {new}");
        }
        if !self.text("stray", "used").is_empty() {
            return "others added filters to the root".to_owned();
        }
        if is_cake(want) {
            let of = |line| isolation(line).unwrap_or("?").to_owned();
            return format!(
                "CAKE's flow isolation ({} -> {}) can only be set at creation",
                of(root),
                of(want)
            );
        }
        if self.text("entry", "used").is_empty() {
            return "no filter leads to a tree".to_owned();
        }
        let told = option(want, "overhead").filter(|_| want.contains(" stab "));
        let table = option(self.text("table", "used"), "overhead");
        if told == table {
            return "these options of the root can only be set at creation".to_owned();
        }
        let bytes = |told: Option<&str>| told.map_or("none".to_owned(), |bytes| format!("{bytes} bytes"));
        format!("the root's size table ({} -> {}) can only be set at creation", bytes(table), bytes(told))
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
