//! The tree of classes.

use super::{Alternative, Amount, Diffserv, Direction, PerDirection, Share, Val};
use crate::diag::Span;
use crate::units::{Bytes, Dscp, Micros, Rate};
use serde::Serialize;

/// The id of a class in both directions: the minor number of its HTB class and the handle of its leaf's qdisc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ClassId(pub u16);

/// A class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Class {
    /// Its name, unique in the file.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// Its id, from the name unless pinned.
    pub id: Val<ClassId>,
    /// 0 (served first) to 7: given, else that of the class it is in, else 3.
    pub priority: Val<u8>,
    /// What the file asks for: the two that follow come from it, at any line rate.
    pub asked: Asked,
    /// What it gets when all want more.
    pub guarantee: PerDirection<Val<Rate>>,
    /// What it gets when none else wants anything.
    pub ceiling: PerDirection<Val<Rate>>,
    /// Its token buckets and its turn.
    pub scheduling: PerDirection<Scheduling>,
    /// What its own match says; `None` when it has none, and takes the rest of its parent's.
    pub matches: Option<Vec<Alternative>>,
    /// Its children or its queue.
    pub shape: Shape,
}

/// The rates of a class as the file gives them; `None` where it gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// A rate, or a share of what the parent is guaranteed.
    pub guarantee: PerDirection<Option<Amount>>,
    /// A rate, or a share of the parent's ceiling.
    pub ceiling: PerDirection<Option<Amount>>,
}

/// How HTB serves a class: derived, see `resolve::derive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scheduling {
    /// Bytes that may go at once within the guarantee.
    pub burst: Val<Bytes>,
    /// Bytes that may go at once within the ceiling.
    pub cburst: Val<Bytes>,
    /// Bytes in one turn beside classes of the same priority.
    pub quantum: Val<u32>,
}

/// A class with children, or one with a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "a file has few classes, and most of them are leaves")]
pub enum Shape {
    /// Children, in the order of the file.
    Inner(Vec<Class>),
    /// A queue.
    Leaf(Leaf),
}

/// What only a leaf has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leaf {
    /// Whether it takes what nothing matches.
    pub default: bool,
    /// Who shares inside.
    pub share: Val<Share>,
    /// The queue.
    pub queue: PerDirection<Queue>,
    /// The DSCP that its packets get.
    pub set_dscp: Option<Val<Dscp>>,
    /// What is there instead of the queue where hosts have classes of their own in it.
    pub hosts: PerDirection<Option<HostClasses>>,
}

impl Leaf {
    /// Returns the classes of hosts in this leaf, the class of all other hosts last; none if all hosts share its queue.
    pub fn host_classes(&self, direction: Direction) -> impl Iterator<Item = &HostClass> {
        self.hosts.get(direction).iter().flat_map(HostClasses::all)
    }

    /// Returns the queues of this leaf: one for each class of a host, or its own.
    pub fn queues(&self, direction: Direction) -> impl Iterator<Item = &Queue> {
        let own = self.hosts.get(direction).is_none().then(|| self.queue.get(direction));
        own.into_iter().chain(self.host_classes(direction).map(|host| &host.queue))
    }
}

/// The classes in a leaf of which a host is promised something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostClasses {
    /// Those of hosts: one that is a part of another comes before it. Behind them that of the tunnels, where there is one.
    pub hosts: Vec<HostClass>,
    /// That of all others.
    pub rest: HostClass,
}

impl HostClasses {
    /// Returns all classes, the class of all other hosts last.
    pub fn all(&self) -> impl Iterator<Item = &HostClass> {
        self.hosts.iter().chain([&self.rest])
    }
}

/// The class of a host, or of the rest, in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostClass {
    /// The names of leaf and host: `normal/tv`; `normal/rest`.
    pub name: String,
    /// The place of the host's name, or of the leaf's.
    pub span: Span,
    /// The host: an index; `None` for the tunnels and for the rest.
    pub host: Option<usize>,
    /// Its id, from its name; the same in both directions.
    pub id: Val<ClassId>,
    /// What the file asks for: the two that follow come from it, at any line rate.
    pub asked: HostAsked,
    /// What it gets when all want more.
    pub guarantee: Val<Rate>,
    /// What it gets when none else wants anything.
    pub ceiling: Val<Rate>,
    /// Its token buckets and its turn.
    pub scheduling: Scheduling,
    /// Its queue.
    pub queue: Queue,
}

