//! `classes` and their queues.

use super::forms::{Named, Queue, Several};
use super::{Opt, RawMatch, RawPerDirection};
use crate::diag::{Span, Spanned};
use crate::terms::limits::{CLASS_ID, FLOWS, MEMORY, PACKETS, PRIORITY, QUANTUM};
use crate::terms::{Amount, Diffserv, Share};
use crate::units::{Bytes, Dscp, Micros};

/// `classes`: a set of our own, or classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawClasses {
    /// `{ preset: NAME }`.
    Preset(Spanned<String>),
    /// The classes in the order of the file; `key` is the place of the key `classes`.
    List {
        /// The place of the key.
        key: Span,
        /// The classes.
        list: Vec<RawClass>,
    },
}

/// A leaf's queue, as `{ KIND: options }`; the other ways to write one follow from it.
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename_all = "snake_case", deny_unknown_fields)]
pub enum RawQueue {
    /// Equal shares for all flows, with a short queueing delay
    FqCodel {
        /// Acceptable queueing delay before packets are dropped; by default derived from the rate
        target: Opt<Micros>,
        /// How long the delay must be above `target` before packets are dropped; by default derived from `target`
        interval: Opt<Micros>,
        /// Largest number of packets in the queue; by default derived from the rate
        #[schemars(range(min = PACKETS.least, max = PACKETS.most))]
        limit: Opt<u32>,
        /// Bytes that a flow may send in each round; by default derived from the rate
        #[schemars(range(min = QUANTUM.least, max = QUANTUM.most))]
        quantum: Opt<u32>,
        /// Number of flow queues; 1024 by default, fewer if the link has many queues
        #[schemars(range(min = FLOWS.least, max = FLOWS.most))]
        flows: Opt<u32>,
        /// Marks packets of ECN-capable flows instead of dropping them; `true` by default
        ecn: Opt<bool>,
        /// Largest memory of the queue; by default derived from `limit`
        #[schemars(extend("minimum" = MEMORY.least, "maximum" = MEMORY.most))]
        memory: Opt<Bytes>,
    },
    /// CAKE; with `share: per-host` equal shares for all hosts, and then for the flows of each host
    Cake {
        /// Round-trip time for which the queue is tuned; `100ms` by default, or derived from the rate with `share: per-host`
        rtt: Opt<Micros>,
        /// Number of tins into which CAKE sorts packets by their DSCP; `besteffort` by default
        diffserv: Opt<Diffserv>,
        /// Drops acknowledgements that a later one makes redundant; `false` by default
        ack_filter: Opt<bool>,
        /// Clears the DSCP; `false` by default
        wash: Opt<bool>,
    },
    /// One queue for all flows: first in, first out
    Fifo {
        /// Largest number of packets in the queue; by default derived from the rate
        #[schemars(range(min = PACKETS.least, max = PACKETS.most))]
        limit: Opt<u32>,
    },
}

/// A class: its share of the rate, and the packets that belong to it
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Class", deny_unknown_fields, extend("allOf" = [
    {
        "$comment": "packets go to the leaf classes inside, never to the class itself",
        "if": { "required": ["classes"], "properties": { "classes": { "minProperties": 1 } } },
        "then": { "properties": { "share": false, "queue": false, "set_dscp": false, "default": { "const": false } } }
    },
    {
        "$comment": "only CAKE shares between hosts",
        "if": { "required": ["share", "queue"], "properties": { "share": { "const": "per-host" } } },
        "then": { "properties": { "queue": { "anyOf": [
            { "const": "cake" },
            { "type": "object", "required": ["kind"], "properties": { "kind": { "const": "cake" } } },
            { "type": "object", "required": ["cake"] }
        ] } } }
    }
]))]
pub struct RawClass {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// Fixed class id in the kernel, decimal or hexadecimal after `0x`; by default derived from the name
    #[schemars(range(min = CLASS_ID.least, max = CLASS_ID.most))]
    pub id: Opt<u16>,
    /// Priority from 0 (served first) to 7; 3 by default
    #[schemars(range(min = PRIORITY.least, max = PRIORITY.most))]
    pub priority: Opt<u8>,
    /// Rate that the class gets when all classes want more; by default an equal share of what the guarantees of its siblings leave. `0%` for a class that only borrows
    #[schemars(with = "Option<RawPerDirection<Amount>>")]
    pub guarantee: RawPerDirection<Amount>,
    /// Rate that the class gets at most, with borrowed bandwidth; `100%` by default
    #[schemars(with = "Option<RawPerDirection<Amount>>")]
    pub ceiling: RawPerDirection<Amount>,
    /// Equal shares for flows, or for hosts and then for the flows of each host; `per-flow` by default
    pub share: Opt<Share>,
    /// Queue of the class; `fq_codel` by default
    #[schemars(with = "Option<Queue>")]
    pub queue: Option<Box<Spanned<RawQueue>>>,
    /// `true` in exactly one leaf class: it gets all packets that no `match` matches
    pub default: Opt<bool>,
    /// DSCP that the packets of the class get; by default it stays as it is
    pub set_dscp: Opt<Dscp>,
    /// Packets that belong to the class: alternatives, of which one must match. Without this key, the class gets the packets of its parent class that no sibling matches; an empty list matches no packet and is an error
    #[schemars(rename = "match", with = "Option<Several<RawMatch>>")]
    pub matches: Option<Vec<RawMatch>>,
    /// Classes inside this class by name, at most seven levels deep
    #[schemars(with = "Option<Named<RawClass>>")]
    pub classes: Vec<RawClass>,
}
