//! Observed states: what tc shows, in the script's normal form.

use super::normal::{is_in_slot_b, other_slot};
use super::sides::{Side, Sides};
use super::values::option;
use crate::tc::{EGRESS_END_PREF, EGRESS_PREF, HOOK_BANK, INGRESS_PREF};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// One of two banks of a list of filters. Each bank of a tree's list is a chain.
#[derive(Debug, Default)]
pub(super) struct Bank {
    /// Preferences at a hook; the preference of the entry that leads to a chain.
    pub(super) prefs: Vec<u16>,
    /// Lines of the filters, without preferences.
    pub(super) lines: Vec<String>,
    /// Device to which the last filter redirects.
    redirect: Option<String>,
}

/// Filters at a hook.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) banks: Sides<Bank>,
    /// True if others have filters there.
    pub(super) is_crowded: bool,
}

impl List {
    /// Returns the device to which a bank redirects.
    pub(super) fn redirect(&self, bank: Side) -> Option<&str> {
        self.banks.get(bank).redirect.as_deref()
    }
}

/// Tree in a slot of a root. Its ids are those of slot a.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// True if a filter at the root leads to the slot.
    pub(super) is_entered: bool,
    pub(super) classes: IndexMap<String, String>,
    pub(super) children: BTreeMap<String, Vec<String>>,
    pub(super) leaves: BTreeMap<String, String>,
    /// Lines of the entries of the slot and of its chains.
    pub(super) entries: Vec<String>,
    pub(super) chains: Sides<Bank>,
}

impl Tree {
    pub(super) fn class(&self, id: &str) -> &str {
        self.classes.get(id).map_or("", String::as_str)
    }

    pub(super) fn leaf(&self, id: &str) -> &str {
        self.leaves.get(id).map_or("", String::as_str)
    }

    pub(super) fn children(&self, id: &str) -> &[String] {
        self.children.get(id).map_or(&[], Vec::as_slice)
    }
}

/// Returns the id of a class's parent.
pub(super) fn parent(class: &str) -> &str {
    let mut words = class.split_whitespace().skip(3);
    if words.next() == Some("root") { "c05:" } else { words.next().unwrap_or_default() }
}

/// Device with its root qdisc; empty if it does not exist.
#[derive(Debug, Default)]
pub(super) struct Device {
    pub(super) root: String,
    /// Line of the root's size table.
    pub(super) table: String,
    /// True if the root has filters that are none of ours.
    pub(super) is_stray: bool,
    pub(super) slots: Sides<Tree>,
}

impl Device {
    /// Returns the slot that packets enter. The entry of slot b comes first.
    pub(super) const fn live(&self) -> Option<Side> {
        match (self.slots.a.is_entered, self.slots.b.is_entered) {
            (_, true) => Some(Side::B),
            (true, false) => Some(Side::A),
            (false, false) => None,
        }
    }
}

/// Device of a tunnel.
#[derive(Debug)]
pub(super) struct Tunnel {
    pub(super) name: String,
    pub(super) number: String,
    /// Kind of the qdisc at its hook, or `none`.
    pub(super) hook: String,
}

/// A whole observed state.
#[derive(Debug, Default)]
pub(super) struct Observed {
    lists: BTreeMap<String, List>,
    /// The device of uploads, the ifbs of downloads in the order in which tc showed them, and the WAN device if an ifb
    /// takes the uploads.
    pub(super) devices: [Device; 4],
    /// A device that does not exist.
    pub(super) missing: Device,
    pub(super) tunnels: Vec<Tunnel>,
}

impl Observed {
    /// Reads lines of tc: the filters at the hooks come first, then each device from its root qdisc on, then tunnels.
    /// `order` has the numbers of the devices in the order of their roots.
    pub(super) fn read<'l>(lines: impl Iterator<Item = &'l str>, order: &[usize]) -> Observed {
        let (mut found, mut hook, mut number) = (Observed::default(), String::new(), None);
        let mut order = order.iter().copied();
        let mut lines = lines.peekable();
        while let Some(head) = lines.next() {
            let details = std::iter::from_fn(|| lines.next_if(|line| line.starts_with([' ', '\t'])));
            let details: Vec<&str> = details.collect();
            let words: Vec<&str> = head.split_whitespace().take(5).collect();
            if let ["tunnel", name, rest @ ..] = words.as_slice() {
                (hook, number) = (format!("ingress {name}"), None);
                if let [number, hook, ..] = rest {
                    let [name, number, hook] = [name, number, hook].map(|word| (*word).to_owned());
                    found.tunnels.push(Tunnel { name, number, hook });
                }
            } else if let ["qdisc", _, _, "root", ..] = words.as_slice() {
                number = order.next().filter(|_| hook.is_empty()).or(Some(2));
            }
            let device = number.and_then(|number: usize| found.devices.get_mut(number));
            match (words.as_slice(), device) {
                (["filter", ..], None) => found.filter(&hook, head, &details),
                (["filter", ..], Some(device)) => device.filter(head, &details),
                (words, Some(device)) => device.object(words, head, &details),
                _ => {}
            }
        }
        found
    }

    /// Reads a filter at a hook: that of a tunnel, or one of the WAN device's two.
    fn filter(&mut self, hook: &str, head: &str, details: &[&str]) {
        let pref = number(head, "pref");
        let (bank, in_a) = match pref.checked_sub(HOOK_BANK).filter(|pref| *pref >= INGRESS_PREF) {
            Some(in_a) => (Side::B, in_a),
            None => (Side::A, pref),
        };
        let egress = hook.replacen("ingress", "egress", 1);
        let (name, is_ours) = match (in_a, hook) {
            (INGRESS_PREF..EGRESS_PREF, "") => ("ingress", true),
            (EGRESS_PREF..EGRESS_END_PREF, "") => ("egress", true),
            (INGRESS_PREF..EGRESS_PREF, hook) => (hook, true),
            (EGRESS_PREF..EGRESS_END_PREF, _) => (egress.as_str(), true),
            _ => (hook, false),
        };
        let list = self.lists.entry(name.to_owned()).or_default();
        if !is_ours {
            list.is_crowded = true;
            return;
        }
        let bank = list.banks.get_mut(bank);
        if !bank.prefs.contains(&pref) {
            bank.prefs.push(pref);
        }
        bank.lines.extend(kept(head, details));
        let redirect =
            details.iter().find_map(|line| line.split_once("Redirect to device ")?.1.split(')').next());
        bank.redirect = redirect.map(str::to_owned).or_else(|| bank.redirect.take());
    }

    /// Returns the filters of a hook.
    pub(super) fn list(&self, name: &str) -> Option<&List> {
        self.lists.get(name)
    }
}

