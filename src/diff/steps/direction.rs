//! Steps for one direction: nothing, numbers or classes in place, a swap to the other slot, or a new root.

use super::described;
use super::normal::other_slot;
use super::observed::{Device, Tree, parent};
use super::origin::name;
use super::reasons;
use super::sides::Side;
use super::step::{Cause, Object, Tool};
use super::values::{self, is_cake, is_ours, isolation, option};
use super::writer::{Facts, Writer};
use crate::diff::cost::Price;
use crate::tc::{Dev, Hook};
use std::collections::BTreeSet;

/// Placeholder of a device in the script's lines.
pub(super) const fn role(dev: Dev) -> &'static str {
    match dev {
        Dev::Wan => "@wan",
        Dev::Ifb => "@ifb",
    }
}

/// One direction in its four states.
pub(super) struct Direction<'d, 'w> {
    pub(super) dev: Dev,
    pub(super) was: &'d described::Tree<'d>,
    pub(super) want: &'d described::Tree<'d>,
    /// Device as the last start left it, and the tree that it left in use.
    pub(super) device_held: &'d Device,
    pub(super) held: &'d Tree,
    pub(super) device: &'d Device,
    /// Device that the packets pass until the last step.
    pub(super) current: &'d Device,
    /// Price and cause if the direction gets a new tree.
    pub(super) anew: Option<(Price, Cause)>,
    pub(super) out: &'d mut Writer<'w>,
}

/// Returns true if a root qdisc is ours, has all options that only its creation can set, and leads to a slot.
pub(super) fn fits(want: &described::Tree<'_>, device: &Device) -> bool {
    let (want, shown) = (want.root.words, device.root.as_str());
    let same = |name| option(shown, name) == option(want, name);
    if device.is_stray {
        return false;
    }
    if is_cake(want) {
        return shown.starts_with("qdisc cake c05: root") && isolation(shown) == isolation(want);
    }
    shown.starts_with("qdisc htb c05: root")
        && device.live().is_some()
        && same("direct_qlen")
        && same("r2q")
        && matches!(option(shown, "default"), Some("0" | "0x0"))
        && reasons::told(want) == option(&device.table, "overhead")
}

/// Returns doomed classes in the order of their deletion: children come before their parent.
fn deletions(tree: &Tree, is_doomed: impl Fn(&str) -> bool) -> Vec<&str> {
    let (mut order, mut seen, mut open) = (Vec::new(), BTreeSet::new(), Vec::new());
    for id in tree.classes.keys().filter(|id| is_doomed(id)) {
        if seen.insert(id.as_str()) {
            open.push((id.as_str(), tree.children(id).iter()));
        }
        while let Some((id, children)) = open.last_mut() {
            match children.next() {
                Some(child) if seen.insert(child) => open.push((child, tree.children(child).iter())),
                Some(_) => {}
                None => {
                    order.push(*id);
                    open.pop();
                }
            }
        }
    }
    order
}

impl Direction<'_, '_> {
    /// Adds the steps of the direction.
    pub(super) fn take(&mut self) {
        let (dev, root) = (role(self.dev), self.want.root);
        if !fits(self.want, self.device) {
            let (price, cause) = self.rebuild();
            self.anew = Some((price.clone(), cause));
            let facts = Facts::new(Object::Root { dev: self.dev }, price, cause);
            if is_ours(&self.device.root) {
                self.say(Side::A, &format!("qdisc del dev {dev} root"), root.from, facts.clone());
            }
            self.say(Side::A, root.words, root.from, facts);
            self.build(Side::A);
            return;
        }
        let device = self.device;
        if is_cake(root.words) {
            self.change_cake();
            self.adapt(&device.slots.a, Side::A);
            return;
        }
        let slot = device.live().unwrap_or(Side::A);
        let tree = device.slots.get(slot);
        self.anew = self.misfit(tree).map(|why| (Price::swap(why), self.cause_of_swap()));
        // A killed start may have left a part of a tree there.
        self.demolish(slot.other());
        if self.anew.is_none() {
            self.adapt(tree, slot);
        } else {
            self.build(slot.other());
            self.demolish(slot);
        }
    }

    /// Adds a step with a line of slot a.
    pub(super) fn say(&mut self, slot: Side, words: &str, from: &str, facts: Facts) {
        let words = if slot == Side::A { words.to_owned() } else { other_slot(words) };
        self.out.say(Tool::Tc, &words, from, facts);
    }

    /// Returns the facts of a step for a new tree: all have its price and cause.
    fn part(&self, object: Object) -> Facts {
        let (price, cause) = self.anew.clone().unwrap_or((Price::rebuild(""), Cause::Unknown));
        Facts::new(object, price, cause)
    }

