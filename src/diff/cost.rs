//! Cost of a change for the traffic of a running router, in the words that every command uses.

use serde::Serialize;
use std::borrow::Cow;

/// Cost of a change, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// No effect on traffic: no packet is lost, and flows that keep their class stay in order.
    InPlace,
    /// The change drops the backlog of the class concerned and nothing else.
    OwnBacklog,
    /// The tree of a direction is deleted and built again.
    Rebuild,
}

impl Cost {
    /// Returns the words for one change.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Cost::InPlace => "in place",
            Cost::OwnBacklog => "loses its own backlog",
            Cost::Rebuild => "rebuilds the tree",
        }
    }

    /// Returns a number of changes with its words: `1 loses its own backlog`, `2 lose their own backlog`.
    #[must_use]
    pub fn counted(self, n: usize) -> String {
        let words = match (self, n) {
            (Cost::OwnBacklog, 2..) => "lose their own backlog",
            (Cost::Rebuild, 2..) => "rebuild the tree",
            (cost, _) => cost.words(),
        };
        format!("{n} {words}")
    }
}

/// A cost and its reason in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Price {
    /// Cost of the change.
    pub cost: Cost,
    /// Reason for this cost.
    pub reason: Cow<'static, str>,
}

impl Price {
    /// Returns a price without effect on traffic.
    pub fn in_place(reason: impl Into<Cow<'static, str>>) -> Price {
        Price { cost: Cost::InPlace, reason: reason.into() }
    }

    /// Returns the price of a dropped backlog of one class.
    pub fn own_backlog(reason: impl Into<Cow<'static, str>>) -> Price {
        Price { cost: Cost::OwnBacklog, reason: reason.into() }
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

/// Sums up costs in one line, such as `3 changes: 2 in place, 1 loses its own backlog; nothing is rebuilt`.
#[must_use]
pub fn summary(costs: impl IntoIterator<Item = Cost>) -> String {
    let costs: Vec<Cost> = costs.into_iter().collect();
    let of = |cost: Cost| costs.iter().filter(|own| **own == cost).count();
    let parts: Vec<String> = [Cost::InPlace, Cost::OwnBacklog, Cost::Rebuild]
        .into_iter()
        .filter(|cost| of(*cost) > 0)
        .map(|cost| cost.counted(of(cost)))
        .collect();
    let rest = if of(Cost::Rebuild) == 0 { "; nothing is rebuilt" } else { "" };
    format!("{}: {}{rest}", crate::diag::count(costs.len(), "change"), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{Cost, Price, summary};

    #[test]
    fn costs_are_summed_in_words() {
        use Cost::{InPlace, OwnBacklog, Rebuild};
        let words = "3 changes: 2 in place, 1 loses its own backlog; nothing is rebuilt";
        assert_eq!(summary([InPlace, OwnBacklog, InPlace]), words);
        assert_eq!(summary([Rebuild]), "1 change: 1 rebuilds the tree");
        assert_eq!(
            summary([OwnBacklog, Rebuild, OwnBacklog, Rebuild]),
            "4 changes: 2 lose their own backlog, 2 rebuild the tree"
        );
        assert!(InPlace < OwnBacklog && OwnBacklog < Rebuild);
    }

    #[test]
    fn a_price_says_why() {
        assert_eq!(Price::rebuild("another engine").to_string(), "rebuilds the tree: another engine");
    }
}
