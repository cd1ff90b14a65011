//! Queueing disciplines with their options.

use super::{Dev, Handle, LinkLayer, Parent, Why};
use crate::units::{Bytes, Micros, Rate};
use serde::Serialize;

/// A size table of a root qdisc, the only object that can subtract bytes from a packet's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stab {
    /// If the overhead above IP is below the header of the device, the table subtracts the difference.
    BelowHeader {
        /// Overhead above IP in bytes.
        above_ip: u32,
    },
    /// Bytes for the kernel, a negative number.
    #[serde(rename = "told")]
    Fixed(i32),
    /// No size table.
    None,
}

/// HTB's default for `r2q`. It has no effect, because each class has a quantum.
pub const R2Q: u32 = 10;

/// Number of packets that fq_codel drops at once at its limit; fq_codel's default.
pub const DROP_BATCH: u32 = 64;

qosc_language::choices! {
    /// Number of CAKE's tins.
    pub enum CakeTins {
        /// One tin.
        Besteffort,
        /// Three tins.
        Diffserv3,
        /// Four tins.
        Diffserv4,
        /// Eight tins.
        Diffserv8,
    }
}

qosc_language::choices! {
    /// Parties that get equal shares in a CAKE.
    pub enum CakeIsolation {
        /// Flows.
        Flows,
        /// Source hosts, and the flows of each host among themselves.
        DualSrchost,
        /// Destination hosts, and the flows of each host among themselves.
        DualDsthost,
    }
}

/// Overhead that a CAKE adds. CAKE subtracts the bytes before the network header from a packet's length, so it counts
/// above IP. In PPPoE frames, it counts their 8 bytes with the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CakeOverhead {
    /// Bytes above the IP packet.
    AboveIp(u32),
    /// The same for a leaf whose root may have a size table. Such a table has already changed the packet's length to
    /// the IP packet and its overhead. CAKE subtracts an Ethernet header from that.
    AboveIpInLeaf(u32),
    /// Value for the kernel.
    #[serde(rename = "told")]
    Fixed(i32),
}

/// Shaper of a CAKE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CakeShaper {
    /// Shaped rate.
    pub rate: Rate,
    /// Bytes added to each packet.
    pub overhead: CakeOverhead,
    /// Minimum charge of a packet in bytes, overhead included.
    pub mpu: u32,
    /// Cells or whole packets.
    pub linklayer: LinkLayer,
    /// `true` if dropped packets count against the rate, because they have already used the line.
    pub ingress: bool,
    /// `true` for `cake_mq`: a CAKE for each transmit queue of the device, which share the rate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mq: bool,
}

/// Kind of a qdisc and its options.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QdiscKind {
    /// HTB. It sends unclassified packets directly, but the last filter leaves none.
    Htb {
        /// Limit in packets of the queue for directly sent packets.
        direct_qlen: u32,
        /// Size table.
        stab: Stab,
    },
    /// fq_codel.
    FqCodel {
        /// Limit in packets.
        limit: u32,
        /// Number of flows (hash buckets); can only be set at creation.
        flows: u32,
        /// Quantum in bytes.
        quantum: u32,
        /// CoDel's target.
        target: Micros,
        /// CoDel's interval.
        interval: Micros,
        /// Memory limit in bytes.
        memory: Bytes,
        /// Mark packets instead of dropping them.
        ecn: bool,
    },
    /// CAKE, which splits aggregated packets.
    Cake {
        /// Rate and cost of a packet; `None` if only a class shapes.
        shaper: Option<CakeShaper>,
        /// Round trip time that CAKE is tuned for.
        rtt: Micros,
        /// Number of tins.
        tins: CakeTins,
        /// Drop redundant acknowledgements.
        ack_filter: bool,
        /// Clear the DSCP.
        wash: bool,
        /// Parties that get equal shares. A change in place would make CAKE count hosts wrongly.
        isolation: CakeIsolation,
        /// Share by the addresses before NAT.
        nat: bool,
        /// Memory limit in bytes.
        memory: Bytes,
    },
    /// pfifo.
    Pfifo {
        /// Limit in packets.
        limit: u32,
    },
    /// clsact, which provides the ingress and egress hooks.
    Clsact,
}

/// A qdisc.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Qdisc {
    /// Device of the qdisc.
    pub dev: Dev,
    /// Object that the qdisc is attached to.
    pub parent: Parent,
    /// Handle; its minor number is 0.
    pub handle: Handle,
    /// Kind and options.
    pub kind: QdiscKind,
    /// Replacement on a router whose offloads cannot be turned off; leaves only.
    pub instead: Option<QdiscKind>,
    /// Origin of the qdisc.
    pub why: Why,
}