    /// Returns the price and cause of a new root.
    fn rebuild(&self) -> (Price, Cause) {
        let (held, now) = (self.device_held, self.current);
        let (was, ours) = (self.was.is_there(), is_ours(&now.root));
        let file = self.was.root.words != self.want.root.words;
        let same = held.root == now.root && held.table == now.table && held.live() == now.live();
        let drift = was && (!same || now.is_stray);
        // If our root does not exist, the cause is known even without a record.
        let cause = match (ours, drift && !file) {
            (true, _) => self.out.cause(file, drift),
            (false, true) => Cause::Drift,
            (false, false) => Cause::File,
        };
        let mut reason = reasons::rebuild(self.dev, was, now, self.want.root.words);
        if self.dev == Dev::Ifb && ours && !is_ours(&self.device.root) {
            reason = format!(
                "{reason}; downloads stay shaped: the new tree is created on {}, then they are redirected to it",
                self.out.target
            );
        }
        (Price::rebuild(reason), cause)
    }

    fn cause_of_swap(&self) -> Cause {
        match (self.out.recorded, self.was.is_as(self.want)) {
            (false, _) => Cause::Unknown,
            (true, true) => Cause::Drift,
            (true, false) => Cause::File,
        }
    }

    fn change_cake(&mut self) {
        let (was, want) = (self.was.root.words, self.want.root);
        let (held, now) = (self.device_held.root.as_str(), self.device.root.as_str());
        if was != want.words || held != now {
            let cause = self.out.cause(was != want.words, held != now);
            let mut facts = Facts::new(Object::Root { dev: self.dev }, reasons::cake(now, want.words), cause);
            facts.values = values::lines(was, want.words);
            facts.drift = values::shown(held, now);
            let words = want.words.replacen("qdisc replace", "qdisc change", 1);
            self.say(Side::A, &words, want.from, facts);
        }
    }

    /// Returns the reason why a tree cannot take the wanted form in place, or nothing.
    fn misfit(&self, tree: &Tree) -> Option<String> {
        if self.held.classes.is_empty() {
            return Some("there is no record of what start made".to_owned());
        }
        if self.held.entries != tree.entries {
            return Some("others changed the entry of its filters".to_owned());
        }
        self.want.classes.iter().find_map(|(id, line)| {
            let class = tree.classes.get(*id)?;
            let name = name(line.from);
            if parent(class) != line.parent() {
                return Some(format!("{name} gets another parent"));
            }
            match (tree.children(id).is_empty(), self.want.inner.contains(id)) {
                (false, false) => return Some(format!("{name} loses its last class, and gets a queue")),
                (true, true) => return Some(format!("{name} gets its first class")),
                _ => {}
            }
            reasons::other_queue(tree.leaves.get(*id)?, *self.want.leaves.get(id)?, name)
        })
    }

    /// Changes a tree in place. New classes come first, then the list of filters, and classes without filters go last.
    fn adapt(&mut self, tree: &Tree, slot: Side) {
        let want = self.want;
        for (id, line) in &want.classes {
            let (was, held) = (self.was.class(id), self.held.class(id));
            let Some(now) = tree.classes.get(*id) else {
                let price = Price::in_place("no packet enters it before it is complete");
                let facts = Facts::new(self.class(id), price, self.cause_of_class(tree, id));
                self.say(slot, line.words, line.from, facts);
                continue;
            };
            if was != line.words || held != now {
                let price = Price::in_place("a class can change while packets pass");
                let mut facts = Facts::new(self.class(id), price, self.cause_of_class(tree, id));
                facts.values = values::lines(was, line.words);
                facts.drift = values::shown(held, now);
                self.say(slot, &line.words.replacen("class add", "class change", 1), line.from, facts);
            }
        }
        for id in want.classes.keys() {
            self.put_leaf(tree, id, slot);
        }
        self.switch_chain(tree, slot);
        for id in deletions(tree, |id| !want.classes.contains_key(id)) {
            let is_ours = self.was.classes.contains_key(id);
            let price = Price::own_backlog(match is_ours || !self.out.recorded {
                true => "its queue is deleted with it",
                false => "another tool created it",
            });
            let cause = self.out.cause(is_ours, self.held.class(id) != tree.class(id));
            self.delete_class(id, slot, Facts::new(self.class(id), price, cause));
        }
    }

    fn class(&self, id: &str) -> Object {
        Object::Class { dev: self.dev, id: id.to_owned() }
    }

