//! Reads lines of `tc -d filter show`. A filter has one first line, then lines for its match and lines for its actions.

use super::action::Step;
use super::held::Held;
use super::words::{handle, hex32};
use qosc_compiler::tc::{
    Action, Classifier, Dev, EGRESS_END_PREF, Filter, FilterProtocol, HOOK_BANK, Handle, Hook, INGRESS_PREF,
    Selector, Why, Word,
};
use qosc_compiler::units::IfName;
use std::collections::BTreeMap;

/// First words of lines with counters, references and offload flags. tc prints them for every filter and action.
const COUNTERS: [&str; 14] = [
    "index",
    "ref",
    "installed",
    "Action",
    "Sent",
    "backlog",
    "skip_hw",
    "skip_sw",
    "in_hw",
    "not_in_hw",
    "hw_stats",
    "used_hw_stats",
    "cookie",
    "no_percpu",
];

/// Reads the filter lines of one command after another.
#[derive(Default)]
pub(super) struct Filters {
    open: Option<Open>,
    /// Hash tables, each with the table, preference and protocol of the link to it.
    links: BTreeMap<(Dev, String), (String, u16, FilterProtocol)>,
    /// Filters in hash tables, by their position in the held filters.
    hashed: Vec<(usize, (Dev, String))>,
}

/// A filter that may have more lines.
struct Open {
    hook: Hook,
    first: String,
    /// `None` after a line that the script's own filters never have.
    filter: Option<Filter>,
    steps: Vec<Step>,
    /// Hash table of the script's own, or empty.
    table: String,
}

impl Filters {
    /// Reads one line.
    pub(super) fn line(
        &mut self,
        (dev, hook): (Dev, Hook),
        (wan, ifb): (&IfName, &IfName),
        line: &str,
        held: &mut Held,
    ) {
        if let Some(rest) = line.strip_prefix("filter ") {
            self.finish(held);
            let table = own_table(rest);
            let words: Vec<&str> = rest.split_whitespace().collect();
            let link = words.iter().skip_while(|word| **word != "link").nth(1);
            if let (Some(to), Some(filter)) = (link, node(dev, hook, &words)) {
                let to = to.trim_end_matches(':').to_owned();
                self.links.insert((dev, to), (table.clone(), filter.pref, filter.protocol));
            }
            match first(dev, hook, rest) {
                First::Table => {}
                First::Filter(filter) => {
                    let (first, filter) = (line.to_owned(), filter.map(|filter| *filter));
                    self.open = Some(Open { hook, first, filter, steps: Vec::new(), table });
                }
            }
            return;
        }
        let Some(open) = &mut self.open else { return held.other.push(line.to_owned()) };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["match", word, "at", offset, ..] => open.selector(|filter| matched(filter, word, offset)),
            ["input", "dev", device] => open.selector(|filter| came_by(filter, device)),
            ["random", "type", "none", ..] => {}
            ["mark", value, mask, ..] => open.selector(|filter| marked(filter, value, mask)),
            ["action", "order", _, action @ ..] => open.step(Step::read(action, wan, ifb)),
            ["key", _, "at", at, value @ ..] => match open.steps.last_mut() {
                Some(step) => step.key(at, value),
                None => open.filter = None,
            },
            ["index", .., "cpmark", mask] => open.restored(mask),
            [word, ..] if COUNTERS.contains(word) => {}
            _ => {
                open.filter = None;
                held.other.push(line.to_owned());
            }
        }
    }

    /// Stores the open filter, if there is one.
    pub(super) fn finish(&mut self, held: &mut Held) {
        let Some(open) = self.open.take() else { return };
        let actions = Step::actions(&open.steps);
        match (open.filter, actions) {
            (Some(filter), Some(actions)) => {
                if filter.classifier == Classifier::Hash {
                    self.hashed.push((held.filters.len(), (filter.dev, open.table)));
                }
                held.filters.push(Filter { actions, ..filter });
            }
            _ if open.hook == Hook::Root => held.foreign.push(open.first),
            _ => held.other.push(open.first),
        }
    }

    /// Gives each filter in a hash table the preference and the protocol of the list from which packets come to it.
    pub(super) fn follow_links(&self, held: &mut Held) {
        for (place, table) in &self.hashed {
            let mut link = self.links.get(table);
            while let Some((from, ..)) = link.filter(|(from, ..)| !from.is_empty()) {
                link = self.links.get(&(table.0, from.clone()));
            }
            let Some((_, pref, protocol)) = link else { continue };
            (held.filters[*place].pref, held.filters[*place].protocol) = (*pref, *protocol);
        }
    }
}

/// Returns the hash table that a filter is in, if it is one of the script's own.
fn own_table(line: &str) -> String {
    let words = line.split_whitespace();
    let table = words.skip_while(|word| *word != "fh").nth(1).and_then(|node| node.split(':').next());
    let is_own = |table: &&str| u32::from_str_radix(table, 16).is_ok_and(|number| number < 0x800);
    table.filter(is_own).unwrap_or_default().to_owned()
}

impl Open {
    fn selector(&mut self, change: impl FnOnce(&Filter) -> Option<Selector>) {
        let changed = self.filter.take().and_then(|filter| {
            let selector = change(&filter)?;
            Some(Filter { selector, ..filter })
        });
        self.filter = changed;
    }

    /// Sets the mask that the previous step restores.
    fn restored(&mut self, mask: &str) {
        match (self.steps.last_mut(), hex32(mask)) {
            (Some(Step::Whole(Action::Restore { mask: own, .. }) | Step::Restored(own)), Some(mask)) => {
                *own = mask
            }
            _ => self.filter = None,
        }
    }

