//! Steps for one direction: its root, classes and queues are kept, changed in place, or deleted and added again.

use super::facts::{Describer, StepFacts, role};
use super::reasons;
use super::step::{Cause, Object};
use super::values::{self, is_ours};
use crate::awk::Error;
use crate::diff::cost::Price;
use crate::engine::{Said, State, Which};
use crate::tc::Dev;

impl Describer<'_> {
    /// Returns the facts of a step for a root qdisc.
    pub(super) fn root(
        &mut self,
        state: &mut State<'_, '_>,
        dev: Dev,
        verb: &str,
    ) -> Result<StepFacts, Error> {
        let object = Object::Root { dev };
        // The steps before this one may delete the old root.
        if let Some(facts) = self.anew(dev, &object) {
            return Ok(facts);
        }
        let (place, held_place) = (state.place_now(role(dev)), state.place_held(role(dev)));
        let was = state.root(Which::Was, role(dev));
        let want = state.root(Which::Wanted, role(dev)).unwrap_or_default();
        let held = state.root(Which::Held, &held_place);
        let file = was.as_ref() != Some(&want);
        if verb == "change" {
            let now = state.root(Which::Now, &place);
            let cause = self.cause(file, held != now);
            let mut facts =
                StepFacts::new(object, reasons::cake(now.as_deref().unwrap_or_default(), &want), cause);
            facts.values = values::lines(was.as_deref(), &want);
            facts.drift = values::shown(
                Some(held.as_deref().unwrap_or_default()),
                Some(now.as_deref().unwrap_or_default()),
            );
            return Ok(facts);
        }
        let here = state.root(Which::Now, &place).is_some_and(|root| is_ours(&root));
        let current = match dev {
            Dev::Wan => None,
            Dev::Ifb => state.place_of_downloads()?,
        };
        let current = current.unwrap_or(place);
        let (now, table) = (state.root(Which::Now, &current), state.size_table(Which::Now, &current));
        let ours = now.as_deref().is_some_and(is_ours);
        let drift = was.is_some() && (held != now || state.size_table(Which::Held, &held_place) != table);
        // If our root does not exist, the cause is known even without a record.
        let cause = match (ours, drift && !file) {
            (true, _) => self.cause(file, drift),
            (false, true) => Cause::Drift,
            (false, false) => Cause::File,
        };
        let now = now.unwrap_or_default();
        let mut reason = reasons::rebuild(dev, was.is_some(), (&now, table.as_deref()), &want);
        if dev == Dev::Ifb && ours && !here {
            reason = format!(
                "{reason}; downloads stay shaped: the new tree is created on {}, then they are redirected to it",
                state.target()
            );
        }
        let price = Price::rebuild(reason);
        self.set_rebuilt(dev, (price.clone(), cause));
        Ok(StepFacts::new(object, price, cause))
    }

    /// Returns the facts of a step for a class, and its name if the file no longer has it.
    pub(super) fn class(
        &self,
        state: &mut State<'_, '_>,
        dev: Dev,
        (verb, id): (&str, &str),
        said: &Said,
    ) -> Result<(StepFacts, Option<String>), Error> {
        if verb == "del" {
            // The name comes from the last start, because the file no longer has the class.
            let called = state.name_of(role(dev), id)?;
            if said.from.ends_with(&format!(", without {called}")) {
                return Ok((self.deleted(state, dev, id), Some(called)));
            }
        }
        Ok((self.written(state, dev, (verb, id)), None))
    }

    /// Returns the facts of a class that is added or changed.
    fn written(&self, state: &State<'_, '_>, dev: Dev, (verb, id): (&str, &str)) -> StepFacts {
        let object = Object::Class { dev, id: id.to_owned() };
        if let Some(facts) = self.anew(dev, &object) {
            return facts;
        }
        let (role, place) = (role(dev), state.place_now(role(dev)));
        let price = Price::in_place(match verb {
            "change" => "a class can change while packets pass",
            _ => "no packet enters it before it is complete",
        });
        let mut facts = StepFacts::new(object, price, self.class_cause(state, dev, id));
        if verb == "change" {
            let was = state.class(Which::Was, role, id);
            let want = state.class(Which::Wanted, role, id).unwrap_or_default();
            facts.values = values::lines(was.as_deref(), &want);
            let held = state.class(Which::Held, &state.place_held(role), id);
            facts.drift = values::shown(held.as_deref(), state.class(Which::Now, &place, id).as_deref());
        }
        facts
    }

    fn class_cause(&self, state: &State<'_, '_>, dev: Dev, id: &str) -> Cause {
        let (was, want) = (state.class(Which::Was, role(dev), id), state.class(Which::Wanted, role(dev), id));
        let held = state.class(Which::Held, &state.place_held(role(dev)), id);
        let now = state.class(Which::Now, &state.place_now(role(dev)), id);
        match (self.recorded, &now) {
            (false, None) => Cause::File,
            _ => self.cause(was != want, held != now),
        }
    }

    fn deleted(&self, state: &State<'_, '_>, dev: Dev, id: &str) -> StepFacts {
        let object = Object::Class { dev, id: id.to_owned() };
        if let Some(facts) = self.anew(dev, &object) {
            return facts;
        }
        let was = state.class(Which::Was, role(dev), id);
        let held = state.class(Which::Held, &state.place_held(role(dev)), id);
        let drift = held != state.class(Which::Now, &state.place_now(role(dev)), id);
        let price = Price::own_backlog(match was.is_some() || !self.recorded {
            true => "its queue is deleted with it",
            false => "another tool created it",
        });
        StepFacts::new(object, price, self.cause(was.is_some(), drift))
    }

    /// Returns the facts of a step for the queue of a class.
    pub(super) fn leaf(&self, state: &State<'_, '_>, dev: Dev, id: &str) -> StepFacts {
        let object = Object::Leaf { dev, id: id.to_owned() };
        if let Some(facts) = self.anew(dev, &object) {
            return facts;
        }
        let (role, place) = (role(dev), state.place_now(role(dev)));
        let want = state.leaf(Which::Wanted, role, id).unwrap_or_default();
        let was = state.leaf(Which::Was, role, id);
        let held = state.leaf(Which::Held, &state.place_held(role), id);
        let file = was.as_ref() != Some(&want);
        let Some(now) = state.leaf(Which::Now, &place, id) else {
            let lost = self.recorded && was.is_some() && state.class(Which::Now, &place, id).is_some();
            let cause = if lost { self.cause(file, true) } else { self.class_cause(state, dev, id) };
            return StepFacts::new(object, Price::in_place("it had no queue"), cause);
        };
        let cause = self.cause(file, held.as_ref() != Some(&now));
        let mut facts = StepFacts::new(object, reasons::leaf(&now, &want, was.as_deref()), cause);
        facts.values = values::lines(was.as_deref(), &want);
        facts.drift = values::shown(held.as_deref(), Some(&now));
        facts
    }

    /// Finds out if a direction gets a new tree in the other slot.
    pub(super) fn find_swap(&mut self, state: &State<'_, '_>, dev: Dev) {
        if self.rebuilt(dev).is_some() {
            return;
        }
        let Some(why) = state.swap(role(dev)) else { return };
        let cause = match (self.recorded, self.same_file(dev)) {
            (false, _) => Cause::Unknown,
            (true, true) => Cause::Drift,
            (true, false) => Cause::File,
        };
        self.set_rebuilt(dev, (Price::swap(why), cause));
    }

    /// Returns true if the tree of a direction is described as at the last start.
    fn same_file(&self, dev: Dev) -> bool {
        let device = format!(" dev {} ", role(dev));
        let of = |text: &'_ str| {
            let lines = text.lines().filter(|line| line.contains(&device));
            lines
                .filter(|line| !line.starts_with("filter ") || line.contains(" parent "))
                .map(described)
                .collect::<Vec<_>>()
                .join("\n")
        };
        of(self.was) == of(self.wanted)
    }
}

/// Returns a described line without its comment.
fn described(line: &str) -> &str {
    line.split_once(" # ").map_or(line, |(line, _)| line)
}
