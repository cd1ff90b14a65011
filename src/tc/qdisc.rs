//! Queueing disciplines.

use super::{Dev, Handle, LinkLayer, Parent, Why};
use crate::units::{Bytes, Micros, Rate};
use serde::Serialize;

/// A size table on a root: the one thing that can take bytes off a packet's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stab {
    /// Where the overhead above IP is less than the device's own header, the difference is taken off here.
    BelowHeader {
        /// The overhead above IP.
        above_ip: u32,
    },
    /// What the kernel is told, below zero.
    Told(i32),
    /// None.
    None,
}

/// HTB's `r2q`, its own: nothing is computed from it, as each class has a quantum.
pub const R2Q: u32 = 10;

/// How many packets fq_codel drops at once at its limit, by itself.
pub const DROP_BATCH: u32 = 64;

/// CAKE's tins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CakeTins {
    /// One.
    Besteffort,
    /// Three.
    Diffserv3,
    /// Four.
    Diffserv4,
    /// Eight.
    Diffserv8,
}

/// Who gets the same in a CAKE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CakeIsolation {
    /// Flows.
    Flows,
    /// Sources, and the flows of each among themselves.
    DualSrchost,
    /// Destinations, and the flows of each among themselves.
    DualDsthost,
}

/// The overhead that a CAKE adds. CAKE subtracts the bytes before the network header from a packet's length, so it counts
/// above IP. In PPPoE frames, it counts their 8 bytes with the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CakeOverhead {
    /// Above the IP packet, in bytes.
    AboveIp(u32),
    /// The same for a leaf whose root may have a size table. If it has one, the table has already changed the packet's
    /// length to the IP packet and its overhead, and CAKE subtracts an Ethernet header from that.
    AboveIpInLeaf(u32),
    /// The bytes that the kernel is told.
    Told(i32),
}

/// A CAKE that holds packets to a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CakeShaper {
    /// The rate.
    pub rate: Rate,
    /// Added to each packet.
    pub overhead: CakeOverhead,
    /// The least that a packet is charged, overhead included, in bytes.
    pub mpu: u32,
    /// Cells or not.
    pub linklayer: LinkLayer,
    /// Whether what it drops counts against the rate, since it has come over the line already.
    pub ingress: bool,
}

/// A qdisc's kind and options.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QdiscKind {
    /// HTB: unclassified packets go out directly, but a last filter leaves none.
    Htb {
        /// Packets in the queue of what is sent directly.
        direct_qlen: u32,
        /// The size table.
        stab: Stab,
    },
    /// fq_codel.
    FqCodel {
        /// Packets.
        limit: u32,
        /// Buckets; creation only.
        flows: u32,
        /// Bytes.
        quantum: u32,
        /// CoDel's target.
        target: Micros,
        /// CoDel's interval.
        interval: Micros,
        /// Bytes of memory.
        memory: Bytes,
        /// Mark before drop.
        ecn: bool,
    },
    /// CAKE, which splits aggregates.
    Cake {
        /// Its rate and what a packet costs; `None` where a class above shapes.
        shaper: Option<CakeShaper>,
        /// Tuned for.
        rtt: Micros,
        /// Tins.
        tins: CakeTins,
        /// Drop redundant acknowledgements.
        ack_filter: bool,
        /// Clear the DSCP.
        wash: bool,
        /// Who gets the same; changed in place, hosts would be counted wrongly.
        isolation: CakeIsolation,
        /// Take addresses from before NAT.
        nat: bool,
        /// Bytes of memory.
        memory: Bytes,
    },
    /// pfifo.
    Pfifo {
        /// Packets.
        limit: u32,
    },
    /// clsact: the hooks before the root and before the stack.
    Clsact,
}

/// A qdisc.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Qdisc {
    /// The device.
    pub dev: Dev,
    /// What it hangs on.
    pub parent: Parent,
    /// Its handle; minor 0.
    pub handle: Handle,
    /// Its kind and options.
    pub kind: QdiscKind,
    /// What stands in its place on a router where aggregates cannot be turned off; only for leaves.
    pub instead: Option<QdiscKind>,
    /// What it came from.
    pub why: Why,
}
