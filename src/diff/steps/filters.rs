//! Filter lists, each in one of two banks of preferences.
//!
//! A change fills the other bank from its first filter onwards and then empties the old bank from its last filter.
//! Every packet is therefore classified by the old list or by the first part of the new list.

use super::described::{Line, List};
use super::shown::{At, Number, ShownDevice};
use super::step::{Cause, Tool, Value};
use super::walk::{StepFacts, Walk, filters_of, role, shift};
use crate::diff::cost::Price;
use std::collections::{BTreeMap, BTreeSet};

impl Walk<'_> {
    pub(super) fn switch(&mut self, list: List, now: At, held: At) {
        let force = self.in_force(now);
        // A killed start may have left filters in the other bank.
        if let Some(force) = force {
            self.drop_bank(list, now, force.other());
            if self.same_bank(list, now, held, force) {
                return;
            }
        }
        self.add_bank(list, if force == Some(Number::One) { Number::Two } else { Number::One }, None);
        if let Some(force) = force {
            self.drop_bank(list, now, force);
        }
    }

    /// Returns the bank that classifies packets. The list at the egress has no last filter that matches everything. There,
    /// a bank is whole if it has the preferences of the last start. If neither is, the kill came while the list of that
    /// start was emptied, so it is the shorter one.
    fn in_force(&self, at: At) -> Option<Number> {
        let banks = [Number::One, Number::Two].map(|number| self.now.bank(at, number));
        if at != At::Egress || banks.iter().any(|bank| bank.prefs.is_empty()) {
            return self.now.in_force(at);
        }
        let was = self.was.list(List::Egress).iter().filter_map(|line| pref(&line.words));
        let was: BTreeSet<u32> = was.map(|(_, pref, _)| pref).collect();
        let is_whole = |number: Number| {
            let by = shift(List::Egress, number);
            let prefs = self.now.bank(at, number).prefs.iter();
            prefs.map(|pref| pref - by).collect::<BTreeSet<_>>() == was
        };
        let is_shorter = self.now.bank(at, Number::One).prefs.len() < was.len();
        Some(match is_whole(Number::One) || !(is_whole(Number::Two) || is_shorter) {
            true => Number::One,
            false => Number::Two,
        })
    }

    fn same_bank(&self, list: List, now: At, held: At, force: Number) -> bool {
        !(matches!(list, List::Ingress | List::Tunnel(_)) && self.redirect_moves)
            && self.same_list(list)
            && self.held.only(held).lines == self.now.bank(now, force).lines
    }

    /// True if the list is described as at the last start.
    fn same_list(&self, list: List) -> bool {
        let words = |lines: &[Line]| lines.iter().map(|line| line.words.clone()).collect::<Vec<_>>();
        words(self.was.list(list)) == words(self.wanted.list(list))
    }

    /// Adds the filters in the order in which they classify. While the tree changes, a filter whose class is not in its
    /// final state sends its packets to the temporary class `c05:2`.
    pub(super) fn add_bank(&mut self, list: List, number: Number, moving: Option<ShownDevice>) {
        let kind = self.filter_kind(list);
        for line in self.wanted.list(list).to_vec() {
            let mut words = shifted(&line.words, shift(list, number));
            if let Some(place) = moving
                && let Some((before, id, after)) = flowid(&words)
                && (self.now.tree(place).class(&id).is_none()
                    || self.now.tree(place).has_kids(&id)
                    || self.disturbed(list.dev(), place, &id))
            {
                words = format!("{before} flowid c05:2{after}");
            }
            self.say(Tool::Tc, &words, &line.from, kind.clone());
        }
    }

    pub(super) fn drop_bank(&mut self, list: List, at: At, number: Number) {
        let prefs = self.now.bank(at, number).prefs.clone();
        self.drop_prefs(list, &prefs);
    }

    /// Deletes the last preference first. Packets that only its filters matched then reach their new class, and the
    /// filters before it still match theirs.
    pub(super) fn drop_prefs(&mut self, list: List, prefs: &[u32]) {
        let (device, origin) = match list {
            List::Tunnel(tunnel) => (tunnel.to_string(), self.tunnel_origin(tunnel)),
            List::Root(_) | List::Ingress | List::Egress => {
                (role(list.dev()).to_owned(), self.origin(list.dev()))
            }
        };
        let from = format!("{origin}, filters of before");
        let hook = match list {
            List::Root(_) => "parent c05:",
            List::Ingress | List::Tunnel(_) => "ingress",
            List::Egress => "egress",
        };
        let kind = self.filter_kind(list);
        for pref in prefs.iter().rev() {
            let words = format!("filter del dev {device} {hook} pref {pref}");
            self.say(Tool::Tc, &words, &from, kind.clone());
        }
    }

    /// Returns the preferences of a list in this bank.
    pub(super) fn wanted_prefs(&self, list: List, number: Number) -> Vec<u32> {
        let mut prefs = Vec::new();
        for line in self.wanted.list(list) {
            let pref = pref(&line.words).map(|(_, pref, _)| pref + shift(list, number));
            if let Some(pref) = pref
                && prefs.last() != Some(&pref)
            {
                prefs.push(pref);
            }
        }
        prefs
    }

    pub(super) fn filter_kind(&self, list: List) -> StepFacts {
        let at = self.held_at(list);
        let now = match list {
            List::Root(crate::tc::Dev::Ifb) => At::Root(self.target_place()),
            List::Root(_) | List::Ingress | List::Egress | List::Tunnel(_) => at,
        };
        if let (List::Root(dev), Some((price, cause))) = (list, self.rebuilt(list.dev())) {
            debug_assert_eq!(dev, list.dev());
            return StepFacts::new(filters_of(list), price.clone(), *cause);
        }
        let force = self.in_force(now);
        let old = force.map_or(0, |number| self.now.bank(now, number).count());
        let new = self.wanted.list(list).len();
        let drifted = force.is_none_or(|number| self.held.only(at).lines != self.now.bank(now, number).lines);
        let same = self.same_list(list);
        let mut cause = self.cause(!same, drifted && !self.was.list(list).is_empty());
        // A list that does not exist was not changed by others.
        if force.is_none() && cause == Cause::Unknown {
            cause = Cause::File;
        }
        let reason = match (force.is_some(), new) {
            (false, _) => "no filters are in force yet".to_owned(),
            (_, 0) => "no new filters replace them".to_owned(),
            _ if matches!(list, List::Ingress | List::Tunnel(_)) && self.redirect_moves => {
                format!("downloads switch to {}", self.target_name())
            }
            _ if same && !drifted && self.recorded => {
                "while classes move, packets go to the temporary class c05:2".to_owned()
            }
            _ => "new filters are added before old ones are deleted".to_owned(),
        };
        let mut kind = StepFacts::new(filters_of(list), Price::in_place(reason), cause);
        let mut value = |field: &str, old: usize, new: usize| {
            kind.values.push(Value { field: field.to_owned(), old: old.to_string(), new: new.to_string() });
        };
        value("filters", old, new);
        if self.recorded && !same && force.is_some() && new > 0 {
            let (gone, added) = self.others(list);
            value("of them", gone, added);
        }
        kind
    }

    /// Returns the number of filters that are described no longer and of those newly described, independent of their
    /// order.
    fn others(&self, list: List) -> (usize, usize) {
        let count = |lines: &[Line]| {
            let mut found: BTreeMap<String, usize> = BTreeMap::new();
            for line in lines {
                let words = pref(&line.words).map(|(before, _, after)| format!("{before}{after}"));
                *found.entry(words.unwrap_or_default()).or_default() += 1;
            }
            found
        };
        let (was, wanted) = (count(self.was.list(list)), count(self.wanted.list(list)));
        let missing = |from: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>| {
            from.iter().map(|(words, n)| n.saturating_sub(other.get(words).copied().unwrap_or(0))).sum()
        };
        (missing(&was, &wanted), missing(&wanted, &was))
    }
}

/// Splits a line into the text before its preference, the preference, and the text after it.
fn pref(words: &str) -> Option<(&str, u32, &str)> {
    let (before, rest) = words.split_once(" pref ")?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, after) = rest.split_at(digits);
    Some((before, number.parse().ok()?, after))
}

fn shifted(words: &str, by: u32) -> String {
    match pref(words) {
        Some((before, pref, after)) if by > 0 => format!("{before} pref {}{after}", pref + by),
        _ => words.to_owned(),
    }
}

/// Splits a line into the text before the class of a filter, the class, and the text after it.
fn flowid(words: &str) -> Option<(String, String, String)> {
    let (before, rest) = words.split_once(" flowid c05:")?;
    let minor = rest.trim_start_matches(|c: char| matches!(c, '0'..='9' | 'a'..='f'));
    let id = rest.strip_suffix(minor).filter(|id| !id.is_empty())?;
    Some((before.to_owned(), format!("c05:{id}"), minor.to_owned()))
}