    fn step(&mut self, step: Option<Step>) {
        match step {
            Some(step) => self.steps.push(step),
            None => self.filter = None,
        }
    }
}

/// Meaning of the first line of a filter.
enum First {
    /// A preference or its hash table. u32 prints them, and they have no effect by themselves.
    Table,
    /// A filter; `None` if the script never creates such a filter.
    Filter(Option<Box<Filter>>),
}

/// Reads `protocol ip pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20 not_in_hw`. Older
/// versions print neither the chain nor the asterisk.
fn first(dev: Dev, hook: Hook, line: &str) -> First {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().skip_while(|own| **own != word).nth(1).copied();
    // The kind of the filter follows the preference.
    let kind = words.iter().position(|word| *word == "pref").and_then(|pref| words.get(pref + 2));
    match (hook, after("chain").unwrap_or("0"), after("pref")) {
        // The entries of slots and of filter lists follow from the slots, so programs do not have them.
        (Hook::Root, "0", Some("1" | "2" | "3" | "4" | "7" | "8")) => return First::Table,
        (Hook::Root, "1" | "2" | "5" | "6", _) | (_, "0", _) => {}
        _ => return First::Filter(None),
    }
    let classifier = match kind.copied() {
        Some("u32") => Classifier::U32,
        Some("fw") => Classifier::Fw,
        _ => return First::Filter(None),
    };
    if classifier == Classifier::Fw {
        let Some(mark) = after("handle") else { return First::Table };
        return First::Filter(by_mark(dev, hook, &words, mark).map(Box::new));
    }
    let mut classifier = Classifier::U32;
    match after("fh").map(|node| node.split(':').collect::<Vec<_>>()) {
        None => return First::Table,
        // the script's own tables have other numbers than those of preferences
        Some(_) if hook == Hook::Root && !own_table(line).is_empty() => {
            if after("divisor").is_some() || words.contains(&"link") {
                return First::Table;
            }
            classifier = Classifier::Hash;
        }
        Some(node) => match node.as_slice() {
            [_, "" | "0", ""] | [_, ""] => {
                return if after("divisor") == Some("1") { First::Table } else { First::Filter(None) };
            }
            [_, "" | "0", _] if hook == Hook::Root && words.contains(&"link") => return First::Table,
            [_, "" | "0", _] if after("bkt") == Some("0") && !words.contains(&"link") => {}
            _ => return First::Filter(None),
        },
    }
    First::Filter(node(dev, hook, &words).map(|filter| Box::new(Filter { classifier, ..filter })))
}

/// Reads an fw filter. Its handle is the mark that it matches.
fn by_mark(dev: Dev, hook: Hook, words: &[&str], handle: &str) -> Option<Filter> {
    let filter = Filter { classifier: Classifier::Fw, ..node(dev, hook, words)? };
    let (value, mask) = handle.split_once('/')?;
    marked(&filter, value, mask).map(|selector| Filter { selector, ..filter })
}

fn node(dev: Dev, hook: Hook, words: &[&str]) -> Option<Filter> {
    let after = |word: &str| words.iter().skip_while(|own| **own != word).nth(1).copied();
    let named = words.iter().skip_while(|word| !word.ends_with("flowid") && **word != "classid").nth(1);
    let flowid: Option<Handle> = match named {
        Some(class) if !words.contains(&"terminal") => Some(handle(class)?),
        _ => None,
    };
    Some(Filter {
        dev,
        hook,
        pref: in_first_bank(hook, after("pref")?.parse().ok()?),
        protocol: match after("protocol")? {
            "ip" => FilterProtocol::Ip,
            "ipv6" => FilterProtocol::Ipv6,
            "ppp_ses" => FilterProtocol::Pppoe,
            "all" => FilterProtocol::All,
            _ => return None,
        },
        classifier: Classifier::U32,
        selector: Selector::default(),
        flowid,
        actions: Vec::new(),
        with: None,
        why: Why::default(),
    })
}

/// Returns the preference that the program uses, also for a filter in the second filter bank.
fn in_first_bank(hook: Hook, pref: u16) -> u16 {
    match hook {
        Hook::Ingress | Hook::Egress
            if (INGRESS_PREF + HOOK_BANK..EGRESS_END_PREF + HOOK_BANK).contains(&pref) =>
        {
            pref - HOOK_BANK
        }
        Hook::Root | Hook::Ingress | Hook::Egress => pref,
    }
}

/// Adds `00110000/00ff0000 at 8` to the selector.
fn matched(filter: &Filter, word: &str, offset: &str) -> Option<Selector> {
    let (value, mask) = word.split_once('/')?;
    let word = Word { value: hex32(value)?, mask: hex32(mask)? };
    if word.value & !word.mask != 0 {
        return None;
    }
    filter.selector.and(&Selector::word(offset.parse().ok()?, word))
}

/// Adds `mark 0x0010 0x00ff` to the selector.
fn marked(filter: &Filter, value: &str, mask: &str) -> Option<Selector> {
    let word = Word { value: hex32(value)?, mask: hex32(mask)? };
    filter.selector.and(&Selector { mark: Some(word), ..Selector::default() })
}

/// Adds `input dev wg0` to the selector.
fn came_by(filter: &Filter, device: &str) -> Option<Selector> {
    filter.selector.and(&Selector { came_by: Some(device.parse().ok()?), ..Selector::default() })
}
