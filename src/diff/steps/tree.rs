//! Steps for one direction: its root, classes and queues are kept, changed in place, or deleted and added again.

use super::described::{Line, List, Tree, option};
use super::reasons;
use super::shown::{At, Number, ShownDevice, held_place, is_cake, isolation};
use super::step::{Cause, Object, Tool};
use super::values;
use super::walk::{StepFacts, Walk, role};
use crate::diff::cost::Price;
use crate::tc::Dev;
use std::collections::BTreeMap;

/// Class at the top of the tree.
const TOP: &str = "c05:1";

/// Temporary class for packets while classes move.
const DETOUR: &str = "c05:2";

/// Pairs of the words that a command begins with and the words to replace them.
const CLASS: (&str, &str) = ("class add", "class change");
const QDISC: (&str, &str) = ("qdisc add", "qdisc change");
const ROOT: (&str, &str) = ("qdisc replace", "qdisc change");

fn begin(words: &str, (from, to): (&str, &str)) -> String {
    words.strip_prefix(from).map_or_else(|| words.to_owned(), |rest| format!("{to}{rest}"))
}

impl Walk<'_> {
    pub(super) fn direction(&mut self, dev: Dev, place: ShownDevice) {
        let mut place = place;
        let root = self.wanted.tree(dev).root.clone().unwrap_or_default();
        if !self.now.tree(place).fits(&root.words) {
            self.replace_root(dev, place, &root);
            place = ShownDevice::Nothing;
        } else if is_cake(&root.words) {
            self.change_root(dev, place, &root);
        }
        let list = List::Root(dev);
        let at = At::Root(place);
        // If filters are in force, classes are deleted after the filters were switched. But while a class changes its
        // parent, or a leaf gains or loses child classes, no filter may point at it. Meanwhile its traffic goes to the
        // temporary class.
        let force = self.now.in_force(at);
        let phased = force.filter(|_| self.disturbed_any(dev, place));
        if let Some(force) = phased {
            self.detour(dev, place, force);
        }
        if phased.is_some() || force.is_none() {
            self.delete_classes(dev, place, phased.is_some());
        }
        let order = self.wanted.tree(dev).order.clone();
        for id in &order {
            self.put_class(dev, place, id);
        }
        for id in &order {
            self.put_leaf(dev, place, id);
        }
        if let Some(force) = phased {
            self.add_bank(list, force, None);
            let prefs = self.wanted_prefs(list, force.other());
            self.drop_prefs(list, &prefs);
            let kind = self.detour_kind(dev);
            let words = format!("class del dev {} classid {DETOUR}", role(dev));
            self.say(Tool::Tc, &words, &self.origin(dev), kind);
        } else {
            self.switch(list, at, At::Root(held_place(dev)));
            self.delete_classes(dev, place, false);
        }
    }

    fn replace_root(&mut self, dev: Dev, place: ShownDevice, root: &Line) {
        let was = self.was.tree(dev).root.as_ref();
        let here = self.now.tree(place).is_ours();
        let current = self.now.tree(self.current_place(dev, place));
        let ours = current.is_ours();
        let held = self.held.tree(held_place(dev));
        let file = was.is_none_or(|was| was.words != root.words);
        let drift = was.is_some() && (held.root != current.root || held.stab != current.stab);
        // If our root does not exist, the cause is known even without a record.
        let cause = match (ours, drift && !file) {
            (true, _) => self.cause(file, drift),
            (false, true) => Cause::Drift,
            (false, false) => Cause::File,
        };
        let mut reason = reasons::rebuild(dev, was.is_some(), current, &root.words);
        if dev == Dev::Ifb && ours && !here {
            reason = format!(
                "{reason}; downloads stay shaped: the new tree is created on {}, then they are redirected to it",
                self.target_name()
            );
        }
        let price = Price::rebuild(reason);
        self.set_rebuilt(dev, (price.clone(), cause));
        let kind = StepFacts::new(Object::Root { dev }, price, cause);
        if here {
            self.say(Tool::Tc, &format!("qdisc del dev {} root", role(dev)), &root.from, kind.clone());
        }
        self.tc(root, kind);
    }

    /// Changes a CAKE root. Its packets stay, except those in tins that no longer exist.
    fn change_root(&mut self, dev: Dev, place: ShownDevice, root: &Line) {
        let was = self.was.tree(dev).root.as_ref().map(|line| line.words.as_str());
        let held = self.held.tree(held_place(dev)).root.as_str();
        let now = self.now.tree(place).root.as_str();
        if was == Some(&root.words) && held == now {
            return;
        }
        let cause = self.cause(was != Some(&root.words), held != now);
        let mut kind = StepFacts::new(Object::Root { dev }, reasons::cake(now, &root.words), cause);
        kind.values = values::lines(was, &root.words);
        kind.drift = values::shown(Some(held), Some(now));
        self.say(Tool::Tc, &begin(&root.words, ROOT), &root.from, kind);
    }

    /// Facts of a step for a class or queue in a rebuilt tree; `None` if the tree stays.
    fn anew(&self, dev: Dev, object: &Object) -> Option<StepFacts> {
        self.rebuilt(dev).map(|(price, cause)| StepFacts::new(object.clone(), price.clone(), *cause))
    }

    fn put_class(&mut self, dev: Dev, place: ShownDevice, id: &str) {
        let Some(line) = self.wanted.tree(dev).classes.get(id).map(|class| class.line.clone()) else {
            return;
        };
        let here = self.now.tree(place).class(id).is_some();
        if here && self.same_class(dev, place, id) {
            return;
        }
        let object = Object::Class { dev, id: id.to_owned() };
        let kind = self.anew(dev, &object).unwrap_or_else(|| {
            let moved = self.gone.contains(&(place, id.to_owned()));
            let mut kind = StepFacts::new(
                object,
                self.class_price(dev, place, id, moved),
                self.class_cause(dev, place, id),
            );
            if here || moved {
                kind.values = values::lines(self.was.tree(dev).class(id), &line.words);
                for value in kind.values.iter_mut().filter(|value| value.field == "parent") {
                    let name = |tree: &Tree, id: &str| match id {
                        TOP => "the link".to_owned(),
                        id => tree.name(id).unwrap_or(id).to_owned(),
                    };
                    value.old = name(self.was.tree(dev), &value.old);
                    value.new = name(self.wanted.tree(dev), &value.new);
                }
                kind.drift =
                    values::shown(self.held.tree(held_place(dev)).class(id), self.now.tree(place).class(id));
            }
            kind
        });
        let words = if here { begin(&line.words, CLASS) } else { line.words.clone() };
        self.say(Tool::Tc, &words, &line.from, kind);
    }

    fn class_cause(&self, dev: Dev, place: ShownDevice, id: &str) -> Cause {
        let (was, want) = (self.was.tree(dev).class(id), self.wanted.tree(dev).class(id));
        let held = self.held.tree(held_place(dev)).class(id);
        let moved = self.gone.contains(&(place, id.to_owned()));
        let now = if moved { held } else { self.now.tree(place).class(id) };
        match (self.recorded, now) {
            (false, None) if !moved => Cause::File,
            _ => self.cause(was != want, held != now),
        }
    }

    fn class_price(&self, dev: Dev, place: ShownDevice, id: &str, moved: bool) -> Price {
        let wanted = self.wanted.tree(dev);
        let parent = wanted.classes.get(id).map(|class| class.parent.as_str()).unwrap_or_default();
        let now = self.now.tree(place);
        if moved {
            return Price::own_backlog("its place in the tree changes, so its queue is created again");
        }
        if now.class(id).is_some() {
            return Price::in_place("a class can change while packets pass");
        }
        if now.class(parent).is_some() && !now.has_kids(parent) && parent != TOP {
            let parent = wanted.name(parent).unwrap_or(parent);
            return Price::own_backlog(format!(
                "it is the first class in {parent}, whose own queue is deleted"
            ));
        }
        Price::in_place("no packet enters it before it is complete")
    }

    /// True if the class needs no step. The kernel ignores the priority and quantum of a parent class, so a class that
    /// loses its children is written again.
    fn same_class(&self, dev: Dev, place: ShownDevice, id: &str) -> bool {
        let was = self.was.tree(dev).class(id);
        let emptied = self.now.tree(place).has_kids(id) && !self.wanted.tree(dev).has_kids(id);
        was.is_some()
            && !emptied
            && was == self.wanted.tree(dev).class(id)
            && self.held.tree(held_place(dev)).class(id).unwrap_or_default()
                == self.now.tree(place).class(id).unwrap_or_default()
    }

    /// True if the class must be deleted and added again, because it or one of its ancestors changes its parent.
    fn remade(&self, dev: Dev, place: ShownDevice, id: &str) -> bool {
        let wanted = self.wanted.tree(dev).classes.get(id);
        let now = self.now.tree(place).classes.get(id);
        let (Some(wanted), Some(now)) = (wanted, now) else { return false };
        wanted.parent != now.parent || self.remade(dev, place, &now.parent)
    }

    /// True if no packet may be sent to this class while the tree changes.
    pub(super) fn disturbed(&self, dev: Dev, place: ShownDevice, id: &str) -> bool {
        let wanted = self.wanted.tree(dev);
        id != TOP
            && wanted.class(id).is_some()
            && (self.remade(dev, place, id) || self.now.tree(place).has_kids(id) != wanted.has_kids(id))
    }

    fn disturbed_any(&self, dev: Dev, place: ShownDevice) -> bool {
        self.now.tree(place).order.iter().any(|id| self.disturbed(dev, place, id))
    }

    fn detour(&mut self, dev: Dev, place: ShownDevice, force: Number) {
        let list = List::Root(dev);
        self.drop_bank(list, At::Root(place), force.other());
        let top = self.wanted.tree(dev).classes.get(TOP).map(|class| class.line.clone()).unwrap_or_default();
        let mut words = top.words.replacen("parent c05: classid c05:1", "parent c05:1 classid c05:2", 1);
        if self.now.tree(place).class(DETOUR).is_some() {
            words = begin(&words, CLASS);
        }
        let kind = self.detour_kind(dev);
        self.say(Tool::Tc, &words, &format!("{}, while classes move", top.from), kind);
        self.add_bank(list, force.other(), Some(place));
        self.drop_bank(list, At::Root(place), force);
    }

    fn detour_kind(&self, dev: Dev) -> StepFacts {
        let price = Price::in_place("a temporary class for packets while other classes move");
        let cause = if self.recorded { Cause::File } else { Cause::Unknown };
        StepFacts::new(Object::Class { dev, id: DETOUR.to_owned() }, price, cause)
    }

    /// Deletes children first. No filter names these classes any more.
    fn delete_classes(&mut self, dev: Dev, place: ShownDevice, keep_detour: bool) {
        let tree = self.now.tree(place);
        let mut children: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in &tree.order {
            if let Some(class) = tree.classes.get(id) {
                children.entry(class.parent.clone()).or_default().push(id.clone());
            }
        }
        for id in tree.order.clone() {
            if id == DETOUR && keep_detour {
                continue;
            }
            if self.wanted.tree(dev).class(&id).is_none() || self.remade(dev, place, &id) {
                self.delete_subtree(dev, place, id, &mut children);
            }
        }
        for (_, id) in self.gone.iter().filter(|(own, _)| *own == place) {
            self.now.forget_class(place, id);
        }
    }

    /// Deletes a class that still exists, after the classes below it. Takes the lists of children, because no class is
    /// deleted twice. Another tool can nest classes at any depth.
    fn delete_subtree(
        &mut self,
        dev: Dev,
        place: ShownDevice,
        id: String,
        children: &mut BTreeMap<String, Vec<String>>,
    ) {
        let mut open: Vec<(String, std::vec::IntoIter<String>)> = Vec::new();
        let mut next = Some(id);
        loop {
            if let Some(id) = next.take()
                && self.gone.insert((place, id.clone()))
            {
                let below = children.remove(&id).unwrap_or_default();
                open.push((id, below.into_iter()));
            }
            let Some((_, below)) = open.last_mut() else { return };
            next = below.next();
            if next.is_none()
                && let Some((id, _)) = open.pop()
            {
                self.delete_class(dev, place, &id);
            }
        }
    }

    fn delete_class(&mut self, dev: Dev, place: ShownDevice, id: &str) {
        // The name comes from the last start, because the file no longer has the class.
        let called = self.was.tree(dev).name(id).unwrap_or(id).to_owned();
        let origin = self.origin(dev);
        let mut kind = self.delete_kind(dev, place, id);
        if id == DETOUR {
            kind.price = Price::in_place("left by a start that did not complete");
        }
        let from = format!("{origin}, without {called}");
        self.say(Tool::Tc, &format!("class del dev {} classid {id}", role(dev)), &from, kind);
        if let Some(step) = self.steps.last_mut() {
            step.name = called;
        }
    }

    fn delete_kind(&self, dev: Dev, place: ShownDevice, id: &str) -> StepFacts {
        let (was, want) = (self.was.tree(dev).class(id), self.wanted.tree(dev).class(id));
        let drift = self.held.tree(held_place(dev)).class(id) != self.now.tree(place).class(id);
        let reason = if want.is_some() {
            "its place in the tree changes, so its queue is created again"
        } else if was.is_some() || !self.recorded {
            "its queue is deleted with it"
        } else {
            "another tool created it"
        };
        let object = Object::Class { dev, id: id.to_owned() };
        StepFacts::new(object, Price::own_backlog(reason), self.cause(was != want, drift))
    }

    /// Adds or changes the queue of a class. A queue keeps its packets as long as it keeps its kind, handle, number of
    /// flows and host isolation.
    fn put_leaf(&mut self, dev: Dev, place: ShownDevice, id: &str) {
        let Some(line) = self.wanted.tree(dev).leaves.get(id).cloned() else { return };
        let object = Object::Leaf { dev, id: id.to_owned() };
        let was = self.was.tree(dev).leaf(id);
        let held = self.held.tree(held_place(dev)).leaf(id);
        let gone = self.gone.contains(&(place, id.to_owned()));
        let now = self.now.tree(place).leaf(id).filter(|_| !gone);
        let Some(now) = now.map(str::to_owned) else {
            let kind = self.anew(dev, &object).unwrap_or_else(|| {
                let lost = self.recorded && was.is_some() && self.now.tree(place).class(id).is_some();
                let cause = if lost {
                    self.cause(was != Some(&line.words), true)
                } else {
                    self.class_cause(dev, place, id)
                };
                let price = if gone {
                    Price::own_backlog("its place in the tree changes, so its queue is created again")
                } else if self.now.tree(place).has_kids(id) {
                    Price::own_backlog("its last child class is deleted, so it gets a queue of its own again")
                } else {
                    Price::in_place("it had no queue")
                };
                StepFacts::new(object, price, cause)
            });
            self.tc(&line, kind);
            return;
        };
        if was == Some(&line.words) && held == Some(&now) {
            return;
        }
        let kind_of = |line: &str, n: usize| line.split_whitespace().nth(n).unwrap_or_default().to_owned();
        let (kind, own_kind) = (kind_of(&line.words, 8), kind_of(&now, 1));
        let handle = kind_of(&line.words, 7);
        let flows = kind != "fq_codel" || option(&now, "flows") == option(&line.words, "flows");
        let hosts = kind != "cake" || isolation(&now) == isolation(&line.words);
        let stays = own_kind == kind && kind_of(&now, 2) == handle && flows && hosts;
        let cause = self.cause(was != Some(&line.words), held != Some(&now));
        let mut step = StepFacts::new(object, reasons::leaf(&now, &line.words, was, stays), cause);
        step.values = values::lines(was, &line.words);
        step.drift = values::shown(held, Some(&now));
        if stays {
            let mut words = line.words.clone();
            if kind == "fq_codel" {
                words = without_flows(&words);
            }
            self.say(Tool::Tc, &begin(&words, QDISC), &line.from, step);
        } else {
            let words = format!("qdisc del dev {} parent {id}", role(dev));
            self.say(Tool::Tc, &words, &line.from, step.clone());
            self.tc(&line, step);
        }
    }
}

/// Removes the number of flows: `change` refuses this option, even with the same value.
fn without_flows(words: &str) -> String {
    match option(words, "flows").filter(|flows| flows.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(flows) => words.replacen(&format!(" flows {flows}"), "", 1),
        None => words.to_owned(),
    }
}
