//! One direction of a shaper: the path of a packet through its filters and classes, as in the kernel.

use super::packet::{Packet, Test};
use crate::cake::kernel_tins;
use qosc_compiler::diag::Span;
use qosc_compiler::terms::{Diffserv, PerDirection};
use qosc_compiler::units::{Family, Rate};
use std::collections::{BTreeMap, HashMap};

/// Id of a class, or handle of a qdisc.
pub(crate) type Id = (u16, u16);

/// Id of the node above all classes, which stands for the rate of the direction.
pub(crate) const TOP: Id = (0, 0);

/// Largest depth of a tree in the kernel (`TC_HTB_MAXDEPTH`), with its root and some room.
const DEEPEST: usize = 16;

/// A class.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Class around it; `None` for [`TOP`].
    pub(crate) parent: Option<Id>,
    pub(crate) rate: Rate,
    pub(crate) ceil: Rate,
    pub(crate) prio: u8,
    /// Name in findings.
    pub(crate) name: String,
    pub(crate) span: Option<Span>,
}

impl Node {
    /// Returns a class that has no more than its rate.
    pub(crate) fn new(parent: Option<Id>, rate: Rate, name: &str) -> Node {
        Node { parent, rate, ceil: rate, prio: 0, name: name.to_owned(), span: None }
    }
}

/// A filter.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// IP version of its packets; `None` for all packets.
    pub(crate) family: Option<Family>,
    pub(crate) test: Test,
    pub(crate) to: Id,
    pub(crate) span: Option<Span>,
}

/// Masks of the words and of the mark that filters test, and their IP version.
type Masks = (Option<Family>, Vec<(u16, u32)>, u32);

/// A list of filters, of which the first that takes a packet counts. Filters that test the same bits are looked up.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub(crate) rules: Vec<Rule>,
    tables: HashMap<Masks, HashMap<(Vec<u32>, u32), usize>>,
}

/// One direction of a shaper.
#[derive(Debug, Default)]
pub(crate) struct Side {
    nodes: BTreeMap<Id, Node>,
    /// Classes with children, and the sum of the rates of these in bit/s.
    inner: HashMap<Id, u64>,
    /// Filters at the root ([`TOP`]) and at classes.
    pub(crate) lists: BTreeMap<Id, List>,
    /// Class of packets that no filter takes.
    pub(crate) default: Option<Id>,
    /// Filters that bring packets here; `None` if all packets come.
    pub(crate) entry: Option<List>,
}

/// Both directions; `None` for one that is not compared.
pub(crate) type Sides = PerDirection<Option<Side>>;

/// Result for a packet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outcome {
    /// Classes from the leaf to the one below [`TOP`]; none for a packet that is not shaped.
    pub(crate) path: Vec<Id>,
    /// Rate that the packet's class cannot exceed.
    pub(crate) limit: Option<Rate>,
    /// Place of the filter that decides.
    pub(crate) span: Option<Span>,
}

impl List {
    pub(crate) fn add(&mut self, rule: Rule) {
        let number = self.rules.len();
        let Test { words, mark } = &rule.test;
        let masks = words.iter().map(|(at, (_, mask))| (*at, *mask)).collect();
        let values = words.iter().map(|(_, (value, mask))| value & mask).collect();
        let table = self.tables.entry((rule.family, masks, mark.1)).or_default();
        table.entry((values, mark.0)).or_insert(number);
        self.rules.push(rule);
    }

    /// Number of steps that a packet takes.
    pub(crate) fn cost(&self) -> usize {
        self.tables.len() + 1
    }

    fn first(&self, packet: &Packet) -> Option<&Rule> {
        let found = self.tables.iter().filter_map(|((family, masks, mark), table)| {
            if family.is_some() && *family != packet.family {
                return None;
            }
            let words: Option<Vec<u32>> =
                masks.iter().map(|(at, mask)| Some(packet.word(*at)? & mask)).collect();
            table.get(&(words?, packet.mark & mark))
        });
        found.min().and_then(|number| self.rules.get(*number))
    }
}

