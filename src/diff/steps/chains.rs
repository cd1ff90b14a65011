//! Filters of a tree: they are in a chain, to which an entry leads. A change fills the unused chain.

use super::direction::{Direction, role};
use super::filters::Lists;
use super::observed::{Bank, Tree};
use super::sides::{Side, Sides};
use super::step::Object;
use super::values::{is_cake, option};
use super::writer::Facts;
use crate::tc::Hook;

/// Returns the preference of the entry of a chain. That of chain 2 comes before that of chain 1. Slot b has other numbers,
/// because u32 shows equal preferences as one.
const fn entry_of(slot: Side, bank: Side) -> u16 {
    slot.of(5, 9) - bank.of(1, 2)
}

const fn chain_of(slot: Side, bank: Side) -> u16 {
    slot.of(0, 4) + bank.of(1, 2)
}

/// Returns the chain that packets meet.
pub(super) const fn in_force(chains: &Sides<Bank>) -> Option<Side> {
    match (chains.a.prefs.is_empty(), chains.b.prefs.is_empty()) {
        (_, false) => Some(Side::B),
        (false, true) => Some(Side::A),
        (true, true) => None,
    }
}

impl Direction<'_, '_> {
    /// Returns the place of the list: the filters hang at the top class of the slot, or at a CAKE.
    fn list_at(&self) -> String {
        let parent = if is_cake(self.want.root.words) { "c05:" } else { "c05:a000" };
        format!("dev {} parent {parent}", role(self.dev))
    }

    const fn filters(&self) -> Object {
        Object::Filters { dev: self.dev, hook: Hook::Root }
    }

    pub(super) fn switch_chain(&mut self, tree: &Tree, slot: Side) {
        let force = in_force(&tree.chains);
        let lists = Lists {
            was: &self.was.filters,
            want: &self.want.filters,
            held: &self.held.chains.get(in_force(&self.held.chains).unwrap_or(Side::A)).lines,
            now: force.map(|bank| tree.chains.get(bank).lines.as_slice()),
        };
        let facts = lists.facts(self.filters(), false, self.out);
        for bank in [Side::A, Side::B] {
            if force != Some(bank) {
                self.delete_chain(tree, slot, bank, &facts);
            }
        }
        if lists.is_same() {
            return;
        }
        if !self.want.filters.is_empty() {
            self.add_chain(slot, if force == Some(Side::A) { Side::B } else { Side::A }, &facts);
        }
        if let Some(force) = force {
            self.delete_chain(tree, slot, force, &facts);
        }
    }

    /// Fills a chain, and then adds its entry.
    pub(super) fn add_chain(&mut self, slot: Side, bank: Side, facts: &Facts) {
        let (at, chain) = (self.list_at(), chain_of(slot, bank));
        for line in &self.want.filters {
            let device = option(line.words, "dev").unwrap_or_default();
            let place = format!("dev {device} parent c05: ");
            let words = line.words.replacen(&place, &format!("{at} chain {chain} "), 1);
            self.say(slot, &words, line.from, facts.clone());
        }
        let pref = entry_of(slot, bank);
        let words = format!(
            "filter add {at} pref {pref} protocol all u32 match u32 0 0 at 0 action goto chain {chain}"
        );
        let from = format!("{}, filters", self.want.root.from);
        self.say(slot, &words, &from, self.entry(facts));
    }

    pub(super) fn delete_chain(&mut self, tree: &Tree, slot: Side, bank: Side, facts: &Facts) {
        let (at, from) = (self.list_at(), format!("{}, filters of before", self.want.root.from));
        let Bank { prefs, lines, .. } = tree.chains.get(bank);
        if !prefs.is_empty() {
            let words = format!("filter del {at} pref {}", entry_of(slot, bank));
            self.say(slot, &words, &from, self.entry(facts));
        }
        if !lines.is_empty() {
            let words = format!("filter del {at} chain {}", chain_of(slot, bank));
            self.say(slot, &words, &from, facts.clone());
        }
    }

    /// Returns the facts of a step for an entry. In a new tree, it counts as a part of the tree.
    fn entry(&self, facts: &Facts) -> Facts {
        match self.anew {
            Some(_) => Facts { object: Object::Root { dev: self.dev }, ..facts.clone() },
            None => facts.clone(),
        }
    }
}
