//! The tree of classes.

use super::{Alternative, Amount, ClassId, Diffserv, Direction, PerDirection, Scheduling, Share, Val};
use crate::diag::Span;
use crate::units::{Bytes, Dscp, Micros, Rate};
use serde::Serialize;

/// A class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Class {
    /// Name of the class, unique in the file: its path if another class has the same name.
    pub name: String,
    /// Names of the classes that it is in, and its own.
    #[serde(skip)]
    pub path: String,
    /// Place of the name.
    pub span: Span,
    /// Id of the class, derived from the path unless it is pinned.
    pub id: Val<ClassId>,
    /// Priority from 0 (served first) to 7: as given, or that of the parent, or 3.
    pub priority: Val<u8>,
    /// Requested rates. `guarantee` and `ceiling` follow from them at any line rate.
    pub asked: Asked,
    /// Rate that the class gets while all classes want more.
    pub guarantee: PerDirection<Val<Rate>>,
    /// Rate that the class gets while no other class sends.
    pub ceiling: PerDirection<Val<Rate>>,
    /// Buckets and quantum.
    pub scheduling: PerDirection<Scheduling>,
    /// Alternatives of the class's own `match`. `None` if it has no `match`: it then gets the rest of its parent's.
    pub matches: Option<Vec<Alternative>>,
    /// Children or a queue.
    pub shape: Shape,
}

/// Rates of a class as the file gives them; `None` for a rate that it does not give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// A rate, or a percentage of the parent's guarantee.
    pub guarantee: PerDirection<Option<Amount>>,
    /// A rate, or a percentage of the parent's ceiling.
    pub ceiling: PerDirection<Option<Amount>>,
}

/// Contents of a class: children, or a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "a file has few classes, and most of them are leaves")]
pub enum Shape {
    /// Children in the order of the file.
    Inner(Vec<Class>),
    /// A queue.
    Leaf(Leaf),
}

/// Properties that only a leaf class has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leaf {
    /// `true` for the leaf that gets all packets without a match.
    pub default: bool,
    /// Parties that share the leaf.
    pub share: PerDirection<Val<Share>>,
    /// Queue of the leaf.
    pub queue: PerDirection<Queue>,
    /// DSCP that its packets get.
    pub set_dscp: Option<Val<Dscp>>,
    /// Host classes that replace the queue; `None` if no host has a class of its own in the leaf.
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

/// Host classes of a leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostClasses {
    /// Classes of hosts. A host that is a part of another comes before it. The class for tunnels comes last, if there
    /// is one.
    pub hosts: Vec<HostClass>,
    /// Class of all other hosts.
    pub rest: Box<HostClass>,
}

impl HostClasses {
    /// Returns all classes, the class of all other hosts last.
    pub fn all(&self) -> impl Iterator<Item = &HostClass> {
        self.hosts.iter().chain([&*self.rest])
    }
}

/// Class of a host, or of all other hosts, in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostClass {
    /// Names of leaf and host: `normal/tv`, `normal/rest`.
    pub name: String,
    /// Place of the host's name, or of the leaf's.
    pub span: Span,
    /// Index of the host; `None` for tunnels and for all other hosts.
    pub host: Option<usize>,
    /// Id derived from the name; the same in both directions.
    pub id: Val<ClassId>,
    /// Requested rates. `guarantee` and `ceiling` follow from them at any line rate.
    pub asked: HostAsked,
    /// Rate that the class gets while all classes want more.
    pub guarantee: Val<Rate>,
    /// Rate that the class gets while no other class sends.
    pub ceiling: Val<Rate>,
    /// Buckets and quantum.
    pub scheduling: Scheduling,
    /// Queue of the class.
    pub queue: Queue,
}

/// Rates of a host class as the file gives them, and its weight if the file gives no guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HostAsked {
    /// A rate, or a percentage of the leaf's guarantee.
    pub guarantee: Option<Amount>,
    /// A rate, or a percentage of the leaf's ceiling.
    pub ceiling: Option<Amount>,
    /// Weight for sharing the remaining rate, if there is no guarantee.
    pub weight: u64,
}

