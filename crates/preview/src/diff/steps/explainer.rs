//! Object, cost and cause of each command.

use super::command::Command;
use super::facts::Facts;
use super::found::Found;
use super::lists::{list, of_list};
use super::router::Router;
use super::step::{Cause, ChangedValue, Object};
use super::trees::Tree;
use crate::diff::cost::{Cost, Price};
use qosc_compiler::tc::{Dev, Hook};
use std::collections::BTreeMap;

/// Explains the steps of a router.
pub(super) struct Explainer<'r> {
    router: &'r Router,
    found: &'r Found<'r>,
    wan: Tree<'r>,
    ifb: Tree<'r>,
    /// Facts of all steps for a list of filters.
    lists: BTreeMap<Object, Facts>,
}

impl<'r> Explainer<'r> {
    pub(super) fn new(router: &'r Router, found: &'r Found<'r>) -> Explainer<'r> {
        let tree = |dev| Tree::new(dev, router, found);
        Explainer { router, found, wan: tree(Dev::Wan), ifb: tree(Dev::Ifb), lists: BTreeMap::new() }
    }

    pub(super) fn facts(&mut self, command: &Command<'_>) -> Facts {
        let router = self.router;
        let object = command.object(router, self.found.target);
        match &object {
            Object::Txqueuelen => {
                let price = Price::in_place("no packet waits in the device's own queue");
                let (field, old, new) = ("txqueuelen".to_owned(), router.queue.clone(), command.last());
                let values = vec![ChangedValue { field, old, new: new.to_owned() }];
                Facts { values, ..Facts::new(object, price, Cause::File) }
            }
            Object::Ifb { name } => {
                let (price, cause) = self.ifb(name, command.verb());
                Facts::new(object, price, cause)
            }
            Object::Hooks => {
                let (reason, cause) = self.hooks(command);
                Facts::new(object, Price::in_place(reason), cause)
            }
            Object::Root { dev: Dev::Wan } if command.word(3) != router.up() => {
                let price = Price::rebuild("uploads are queued on an ifb from now on");
                Facts::new(object, price, self.of_file())
            }
            Object::Filters { hook: Hook::Ingress | Hook::Egress, .. } => self.list(&object),
            Object::Tunnel { .. } if command.word(0) == "qdisc" => {
                Facts { values: Vec::new(), ..self.list(&object) }
            }
            Object::Tunnel { .. } => self.list(&object),
            Object::Root { dev }
            | Object::Class { dev, .. }
            | Object::Leaf { dev, .. }
            | Object::Filters { dev, .. } => {
                let tree = if *dev == Dev::Wan { &self.wan } else { &self.ifb };
                match tree.facts(&object, command) {
                    Some(facts) => facts,
                    None => self.list(&object),
                }
            }
        }
    }

    const fn of_file(&self) -> Cause {
        if self.router.is_recorded() { Cause::File } else { Cause::Unknown }
    }

    /// Returns the price and cause of a step for an ifb.
    fn ifb(&self, name: &str, verb: &str) -> (Price, Cause) {
        let is_of_uploads = name == self.router.uploads_ifb.0;
        let is_needed = !self.found.target.is_empty();
        let had = !self.found.text("@ifb", "root", "was").is_empty();
        let cause = match self.router.is_recorded() && had == is_needed {
            _ if is_of_uploads => self.of_file(),
            true => Cause::Drift,
            false => Cause::File,
        };
        let price = match (verb, is_of_uploads) {
            ("add", _) => Price::in_place("no packet passes it yet"),
            ("set", true) => Price::in_place("uploads pass it from now on"),
            ("set", false) => Price::in_place("downloads pass it from now on"),
            (_, true) => Price::rebuild("uploads are queued at the WAN device from now on"),
            (_, false) => match &self.ifb.anew {
                Some((price, cause)) if price.cost == Cost::Rebuild => return (price.clone(), *cause),
                _ if is_needed => Price::in_place("no packet passes it"),
                _ => Price::rebuild("downloads are no longer shaped"),
            },
        };
        (price, cause)
    }

    /// Returns the reason and cause of a step for the qdisc at the WAN device's hooks.
    fn hooks(&self, command: &Command<'_>) -> (&'static str, Cause) {
        let had = |name| of_list(&self.router.was, name).next().is_some();
        match command.verb() {
            "add" if self.router.is_recorded() && (had("ingress") || had("egress")) => {
                ("no packet passes it yet", Cause::Drift)
            }
            "add" => ("no packet passes it yet", Cause::File),
            // Only the step of `--take-over` has no comment.
            _ if command.from.is_empty() => {
                ("`--take-over` deletes it with the filters that other tools added", Cause::Drift)
            }
            _ => ("no filters are attached to it any more", Cause::File),
        }
    }

    fn list(&mut self, object: &Object) -> Facts {
        let (router, found) = (self.router, self.found);
        self.lists.entry(object.clone()).or_insert_with(|| list(object, router, found)).clone()
    }
}
