//! Observed state: the kernel's objects as lines of tc, in the normal form of the script.

use super::described::{Tunnel, option};
use crate::tc::{Dev, EGRESS_PREF, HOOK_BANK, INGRESS_PREF, ROOT_BANK};
use std::collections::{BTreeMap, BTreeSet};

/// Device, in the order of the output. If only one of the two ifbs exists, it is `First`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShownDevice {
    Wan,
    First,
    Second,
    /// No device, or a device whose tree is rebuilt.
    Nothing,
}

/// Position of a filter list in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum At {
    Root(ShownDevice),
    Ingress,
    Egress,
    /// Ingress of a tunnel's device.
    Tunnel(Tunnel),
}

/// A tunnel's device that exists on the router.
#[derive(Debug, Clone)]
pub(super) struct Hooked {
    pub(super) tunnel: Tunnel,
    /// Index of the device in the kernel.
    pub(super) index: String,
    /// Qdisc of its hooks: `clsact`, `ingress` or `none`.
    pub(super) hook: String,
    /// True if others have filters there.
    pub(super) crowded: bool,
}

/// Filter bank of a list: `One` has the lower preferences (bank A), `Two` the higher ones (bank B).
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

/// Filters of one bank.
#[derive(Debug, Clone, Default)]
pub(super) struct Bank {
    /// Preferences in the order of the output.
    pub(super) prefs: Vec<u32>,
    seen: BTreeSet<u32>,
    /// Lines without preferences and without the numbers of u32 tables, so that both banks can be compared.
    pub(super) lines: Vec<String>,
}

impl Bank {
    /// Returns the number of filters: each has one line with a key, unlike the lines of u32 tables.
    pub(super) fn count(&self) -> usize {
        self.lines.iter().filter(|line| line.starts_with("filter ") && line.contains(" key ")).count()
    }
}

/// Observed tree of a device.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) root: String,
    /// Line of the root's size table.
    pub(super) stab: Option<String>,
    /// Class ids in the order of the output: parents may follow their children.
    pub(super) order: Vec<String>,
    pub(super) classes: BTreeMap<String, Class>,
    /// Leaf qdiscs by the id of their class.
    pub(super) leaves: BTreeMap<String, String>,
    /// Ids of all parent classes.
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

    /// True if the root has our handle and is of a kind that we use.
    pub(super) fn is_ours(&self) -> bool {
        self.root.starts_with("qdisc htb c05: root") || self.is_cake()
    }

    fn is_cake(&self) -> bool {
        self.root.starts_with("qdisc cake c05: root")
    }

    /// True if the root is ours and agrees with `want` in every option that only its creation can set.
    pub(super) fn fits(&self, want: &str) -> bool {
        // CAKE can change every option but its flow isolation: the host counters would not survive that.
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

/// True if the described root is a CAKE.
pub(super) fn is_cake(want: &str) -> bool {
    want.contains(" root handle c05: cake ")
}

/// All observed objects.
#[derive(Debug, Default)]
pub(super) struct Observed {
    trees: BTreeMap<ShownDevice, Tree>,
    banks: BTreeMap<(At, Number), Bank>,
    redirects: BTreeMap<Number, String>,
    /// Devices of tunnels that exist on the router.
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

    /// Returns the device to which a bank at the ingress redirects packets.
    pub(super) fn redirect(&self, number: Number) -> &str {
        self.redirects.get(&number).map_or("", String::as_str)
    }

    /// Returns the bank that classifies packets. If both banks have filters, this is bank one as soon as it has its
    /// last filter.
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

    /// Returns the bank that a completed start left in use: it leaves the other one empty.
    pub(super) fn only(&self, at: At) -> &Bank {
        let one = self.bank(at, Number::One);
        if one.prefs.is_empty() { self.bank(at, Number::Two) } else { one }
    }

    /// Forgets the filters at the WAN device's hooks, because their qdisc was deleted.
    pub(super) fn forget_hooks(&mut self) {
        self.banks.retain(|(at, _), _| matches!(at, At::Root(_) | At::Tunnel(_)));
    }

    /// Forgets a deleted class.
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

/// Object that the following lines belong to.
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

/// Returns the line without its preference.
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

/// Returns the line without the numbers of u32 tables: ` fh 800::801` becomes ` :801`, ` ht 800` disappears.
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

/// Position of a direction's device in the state that a completed start left: only one ifb exists then.
pub(super) const fn held_place(dev: Dev) -> ShownDevice {
    match dev {
        Dev::Wan => ShownDevice::Wan,
        Dev::Ifb => ShownDevice::First,
    }
}

/// Flow isolation mode of a CAKE.
pub(super) fn isolation(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| ISOLATIONS.contains(word))
}

const ISOLATIONS: [&str; 3] = ["flows", "dual-srchost", "dual-dsthost"];