impl Class {
    /// Returns the properties of a leaf; `None` for a parent class.
    #[must_use]
    pub const fn leaf(&self) -> Option<&Leaf> {
        match &self.shape {
            Shape::Leaf(leaf) => Some(leaf),
            Shape::Inner(_) => None,
        }
    }

    /// Returns the classes in this one, in the order of the file.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        match &self.shape {
            Shape::Inner(children) => children,
            Shape::Leaf(_) => &[],
        }
    }

    /// Returns `true` for the leaf that gets all packets without a match.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.leaf().is_some_and(|leaf| leaf.default)
    }

    /// Returns the id of the class for packets that reach this leaf but belong to no host class in it.
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

choices! {
    /// Parties that get equal shares in a CAKE.
    pub enum Isolation {
        /// Flows.
        Flows,
        /// Hosts in the LAN, and the flows of each host among themselves.
        Hosts,
    }
}

/// A direction that CAKE schedules instead of HTB. It has tins for classes, and no rate is guaranteed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cake {
    /// Mode, which determines the number of tins.
    pub diffserv: Val<Diffserv>,
    /// Tins of the leaves, in the order of the file. If there are too many leaves, some have no tin.
    pub tins: Vec<Tin>,
    /// Parties that share each tin.
    pub share: Val<Share>,
    /// Round trip time that CAKE is tuned for.
    pub rtt: Val<Micros>,
    /// `true` if redundant acknowledgements are dropped.
    pub ack_filter: Val<bool>,
    /// Memory limit in bytes.
    pub memory: Val<Bytes>,
}

/// Tin of a leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tin {
    /// Id of the leaf.
    pub class: ClassId,
    /// Number by which a packet's priority selects the tin, from 1. The least urgent tin comes first.
    pub number: u16,
    /// Name in tc's output.
    pub name: String,
}

impl Cake {
    /// Returns the tin of a leaf.
    #[must_use]
    pub fn tin(&self, class: ClassId) -> Option<&Tin> {
        self.tins.iter().find(|tin| tin.class == class)
    }
}

/// Memory in bytes that an skb with a full packet of 1500 bytes takes, including the skb itself (`truesize`, x86-64 and
/// arm64).
pub const FULL_PACKET_MEMORY: u64 = 2_304;

/// Queue of a leaf in one direction, with all parameters resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// Fair queueing with CoDel.
    FqCodel {
        /// Limit in packets for all flows.
        limit: Val<u32>,
        /// Number of flows (hash buckets).
        flows: Val<u32>,
        /// Bytes that a flow may send per round.
        quantum: Val<u32>,
        /// Accepted standing delay.
        target: Val<Micros>,
        /// Time for which the delay may exceed the target.
        interval: Val<Micros>,
        /// Memory limit in bytes for all flows.
        memory: Val<Bytes>,
        /// `true` if packets are marked instead of dropped.
        ecn: Val<bool>,
    },
    /// CAKE in a class that shapes. For downloads, lowering gives it the ceiling of the class as its rate.
    Cake {
        /// Round trip time that CAKE is tuned for.
        rtt: Val<Micros>,
        /// Mode, which determines the number of tins.
        diffserv: Val<Diffserv>,
        /// `true` if redundant acknowledgements are dropped.
        ack_filter: Val<bool>,
        /// `true` if the DSCP is cleared.
        wash: Val<bool>,
        /// Parties that get equal shares.
        isolation: Val<Isolation>,
        /// `true` if conntrack identifies hosts by their addresses before NAT.
        nat: Val<bool>,
        /// Memory limit in bytes.
        memory: Val<Bytes>,
    },
    /// A single queue.
    Fifo {
        /// Limit in packets.
        limit: Val<u32>,
    },
}

impl Queue {
    /// Returns `true` if the queue splits aggregated packets.
    #[must_use]
    pub const fn splits(&self) -> bool {
        matches!(self, Queue::Cake { .. })
    }

    /// Returns the bytes of memory that the packets in this queue can take.
    #[must_use]
    pub const fn packet_memory(&self) -> u64 {
        match self {
            Queue::FqCodel { memory, .. } | Queue::Cake { memory, .. } => memory.value.get(),
            Queue::Fifo { limit } => limit.value as u64 * FULL_PACKET_MEMORY,
        }
    }
}
