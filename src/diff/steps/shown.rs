//! What a kernel holds, as the lines in which tc shows it, in the normal form of the script.

use super::described::{Tunnel, option};
use super::reasons::isolation;
use crate::tc::{Dev, EGRESS_PREF, HOOK_BANK, INGRESS_PREF, ROOT_BANK};
use std::collections::{BTreeMap, BTreeSet};

/// A device in the order in which they are shown. Which of the two ifbs is the first depends on which is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShownDevice {
    Wan,
    First,
    Second,
    /// No device, or one whose tree is made anew.
    Nothing,
}

/// Where a list of filters is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum At {
    Root(ShownDevice),
    Ingress,
    Egress,
    /// The ingress of a tunnel's device.
    Tunnel(Tunnel),
}

/// A tunnel's device that is there.
#[derive(Debug, Clone)]
pub(super) struct Hooked {
    pub(super) tunnel: Tunnel,
    /// Its number in the kernel.
    pub(super) index: String,
    /// `clsact`, `ingress` or `none`.
    pub(super) hook: String,
    /// Whether others have filters there.
    pub(super) crowded: bool,
}

/// The lower preferences of a list, or those of its second bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    One,
    Two,
}

impl Number {
    pub(super) const fn other(self) -> Number {
        match self {
            Number::One => Number::Two,
            Number::Two => Number::One,
        }
    }
}

/// The filters of one bank.
#[derive(Debug, Clone, Default)]
pub(super) struct Bank {
    /// Preferences in the order in which they are shown.
    pub(super) prefs: Vec<u32>,
    seen: BTreeSet<u32>,
    /// The lines without preferences and the numbers of u32 tables, which another bank has, too.
    pub(super) lines: Vec<String>,
}

impl Bank {
    /// How many filters there are: a line with a key each, beside those of the tables.
    pub(super) fn count(&self) -> usize {
        self.lines.iter().filter(|line| line.starts_with("filter ") && line.contains(" key ")).count()
    }
}

/// The tree of a device.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) root: String,
    /// The line of the root's size table.
    pub(super) stab: Option<String>,
    /// Ids as they are shown: parents may come after their children.
    pub(super) order: Vec<String>,
    pub(super) classes: BTreeMap<String, Class>,
    /// Leaf qdiscs by the class that they hang on.
    pub(super) leaves: BTreeMap<String, String>,
    /// Ids that are some class's parent.
    parents: BTreeSet<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) line: String,
    pub(super) parent: String,
}

impl Tree {
    pub(super) fn has_kids(&self, id: &str) -> bool {
        self.parents.contains(id)
    }

    pub(super) fn class(&self, id: &str) -> Option<&str> {
        self.classes.get(id).map(|class| class.line.as_str())
    }

    pub(super) fn leaf(&self, id: &str) -> Option<&str> {
        self.leaves.get(id).map(String::as_str)
    }

    /// Whether the root has our handle.
    pub(super) fn is_ours(&self) -> bool {
        self.root.starts_with("qdisc htb c05: root") || self.is_cake()
    }

    fn is_cake(&self) -> bool {
        self.root.starts_with("qdisc cake c05: root")
    }

    /// Whether the root is ours with all that only its creation can set.
    pub(super) fn fits(&self, want: &str) -> bool {
        // CAKE changes all but whom it keeps apart, which its counters do not survive.
        if is_cake(want) || self.is_cake() {
            return is_cake(want) && self.is_cake() && isolation(&self.root) == isolation(want);
        }
        let zero = matches!(option(&self.root, "default"), Some("0" | "0x0"));
        let told = if want.contains(" stab ") { option(want, "overhead") } else { None };
        self.is_ours()
            && option(&self.root, "direct_qlen") == option(want, "direct_qlen")
            && option(&self.root, "r2q") == option(want, "r2q")
            && zero
            && told == self.stab.as_deref().and_then(|line| option(line, "overhead"))
    }
}

/// Whether a root is described that is a CAKE.
pub(super) fn is_cake(want: &str) -> bool {
    want.contains(" root handle c05: cake ")
}