impl Side {
    /// Returns all filters.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.lists.values().chain(&self.entry).flat_map(|list| &list.rules)
    }

    /// Takes a packet through the filters (`sch_htb.c`: `htb_classify`): a class with children asks its own filters,
    /// and a packet that no filter takes, or that a filter gives to no class, has the default class.
    pub(crate) fn outcome(&self, packet: &Packet) -> Outcome {
        if self.entry.as_ref().is_some_and(|entry| entry.first(packet).is_none()) {
            return Outcome::default();
        }
        let (mut place, mut span) = (TOP, None);
        for _ in 0..DEEPEST {
            let Some(rule) = self.lists.get(&place).and_then(|list| list.first(packet)) else { break };
            span = rule.span;
            if rule.to.1 == 0 {
                return Outcome { span, ..Outcome::default() };
            }
            if self.is_leaf(rule.to) {
                return self.at(rule.to, span);
            }
            place = rule.to;
        }
        let default = self.default.filter(|own| self.is_leaf(*own));
        default.map_or(Outcome { span, ..Outcome::default() }, |class| self.at(class, span))
    }

    pub(crate) fn is_leaf(&self, class: Id) -> bool {
        self.nodes.contains_key(&class) && !self.inner.contains_key(&class)
    }

    pub(crate) fn add(&mut self, id: Id, node: Node) {
        if let Some(parent) = node.parent {
            *self.inner.entry(parent).or_default() += node.rate.bps();
        }
        self.nodes.insert(id, node);
    }

    /// Returns a CAKE with a rate, whose tins are classes.
    pub(crate) fn cake(rate: Rate, tins: Diffserv, span: Span) -> Side {
        let mut side = Side::default();
        let node = |parent, name: &str| Node { span: Some(span), ..Node::new(parent, rate, name) };
        side.add(TOP, node(None, ""));
        side.add((1, 1), node(Some(TOP), "1:1"));
        side.default = Some((1, 1));
        for (dscp, digit) in (0..).zip(kernel_tins(tins).bytes()).filter(|(_, digit)| *digit != b'0') {
            let to = (1, u16::from(digit - b'0') + 1);
            side.add_dscp(dscp, to, span);
            side.add(to, node(Some(TOP), &format!("tin {}", to.1)));
        }
        side
    }

    /// Adds filters of both IP versions for a code point.
    pub(crate) fn add_dscp(&mut self, dscp: u32, to: Id, span: Span) {
        for (family, shift) in [(Family::Ipv4, 18), (Family::Ipv6, 22)] {
            let test = Test { words: vec![(0, (dscp << shift, 0x3f << shift))], mark: (0, 0) };
            self.lists.entry(TOP).or_default().add(Rule { family: Some(family), test, to, span: Some(span) });
        }
    }

    /// Returns the classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (&Id, &Node)> {
        self.nodes.iter().filter(|(id, _)| **id != TOP)
    }

    pub(crate) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(&id)
    }

    /// Returns the sum of the rates of the classes directly in a class, in bit/s.
    pub(crate) fn inside(&self, id: Id) -> u64 {
        self.inner.get(&id).copied().unwrap_or_default()
    }

    fn at(&self, class: Id, span: Option<Span>) -> Outcome {
        let mut outcome = Outcome { span, ..Outcome::default() };
        let mut next = Some(class);
        while let Some((id, node)) = next.and_then(|id| Some((id, self.nodes.get(&id)?))) {
            outcome.limit = Some(outcome.limit.map_or(node.ceil, |limit| limit.min(node.ceil)));
            if id != TOP {
                outcome.path.push(id);
            }
            next = node.parent.filter(|_| outcome.path.len() < DEEPEST);
        }
        outcome
    }
}
