//! The counters of `tc -s`, by the names of the configuration.

use qosc_compiler::tc::{Dev, HtbClass, Parent, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Packets that each leaf class has sent, on both devices.
#[derive(Debug, Default)]
pub struct Counters {
    up: BTreeMap<String, u64>,
    down: BTreeMap<String, u64>,
}

impl Counters {
    /// Reads `tc -s class show` of the WAN device, then a line `== ifb`, then the same of the ifb up to the next such
    /// line.
    pub fn of(program: &Program, text: &str) -> Counters {
        let (up, down) = text.split_once("== ifb").expect("two devices");
        let down = down.split("== ").next().unwrap_or_default();
        Counters { up: packets(program, Dev::Wan, up), down: packets(program, Dev::Ifb, down) }
    }

    /// Packets since an earlier reading, for the classes that have any.
    pub fn since(&self, before: &Counters, up: bool) -> BTreeMap<String, u64> {
        let (new, old) = if up { (&self.up, &before.up) } else { (&self.down, &before.down) };
        let mut come = BTreeMap::new();
        for (name, count) in new {
            let more = count - old.get(name).copied().unwrap_or_default();
            if more > 0 {
                come.insert(name.clone(), more);
            }
        }
        come
    }
}

/// Packets that each leaf class of a device has sent, from `tc -s class show`.
pub fn packets(program: &Program, dev: Dev, text: &str) -> BTreeMap<String, u64> {
    let own = || program.classes.iter().filter(|class| class.dev == dev);
    let parents: BTreeSet<Parent> = own().map(|class| class.parent).collect();
    let leaves = own().filter(|class| !parents.contains(&Parent::At(class.id)));
    let names: BTreeMap<String, &str> =
        leaves.map(|class| (class.id.to_string(), class.why.name.as_str())).collect();
    let mut counted = BTreeMap::new();
    let mut class: Option<&str> = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["class", "htb", id, ..] => {
                class = Some(id);
            }
            ["Sent", _, "bytes", count, "pkt", ..] => {
                let id = class.take().expect("a class above");
                if let Some(name) = names.get(id) {
                    counted.insert((*name).to_owned(), count.parse().expect("a number"));
                }
            }
            _ => {}
        }
    }
    counted
}

/// Returns the class with this name on this device.
pub fn class<'a>(program: &'a Program, dev: Dev, name: &str) -> &'a HtbClass {
    program.classes.iter().find(|c| c.dev == dev && c.why.name == name).expect("a class of that name")
}