/// What a kernel holds.
#[derive(Debug, Default)]
pub(super) struct Observed {
    trees: BTreeMap<ShownDevice, Tree>,
    banks: BTreeMap<(At, Number), Bank>,
    redirects: BTreeMap<Number, String>,
    /// The devices of tunnels that are there.
    pub(super) tunnels: Vec<Hooked>,
    none: Tree,
    empty: Bank,
}

impl Observed {
    pub(super) fn tree(&self, place: ShownDevice) -> &Tree {
        self.trees.get(&place).unwrap_or(&self.none)
    }

    pub(super) fn bank(&self, at: At, number: Number) -> &Bank {
        self.banks.get(&(at, number)).unwrap_or(&self.empty)
    }

    /// The device to which a bank at the ingress sends packets.
    pub(super) fn redirect(&self, number: Number) -> &str {
        self.redirects.get(&number).map_or("", String::as_str)
    }

    /// The bank that packets meet: the lower one once its last filter is there.
    pub(super) fn in_force(&self, at: At) -> Option<Number> {
        let last = if matches!(at, At::Ingress | At::Tunnel(_)) {
            u32::from(EGRESS_PREF) - 1
        } else {
            u32::from(ROOT_BANK)
        };
        let (one, two) = (self.bank(at, Number::One), self.bank(at, Number::Two));
        if !one.prefs.is_empty() && (two.prefs.is_empty() || one.seen.contains(&last)) {
            Some(Number::One)
        } else {
            (!two.prefs.is_empty()).then_some(Number::Two)
        }
    }

    /// The bank of a completed start, which leaves one of them empty.
    pub(super) fn only(&self, at: At) -> &Bank {
        let one = self.bank(at, Number::One);
        if one.prefs.is_empty() { self.bank(at, Number::Two) } else { one }
    }

    /// What the hooks held is gone with them.
    pub(super) fn forget_hooks(&mut self) {
        self.banks.retain(|(at, _), _| matches!(at, At::Root(_) | At::Tunnel(_)));
    }

    /// A class was deleted.
    pub(super) fn forget_class(&mut self, place: ShownDevice, id: &str) {
        if let Some(tree) = self.trees.get_mut(&place) {
            tree.classes.remove(id);
        }
    }

    /// Reads the normal form: the filters at the hooks, then each device from its root on.
    pub(super) fn read(text: &str) -> Observed {
        let mut reader = Reader::default();
        text.lines().for_each(|line| reader.line(line));
        reader.shown
    }
}

/// What the lines that follow belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Object {
    #[default]
    Other,
    Root,
    Filter(Option<(At, Number)>),
}

