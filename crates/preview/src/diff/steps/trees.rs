//! Facts of the steps for the tree of a direction.

use super::command::Command;
use super::facts::{Facts, cause};
use super::found::Found;
use super::queues;
use super::router::Router;
use super::step::{Cause, Object};
use super::values::{self, is_cake};
use crate::diff::cost::Price;
use qosc_compiler::tc::Dev;

/// Placeholder of a device in the script's lines.
pub(super) const fn role(dev: Dev) -> &'static str {
    match dev {
        Dev::Wan => "@wan",
        Dev::Ifb => "@ifb",
    }
}

/// Tree of a direction.
pub(super) struct Tree<'r> {
    pub(super) dev: Dev,
    pub(super) router: &'r Router,
    pub(super) found: &'r Found<'r>,
    /// Price and cause if the direction gets a new tree.
    pub(super) anew: Option<(Price, Cause)>,
}

/// An object of a tree in its three states.
struct Texts<'r> {
    was: &'r str,
    now: &'r str,
    wanted: &'r str,
}

impl<'r> Tree<'r> {
    pub(super) fn new(dev: Dev, router: &'r Router, found: &'r Found<'r>) -> Tree<'r> {
        let mut tree = Tree { dev, router, found, anew: None };
        tree.anew = match tree.text("outcome", "now") {
            "" => None,
            "rebuild" => Some(tree.rebuild()),
            why => Some((Price::swap(why.to_owned()), tree.cause_of_swap())),
        };
        tree
    }

    pub(super) fn text(&self, object: &str, state: &str) -> &'r str {
        self.found.text(role(self.dev), object, state)
    }

    /// Returns `true` if the kernel does not show the root with its entries, or the tree, as after the last start.
    pub(super) fn is_other(&self, place: &str) -> bool {
        self.found.is_other(role(self.dev), place)
    }

    fn texts(&self, object: &str) -> Texts<'r> {
        let of = |state| self.text(object, state);
        Texts { was: of("was"), now: of("now"), wanted: of("wanted") }
    }

    fn cause_of_swap(&self) -> Cause {
        let role = role(self.dev);
        let lines = |text: &'r str| {
            let lines = text.lines().filter_map(|line| Some(line.split_once(" # ")?.0));
            lines.filter(move |line| {
                let mut words = line.split_whitespace().skip(3);
                words.next() == Some(role) && !matches!(words.next(), Some("ingress" | "egress"))
            })
        };
        match (self.router.is_recorded(), lines(&self.router.was).eq(lines(&self.router.wanted))) {
            (false, _) => Cause::Unknown,
            (true, true) => Cause::Drift,
            (true, false) => Cause::File,
        }
    }

    /// Returns the facts of a step; `None` if they are those of its list of filters.
    pub(super) fn facts(&self, object: &Object, command: &Command<'_>) -> Option<Facts> {
        // The name of a deleted class comes from the last start, because the file no longer has the class.
        let name = match (object, command.verb()) {
            (Object::Class { .. }, "del") => {
                command.from.split_once(", without ").map(|(_, name)| name.to_owned())
            }
            _ => None,
        };
        if let Some((price, cause)) = self.anew.clone() {
            // In a new tree, an entry counts as a part of the tree.
            let object = if command.is_entry() { Object::Root { dev: self.dev } } else { object.clone() };
            return Some(Facts { name, ..Facts::new(object, price, cause) });
        }
        if let Some(id) = self.second_tree(command) {
            let object = Object::Class { dev: self.dev, id: id.to_owned() };
            let cause = cause(self.router.is_recorded(), false, true);
            let facts = Facts::new(object, Price::in_place("no packet enters it"), cause);
            return Some(Facts { name: Some("a second tree".to_owned()), ..facts });
        }
        let facts = match object {
            Object::Class { id, .. } => self.class(object, &self.texts(id)),
            Object::Leaf { id, .. } => self.queue(object, &self.texts(&format!("queue:{id}")), id),
            Object::Filters { .. } => return None,
            _ => {
                let texts = self.texts("root");
                let cause =
                    cause(self.router.is_recorded(), texts.was != texts.wanted, self.is_other("root"));
                Facts { cause, ..self.change(object, queues::cake(texts.now, texts.wanted), &texts) }
            }
        };
        Some(Facts { name, ..facts })
    }

    /// Returns the top class of the slot that packets do not enter, if the command deletes something there.
    fn second_tree(&self, command: &Command<'_>) -> Option<&'static str> {
        let other = if self.text("slot", "now") == "a" { "c05:b000" } else { "c05:a000" };
        let is_cake = is_cake(self.text("root", "wanted"));
        let is_there = match command.id() {
            "c05:" => command.word(0) == "filter",
            id => is_in_slot_b(id) == is_in_slot_b(other),
        };
        (command.verb() == "del" && !is_cake && is_there).then_some(other)
    }

    /// Returns the facts of a change to an object that keeps its packets.
    fn change(&self, object: &Object, price: Price, texts: &Texts<'_>) -> Facts {
        let cause = self.cause(texts);
        Facts { values: values::lines(texts.was, texts.wanted), ..Facts::new(object.clone(), price, cause) }
    }

    fn cause(&self, texts: &Texts<'_>) -> Cause {
        cause(self.router.is_recorded(), texts.was != texts.wanted, self.is_other("tree"))
    }

    fn cause_of_class(&self, texts: &Texts<'_>) -> Cause {
        match (self.router.is_recorded(), texts.now) {
            (false, "") => Cause::File,
            _ => self.cause(texts),
        }
    }

    fn class(&self, object: &Object, texts: &Texts<'_>) -> Facts {
        let recorded = self.router.is_recorded();
        let is_ours = !texts.was.is_empty();
        let (price, cause) = match (texts.now, texts.wanted) {
            ("", _) => {
                (Price::in_place("no packet enters it before it is complete"), self.cause_of_class(texts))
            }
            (_, "") => {
                let reason = match is_ours || !recorded {
                    true => "its queue is deleted with it",
                    false => "another tool created it",
                };
                (Price::own_backlog(reason), cause(recorded, is_ours, !is_ours))
            }
            _ => {
                return self.change(object, Price::in_place("a class can change while packets pass"), texts);
            }
        };
        Facts::new(object.clone(), price, cause)
    }

    /// Returns the facts of the step for the queue of a leaf class, which keeps its packets.
    fn queue(&self, object: &Object, texts: &Texts<'_>, id: &str) -> Facts {
        let recorded = self.router.is_recorded();
        if !texts.now.is_empty() {
            return self.change(object, queues::leaf(texts.now, texts.wanted, texts.was), texts);
        }
        let class = self.texts(id);
        let cause = match recorded && !texts.was.is_empty() && !class.now.is_empty() {
            true => cause(recorded, texts.was != texts.wanted, true),
            false => self.cause_of_class(&class),
        };
        Facts::new(object.clone(), Price::in_place("it had no queue"), cause)
    }
}

/// Returns true if a class id is one of slot b: the first of its four hex digits is odd.
fn is_in_slot_b(id: &str) -> bool {
    let minor = id.strip_prefix("c05:").filter(|minor| minor.len() == 4);
    minor.is_some_and(|minor| minor.starts_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']))
}