    fn cause_of_class(&self, tree: &Tree, id: &str) -> Cause {
        let now = tree.class(id);
        match (self.out.recorded, now) {
            (false, "") => Cause::File,
            _ => self.out.cause(self.was.class(id) != self.want.class(id), self.held.class(id) != now),
        }
    }

    /// Sets the queue of a leaf class, which keeps its packets.
    fn put_leaf(&mut self, tree: &Tree, id: &str, slot: Side) {
        let Some(want) = self.want.leaves.get(id).copied() else { return };
        let (was, held) = (self.was.leaf(id), self.held.leaf(id));
        let object = Object::Leaf { dev: self.dev, id: id.to_owned() };
        let Some(now) = tree.leaves.get(id) else {
            let lost = self.out.recorded && !was.is_empty() && tree.classes.contains_key(id);
            let file = self.out.cause(was != want.words, true);
            let cause = if lost { file } else { self.cause_of_class(tree, id) };
            self.say(
                slot,
                want.words,
                want.from,
                Facts::new(object, Price::in_place("it had no queue"), cause),
            );
            return;
        };
        if was == want.words && held == now {
            return;
        }
        let cause = self.out.cause(was != want.words, held != now);
        let mut facts = Facts::new(object, reasons::leaf(now, want.words, was), cause);
        facts.values = values::lines(was, want.words);
        facts.drift = values::shown(held, now);
        let mut words = want.words.replacen("qdisc add", "qdisc change", 1);
        if let Some(flows) = option(&words, "flows").filter(|_| words.contains(" fq_codel ")) {
            words = words.replacen(&format!(" flows {flows}"), "", 1);
        }
        self.say(slot, &words, want.from, facts);
    }

    /// Builds the tree of a slot, and sends all packets there. The entry of slot b comes before that of slot a.
    fn build(&mut self, slot: Side) {
        let want = self.want;
        for (id, line) in &want.classes {
            self.say(slot, line.words, line.from, self.part(self.class(id)));
            if let Some(leaf) = want.leaves.get(id) {
                let object = Object::Leaf { dev: self.dev, id: (*id).to_owned() };
                self.say(slot, leaf.words, leaf.from, self.part(object));
            }
        }
        if !want.filters.is_empty() {
            let facts = self.part(Object::Filters { dev: self.dev, hook: Hook::Root });
            self.add_chain(slot, Side::A, &facts);
        }
        if !is_cake(want.root.words) {
            let words = format!(
                "filter add dev {} parent c05: pref {} protocol all u32 match u32 0 0 at 0 flowid c05:a000",
                role(self.dev),
                slot.of(2, 1)
            );
            let facts = self.part(Object::Root { dev: self.dev });
            self.say(slot, &words, &format!("{}, entry", want.root.from), facts);
        }
    }

    /// Deletes the tree of a slot. Its entry goes first.
    fn demolish(&mut self, slot: Side) {
        let tree = self.device.slots.get(slot);
        let root = self.want.root.from;
        let second = self.second_tree(slot);
        let facts = |own: &Self, object| if own.anew.is_some() { own.part(object) } else { second.clone() };
        if tree.is_entered {
            let words = format!("filter del dev {} parent c05: pref {}", role(self.dev), slot.of(2, 1));
            let facts = facts(self, Object::Root { dev: self.dev });
            self.say(slot, &words, &format!("{root}, entry of before"), facts);
        }
        for chain in [Side::A, Side::B] {
            let facts = facts(self, Object::Filters { dev: self.dev, hook: Hook::Root });
            self.delete_chain(tree, slot, chain, &facts);
        }
        for id in deletions(tree, |_| true) {
            let facts = facts(self, self.class(id));
            self.delete_class(id, slot, facts);
        }
    }

    /// Returns the facts of the steps that delete a second tree, if the first one stays.
    fn second_tree(&self, slot: Side) -> Facts {
        let id = if slot == Side::A { "c05:a000" } else { "c05:b000" };
        let cause = self.out.cause(false, true);
        let facts = Facts::new(self.class(id), Price::in_place("no packet enters it"), cause);
        Facts { name: Some("a second tree".to_owned()), ..facts }
    }

    /// Deletes a class. The name comes from the last start, because the file no longer has the class.
    fn delete_class(&mut self, id: &str, slot: Side, mut facts: Facts) {
        let called = self.was.classes.get(id).map_or(id, |line| name(line.from)).to_owned();
        let words = format!("class del dev {} classid {id}", role(self.dev));
        let from = format!("{}, without {called}", self.want.root.from);
        facts.name = facts.name.or(Some(called));
        self.say(slot, &words, &from, facts);
    }
}
