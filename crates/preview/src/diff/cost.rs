//! Cost of a change for the traffic of a working router, in the words that every command uses.

use qosc_compiler::diag::wrapped;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Cost of a change, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// No packet is lost, and flows that keep their class stay in order.
    InPlace,
    /// The packets in the queue of this class are lost, and no others.
    OwnBacklog,
    /// A new tree takes the place of the tree of a direction.
    Swap,
    /// The root qdisc of a direction is deleted and created again.
    Rebuild,
}

impl Cost {
    /// Returns the words for one change.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Cost::InPlace => "loses no packet",
            Cost::OwnBacklog => "drops this class's backlog",
            Cost::Swap => "swaps the tree",
            Cost::Rebuild => "rebuilds the tree",
        }
    }

    /// The words after a number of changes: `1 drops its class's backlog`, `2 drop their class's backlog`.
    #[must_use]
    pub fn counted(self, n: usize) -> String {
        let words = match (self, n) {
            (Cost::InPlace, 2..) => "lose no packet",
            (Cost::InPlace, _) => "loses no packet",
            (Cost::OwnBacklog, 2..) => "drop their class's backlog",
            (Cost::OwnBacklog, _) => "drops its class's backlog",
            (Cost::Swap, 2..) => "swap the tree",
            (Cost::Swap, _) => "swaps the tree",
            (Cost::Rebuild, 2..) => "rebuild the tree",
            (Cost::Rebuild, _) => "rebuilds the tree",
        };
        format!("{n} {words}")
    }

    /// The meaning of the words, for a legend.
    const fn meaning(self) -> &'static str {
        match self {
            Cost::InPlace => "packets in the queues stay, and flows that keep their class stay in order",
            Cost::OwnBacklog => "the packets queued in that class are lost, and no others",
            Cost::Swap => {
                "a new tree is built beside that of a direction and takes its place: the queued packets of the direction \
                 are lost, and no packet passes unshaped"
            }
            Cost::Rebuild => {
                "the root qdisc of a direction is deleted and created again, and its queued packets are lost"
            }
        }
    }
}

/// A cost and its reason in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Price {
    /// Cost of the change.
    pub cost: Cost,
    /// Reason for this cost.
    pub reason: Cow<'static, str>,
}

impl Price {
    /// Returns the price of a change that loses no packet.
    pub fn in_place(reason: impl Into<Cow<'static, str>>) -> Price {
        Price { cost: Cost::InPlace, reason: reason.into() }
    }

    /// Returns the price of a dropped backlog of one class.
    pub fn own_backlog(reason: impl Into<Cow<'static, str>>) -> Price {
        Price { cost: Cost::OwnBacklog, reason: reason.into() }
    }

    /// Returns the price of a direction that gets a new tree.
    pub fn swap(reason: impl Into<Cow<'static, str>>) -> Price {
        Price { cost: Cost::Swap, reason: reason.into() }
    }

    /// Returns the price of a rebuilt direction.
    pub fn rebuild(reason: impl Into<Cow<'static, str>>) -> Price {
        Price { cost: Cost::Rebuild, reason: reason.into() }
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.cost.words(), self.reason)
    }
}

/// The meaning of each cost that occurs, the cheapest first. Without `verbose`, changes that lose no packet have no remark.
#[must_use]
pub fn legend(costs: impl IntoIterator<Item = Cost>, verbose: bool) -> String {
    let found: std::collections::BTreeSet<Cost> = costs.into_iter().collect();
    let mut out = String::new();
    for cost in found {
        let shown = if cost == Cost::InPlace && !verbose { " (changes without a remark)" } else { "" };
        wrapped(&mut out, "  ", &format!("{}{shown}: {}", cost.words(), cost.meaning()), 4);
    }
    out
}

/// All costs of some changes in one line, such as
/// `3 changes: 2 lose no packet, 1 drops its class's backlog; no tree is rebuilt`.
#[must_use]
pub fn summary(costs: impl IntoIterator<Item = Cost>) -> String {
    let costs: Vec<Cost> = costs.into_iter().collect();
    let of = |cost: Cost| costs.iter().filter(|own| **own == cost).count();
    let parts: Vec<String> = [Cost::InPlace, Cost::OwnBacklog, Cost::Swap, Cost::Rebuild]
        .into_iter()
        .filter(|cost| of(*cost) > 0)
        .map(|cost| cost.counted(of(cost)))
        .collect();
    let rest = if of(Cost::Swap) + of(Cost::Rebuild) == 0 { "; no tree is rebuilt" } else { "" };
    format!("{}: {}{rest}", qosc_compiler::diag::count(costs.len(), "change"), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{Cost, Price, legend, summary};

    #[test]
    fn the_summary_counts_each_cost() {
        use Cost::{InPlace, OwnBacklog, Rebuild};
        let words = "3 changes: 2 lose no packet, 1 drops its class's backlog; no tree is rebuilt";
        assert_eq!(summary([InPlace, OwnBacklog, InPlace]), words);
        assert_eq!(summary([Rebuild]), "1 change: 1 rebuilds the tree");
        assert_eq!(
            summary([OwnBacklog, Rebuild, OwnBacklog, Rebuild]),
            "4 changes: 2 drop their class's backlog, 2 rebuild the tree"
        );
        assert!(InPlace < OwnBacklog && OwnBacklog < Rebuild);
    }

    #[test]
    fn the_legend_explains_each_cost_once() {
        use Cost::{InPlace, OwnBacklog};
        let lines = legend([OwnBacklog, InPlace, OwnBacklog], false);
        assert_eq!(lines.lines().filter(|line| !line.starts_with("   ")).count(), 2);
        assert!(lines.starts_with("  loses no packet (changes without a remark): "), "{lines}");
        assert_eq!(legend([], false), "");
    }

    #[test]
    fn a_price_states_its_reason() {
        assert_eq!(Price::rebuild("another engine").to_string(), "rebuilds the tree: another engine");
    }
}