/// The rates of a host class as the file gives them, and what it counts as where it gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HostAsked {
    /// A rate, or a share of what the leaf is guaranteed.
    pub guarantee: Option<Amount>,
    /// A rate, or a share of the leaf's ceiling.
    pub ceiling: Option<Amount>,
    /// How many parts it gets of what guarantees leave, where it has none.
    pub weight: u64,
}

impl Class {
    /// What only a leaf has; `None` of a class with classes in it.
    #[must_use]
    pub const fn leaf(&self) -> Option<&Leaf> {
        match &self.shape {
            Shape::Leaf(leaf) => Some(leaf),
            Shape::Inner(_) => None,
        }
    }

    /// Whether it is the leaf that takes what nothing matches.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.leaf().is_some_and(|leaf| leaf.default)
    }

    /// Where packets go that are sent to this leaf and are of no host that has a class in it.
    #[must_use]
    pub fn rest(&self, direction: Direction) -> ClassId {
        match &self.shape {
            Shape::Leaf(Leaf { hosts, .. }) => {
                hosts.get(direction).as_ref().map_or(self.id.value, |hosts| hosts.rest.id.value)
            }
            Shape::Inner(_) => self.id.value,
        }
    }
}

/// Who gets the same inside a CAKE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Flows.
    Flows,
    /// Hosts of the house, and the flows of each among themselves.
    Hosts,
}

/// A direction that CAKE schedules instead of HTB: it has tins for classes, and no rate is guaranteed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cake {
    /// Its mode: how many tins it has.
    pub diffserv: Val<Diffserv>,
    /// The tins of the leaves, in the order of the file; a leaf is not among them where there are too many.
    pub tins: Vec<Tin>,
    /// Who shares in each tin.
    pub share: Val<Share>,
    /// The round trip time it is tuned for.
    pub rtt: Val<Micros>,
    /// Whether redundant acknowledgements are dropped.
    pub ack_filter: Val<bool>,
    /// Bytes of memory.
    pub memory: Val<Bytes>,
}

/// A tin that a leaf goes into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tin {
    /// The leaf.
    pub class: ClassId,
    /// Its number as a packet's priority names it, from 1: what can wait comes first.
    pub number: u16,
    /// What tc calls it.
    pub name: String,
}

/// Bytes of memory that a packet of 1500 bytes takes as an skb, itself included (`truesize`, x86-64 and arm64).
pub const FULL_PACKET_MEMORY: u64 = 2_304;

/// A leaf's queue in one direction, every parameter decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Fair queueing with CoDel.
    FqCodel {
        /// Packets in all flows.
        limit: Val<u32>,
        /// Hash buckets.
        flows: Val<u32>,
        /// Bytes a flow may send in a round.
        quantum: Val<u32>,
        /// Standing delay that is allowed.
        target: Val<Micros>,
        /// How long it is allowed for.
        interval: Val<Micros>,
        /// Bytes of memory in all flows.
        memory: Val<Bytes>,
        /// Whether packets are marked before they are dropped.
        ecn: Val<bool>,
    },
    /// CAKE without a rate of its own: the class shapes.
    Cake {
        /// The round trip time it is tuned for.
        rtt: Val<Micros>,
        /// Its tins.
        diffserv: Val<Diffserv>,
        /// Whether redundant acknowledgements are dropped.
        ack_filter: Val<bool>,
        /// Whether the DSCP is cleared.
        wash: Val<bool>,
        /// Who gets the same inside.
        isolation: Val<Isolation>,
        /// Whether hosts are told apart by what conntrack knows of them from before NAT.
        nat: Val<bool>,
        /// Bytes of memory.
        memory: Val<Bytes>,
    },
    /// One queue.
    Fifo {
        /// Packets.
        limit: Val<u32>,
    },
}

impl Queue {
    /// Returns the bytes of memory that the packets in this queue can take.
    #[must_use]
    pub const fn packet_memory(&self) -> u64 {
        match self {
            Queue::FqCodel { memory, .. } | Queue::Cake { memory, .. } => memory.value.get(),
            Queue::Fifo { limit } => limit.value as u64 * FULL_PACKET_MEMORY,
        }
    }
}