#[derive(Default)]
struct Reader {
    shown: Observed,
    place: Option<ShownDevice>,
    tunnel: Option<Tunnel>,
    object: Object,
    pref: u32,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["tunnel", name, rest @ ..] => {
                self.object = Object::Other;
                self.tunnel = Tunnel::named(name);
                if let ([index, hook, ..], Some(tunnel)) = (rest, self.tunnel) {
                    let (index, hook) = ((*index).to_owned(), (*hook).to_owned());
                    self.shown.tunnels.push(Hooked { tunnel, index, hook, crowded: false });
                }
            }
            ["qdisc", _, _, "root", ..] => {
                let place = match self.place {
                    None => ShownDevice::Wan,
                    Some(ShownDevice::Wan) => ShownDevice::First,
                    Some(_) => ShownDevice::Second,
                };
                self.place = Some(place);
                self.object = Object::Root;
                line.clone_into(&mut self.tree(place).root);
            }
            ["qdisc", kind, _, rest @ ..] => {
                self.object = Object::Other;
                if let (["parent", class, ..], Some(place)) = (rest, self.place)
                    && !["clsact", "ingress"].contains(kind)
                {
                    self.tree(place).leaves.insert((*class).to_owned(), line.to_owned());
                }
            }
            ["class", _, id, rest @ ..] => {
                self.object = Object::Other;
                let parent = match rest {
                    ["root", ..] => "c05:",
                    [_, parent, ..] => parent,
                    _ => "",
                };
                if let Some(place) = self.place {
                    let class = Class { line: line.to_owned(), parent: parent.to_owned() };
                    let tree = self.tree(place);
                    tree.order.push((*id).to_owned());
                    tree.parents.insert(class.parent.clone());
                    tree.classes.insert((*id).to_owned(), class);
                }
            }
            ["filter", rest @ ..] => {
                let mut last = None;
                for pair in rest.windows(2) {
                    if let ["pref", pref] = pair {
                        last = pref.parse().ok();
                    }
                }
                self.pref = last.unwrap_or(self.pref);
                let bank = self.bank();
                if let (None, Some(_), Some(last)) = (bank, self.tunnel, self.shown.tunnels.last_mut()) {
                    last.crowded = true;
                }
                self.object = Object::Filter(bank);
                if let Some(key) = bank {
                    let pref = self.pref;
                    let bank = self.shown.banks.entry(key).or_default();
                    if bank.seen.insert(pref) {
                        bank.prefs.push(pref);
                    }
                }
                self.keep_filter(line);
            }
            _ if !line.starts_with([' ', '\t']) => self.object = Object::Other,
            ["linklayer", ..] if self.object == Object::Root => {
                if let Some(place) = self.place {
                    self.tree(place).stab = Some(line.to_owned());
                }
            }
            _ => self.keep_filter(line),
        }
    }

    fn tree(&mut self, place: ShownDevice) -> &mut Tree {
        self.shown.trees.entry(place).or_default()
    }

    fn bank(&self) -> Option<(At, Number)> {
        let number = |second| if second { Number::Two } else { Number::One };
        if let (None, Some(place)) = (self.tunnel, self.place) {
            return Some((At::Root(place), number(self.pref > u32::from(ROOT_BANK))));
        }
        let (ingress, egress, bank) = (u32::from(INGRESS_PREF), u32::from(EGRESS_PREF), u32::from(HOOK_BANK));
        let second = self.pref >= ingress + bank;
        let pref = if second { self.pref - bank } else { self.pref };
        if (ingress..egress).contains(&pref) {
            Some((self.tunnel.map_or(At::Ingress, At::Tunnel), number(second)))
        } else if self.tunnel.is_none() && (egress..egress + egress - ingress).contains(&pref) {
            Some((At::Egress, number(second)))
        } else {
            None
        }
    }

    fn keep_filter(&mut self, line: &str) {
        let Object::Filter(Some((at, number))) = self.object else { return };
        let line = without_tables(&without_pref(line));
        if let (At::Ingress, Some((_, rest))) = (at, line.split_once("Redirect to device ")) {
            let device = rest.split(')').next().unwrap_or_default();
            self.shown.redirects.insert(number, device.to_owned());
        }
        self.shown.banks.entry((at, number)).or_default().lines.push(line);
    }
}

/// The line without its preference.
fn without_pref(line: &str) -> String {
    let mut from = 0;
    while let Some((before, rest)) = line.get(from..).and_then(|rest| rest.split_once(" pref ")) {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        if let (false, Some(after)) = (number.is_empty(), after.strip_prefix(' ')) {
            return format!("{}{before} {after}", line.get(..from).unwrap_or_default());
        }
        from += before.len() + 1;
    }
    line.to_owned()
}

/// The line without the numbers of u32 tables: ` fh 800::801` is ` :801`, ` ht 800` is nothing.
fn without_tables(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    loop {
        let at = [" fh 8", " ht 8"].iter().filter_map(|word| rest.find(word)).min();
        let Some((before, found)) = at.and_then(|at| rest.split_at_checked(at)) else {
            out.push_str(rest);
            return out;
        };
        out.push_str(before);
        out.push(' ');
        let after = found.get(5..).unwrap_or_default();
        let after = after.trim_start_matches(|c: char| matches!(c, '0'..='9' | 'a'..='f'));
        rest = after.strip_prefix(':').unwrap_or(after);
    }
}

/// The place of a direction's device in what a completed start left: it leaves one ifb.
pub(super) const fn held_place(dev: Dev) -> ShownDevice {
    match dev {
        Dev::Wan => ShownDevice::Wan,
        Dev::Ifb => ShownDevice::First,
    }
}
