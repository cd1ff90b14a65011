//! Describes the steps that the engine takes: the object of each, its cost and its cause.

use super::facts::{Describer, StepFacts};
use super::filters::List;
use super::origin::{name, place};
use super::step::{Cause, Object, Step, Tool, Value};
use crate::awk::Error;
use crate::diff::cost::Price;
use crate::engine::{Converged, Router, Said, State, Which, converge};
use crate::tc::{Dev, SLOT_BIT};
use std::cell::RefCell;

/// Steps of a start, and what the engine found on the WAN device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// Steps in their order; empty if nothing needs to change.
    pub steps: Vec<Step>,
    /// Objects of others, each in the script's words.
    pub foreign: Vec<String>,
    /// True if the script's own root qdisc exists.
    pub our_root: bool,
}

/// Returns the steps from the observed to the described state.
///
/// # Errors
/// Fails if the engine cannot read the state.
pub fn steps(router: &Router) -> Result<Steps, Error> {
    let recorded = !router.was.is_empty() && !router.held.is_empty();
    let describer = Describer {
        wan: &router.wan,
        queue: &router.queue,
        was: &router.was,
        wanted: &router.wanted,
        recorded,
        ..Describer::default()
    };
    let found = RefCell::new((describer, Vec::new()));
    let converged = take(router, &found)?;
    let (_, mut steps) = found.into_inner();
    for (step, command) in steps.iter_mut().zip(converged.commands) {
        let mut words = command.split(' ');
        step.tool = if words.next() == Some("ip") { Tool::Ip } else { Tool::Tc };
        step.verb = words.nth(1).unwrap_or_default().to_owned();
        step.command = command;
    }
    Ok(Steps { steps, foreign: converged.foreign, our_root: converged.our_root })
}

/// Returns the id in slot a of a class of either slot.
fn in_slot_a(id: &str) -> String {
    let minor = id.strip_prefix("c05:").and_then(|minor| u16::from_str_radix(minor, 16).ok());
    minor.map_or(id.to_owned(), |minor| format!("c05:{:x}", minor & !SLOT_BIT))
}

type Found<'a> = RefCell<(Describer<'a>, Vec<Step>)>;

fn take<'r>(router: &'r Router, found: &'r Found<'_>) -> Result<Converged, Error> {
    converge(router, |state, said| {
        let (describer, steps) = &mut *found.borrow_mut();
        steps.push(describer.step(state, said)?);
        Ok(())
    })
}

impl Describer<'_> {
    /// Describes a step. Its command follows when the engine is done.
    fn step(&mut self, state: &mut State<'_, '_>, said: &Said) -> Result<Step, Error> {
        let words: Vec<&str> = said.words.split_whitespace().collect();
        let word = |number: usize| words.get(number).copied().unwrap_or_default();
        let after =
            |name: &str| words.iter().skip_while(|word| **word != name).nth(1).copied().unwrap_or_default();
        let (verb, device) = (word(1), word(3));
        let dev = match device {
            "@wan" => Some(Dev::Wan),
            "@ifb" => Some(Dev::Ifb),
            _ => None,
        };
        let mut called = None;
        if let Some(dev) = dev {
            self.find_swap(state, dev);
        }
        let facts = match (word(0), dev) {
            // The entry of a slot belongs to the new tree.
            ("filter", Some(dev)) if [word(5), word(6)] == ["c05:", "pref"] => {
                self.anew(dev, &Object::Root { dev }).unwrap_or(self.filters(state, &List::Root(dev))?)
            }
            ("filter", _) => self.filters(state, &List::of(device, word(4)))?,
            ("class", Some(dev)) => {
                let (facts, name) = self.class(state, dev, (verb, &in_slot_a(after("classid"))), said)?;
                called = name;
                facts
            }
            ("qdisc", Some(dev)) if word(4) == "root" => self.root(state, dev, verb)?,
            ("qdisc", Some(dev)) => self.leaf(state, dev, &in_slot_a(word(5))),
            ("qdisc", None) if device == self.wan => self.hooks(state, verb),
            ("qdisc", None) => {
                let facts = self.filters(state, &List::Tunnel(device.to_owned()))?;
                StepFacts { values: Vec::new(), ..facts }
            }
            _ => self.link(state, &words),
        };
        let StepFacts { object, price, cause, values, drift } = facts;
        // The text after the place concerns this step alone.
        let from = &said.from;
        let origin = from.find("), ").and_then(|end| from.get(..=end)).unwrap_or(from);
        Ok(Step {
            tool: Tool::Tc,
            verb: String::new(),
            object,
            name: called.unwrap_or_else(|| name(origin).to_owned()),
            place: place(origin).map(str::to_owned),
            command: String::new(),
            price,
            cause,
            values,
            drift,
        })
    }

    /// Returns the facts of a step for the qdisc of the WAN device's hooks.
    fn hooks(&self, state: &State<'_, '_>, verb: &str) -> StepFacts {
        let (reason, cause) = match verb {
            "del" if state.evicts_hook() => {
                ("`--take-over` deletes it with the filters that other tools added", Cause::Drift)
            }
            "del" => ("no filters are attached to it any more", Cause::File),
            _ => {
                let had = |list| !state.filters(Which::Was, list).is_empty();
                let had = self.recorded && (had("ingress") || had("egress"));
                ("no packet passes it yet", if had { Cause::Drift } else { Cause::File })
            }
        };
        StepFacts::new(Object::Hooks, Price::in_place(reason), cause)
    }

    /// Returns the facts of a step for a device: an ifb, or the WAN device's own queue.
    fn link(&self, state: &State<'_, '_>, words: &[&str]) -> StepFacts {
        let target = state.target();
        let object = |name: &str| Object::Ifb { name: name.to_owned() };
        match words {
            ["link", "add", "name", name, ..] => {
                let price = Price::in_place("no packet passes it yet");
                StepFacts::new(object(name), price, self.link_cause(state))
            }
            ["link", "set", _, name, _, _, "alias", ..] => {
                let price = Price::in_place("downloads pass it from now on");
                StepFacts::new(object(name), price, self.link_cause(state))
            }
            ["link", "set", ..] => {
                let price = Price::in_place("no packet waits in the device's own queue");
                let mut facts = StepFacts::new(Object::Txqueuelen, price, Cause::File);
                let new = words.last().copied().unwrap_or_default().to_owned();
                facts.values =
                    vec![Value { field: "txqueuelen".to_owned(), old: self.queue.to_owned(), new }];
                facts
            }
            _ => {
                let price = match self.rebuilt(Dev::Ifb) {
                    Some((price, _)) => price.clone(),
                    None if target.is_empty() => Price::rebuild("downloads are no longer shaped"),
                    None => Price::in_place("no packet passes it"),
                };
                let name = words.last().copied().unwrap_or_default();
                StepFacts::new(object(name), price, self.link_cause(state))
            }
        }
    }

    /// Returns the cause of a step for an ifb. It is drift if the need for an ifb has not changed since the last start.
    fn link_cause(&self, state: &State<'_, '_>) -> Cause {
        let is_shaped = |of| state.root(of, "@ifb").is_some();
        match self.rebuilt(Dev::Ifb) {
            Some((_, cause)) => *cause,
            None if self.recorded && is_shaped(Which::Was) == is_shaped(Which::Wanted) => Cause::Drift,
            None => Cause::File,
        }
    }
}