impl Device {
    /// Reads a qdisc or a class.
    fn object(&mut self, words: &[&str], head: &str, details: &[&str]) {
        match words {
            ["qdisc", _, _, "root", ..] => {
                head.clone_into(&mut self.root);
                let table = details.iter().find(|line| line.trim_start().starts_with("linklayer "));
                self.table = table.copied().unwrap_or_default().to_owned();
            }
            ["qdisc", kind, handle, "parent", id, ..] if !["clsact", "ingress"].contains(kind) => {
                // A handle of the other slot would be in the way of a swap.
                let handle = handle.strip_suffix(':').unwrap_or(handle);
                self.is_stray |= is_in_slot_b(&format!("c05:{handle}")) != is_in_slot_b(id);
                let (tree, line) = self.tree(id, head);
                tree.leaves.insert(word(&line, 4), line);
            }
            ["class", _, id, ..] => {
                let (tree, line) = self.tree(id, head);
                let id = word(&line, 2);
                tree.children.entry(parent(&line).to_owned()).or_default().push(id.clone());
                tree.classes.insert(id, line);
            }
            _ => {}
        }
    }

    /// Returns the tree that a class belongs to, and its line with the ids of slot a.
    fn tree(&mut self, id: &str, line: &str) -> (&mut Tree, String) {
        match is_in_slot_b(id) {
            true => (&mut self.slots.b, other_slot(line)),
            false => (&mut self.slots.a, line.to_owned()),
        }
    }

    /// Reads a filter of a tree: it is in a chain, or an entry of a slot or chain.
    fn filter(&mut self, head: &str, details: &[&str]) {
        let (pref, chain) = (number(head, "pref"), number(head, "chain"));
        let is_b = chain > 4 || (chain == 0 && (pref == 1 || pref > 4));
        let tree = self.slots.get_mut(if is_b { Side::B } else { Side::A });
        let line = if is_b { other_slot(head) } else { head.to_owned() };
        let list = match chain % 4 {
            1 => &mut tree.chains.a.lines,
            2 => &mut tree.chains.b.lines,
            _ => &mut tree.entries,
        };
        list.extend(kept(&line, details));
        // Our entries take all protocols. Others may have filters at the root, too.
        let is_stray = match chain {
            0 => !head.starts_with("filter protocol all "),
            chain => ![1, 2, 5, 6].contains(&chain),
        };
        match pref {
            _ if is_stray => self.is_stray = true,
            _ if chain > 0 => {}
            0..=2 if !line.contains("flowid ") => {}
            0..=2 if line.split_whitespace().any(|word| word == "c05:a000") => tree.is_entered = true,
            4 | 8 => tree.chains.a.prefs = vec![pref],
            3 | 7 => tree.chains.b.prefs = vec![pref],
            _ => self.is_stray = true,
        }
    }
}

fn number(line: &str, name: &str) -> u16 {
    option(line, name).and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn word(line: &str, number: usize) -> String {
    line.split_whitespace().nth(number).unwrap_or_default().to_owned()
}

/// Returns the lines of a filter without its preference and its u32 table numbers, which differ between the banks.
fn kept(head: &str, details: &[&str]) -> Vec<String> {
    let preference = option(head, "pref").map_or_else(String::new, |pref| format!(" pref {pref} "));
    let mut head = head.replacen(&preference, if preference.is_empty() { "" } else { " " }, 1);
    for table in [" fh 8", " ht 8"] {
        let mut parts = head.split(table);
        let first = parts.next().unwrap_or_default().to_owned();
        let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let rest = |part: &str| {
            let rest = part.trim_start_matches(is_digit);
            format!(" {}", rest.strip_prefix(':').unwrap_or(rest))
        };
        head = parts.fold(first, |head, part| head + &rest(part));
    }
    [head].into_iter().chain(details.iter().map(|line| (*line).to_owned())).collect()
}
