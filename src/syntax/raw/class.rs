//! `classes` and their queues.

#[cfg(feature = "schema")]
use super::forms::{Named, Queue, Several};
use super::{Opt, RawMatch, RawPerDirection};
use crate::diag::{Span, Spanned};
#[cfg(feature = "schema")]
use crate::syntax::limits::{FLOWS, IDS, MEMORY, PACKETS, PRIORITY, QUANTUM};
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
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "snake_case", deny_unknown_fields))]
pub enum RawQueue {
    /// Every flow the same, and no flow's packets wait for long
    FqCodel {
        /// How long packets may wait before some are dropped; follows from the rate
        target: Opt<Micros>,
        /// For how long they must have waited longer than that; follows from `target`
        interval: Opt<Micros>,
        /// Packets in the queue, at most
        #[cfg_attr(feature = "schema", schemars(range(min = *PACKETS.start(), max = *PACKETS.end())))]
        limit: Opt<u32>,
        /// Bytes that a flow sends in its turn
        #[cfg_attr(feature = "schema", schemars(range(min = *QUANTUM.start(), max = *QUANTUM.end())))]
        quantum: Opt<u32>,
        /// How many flows are kept apart
        #[cfg_attr(feature = "schema", schemars(range(min = *FLOWS.start(), max = *FLOWS.end())))]
        flows: Opt<u32>,
        /// Whether packets are marked rather than dropped where both ends know ECN
        ecn: Opt<bool>,
        /// The memory that the queue takes at most
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = *MEMORY.start(), "maximum" = *MEMORY.end())))]
        memory: Opt<Bytes>,
    },
    /// Every host the same, then its flows, where `share: per-host`
    Cake {
        /// The round trip time to work for
        rtt: Opt<Micros>,
        /// Into how many tins packets are sorted by their DSCP
        diffserv: Opt<Diffserv>,
        /// Whether acknowledgements that a later one makes needless are dropped
        ack_filter: Opt<bool>,
        /// Whether the DSCP is cleared
        wash: Opt<bool>,
    },
    /// First come, first served
    Fifo {
        /// Packets in the queue, at most
        #[cfg_attr(feature = "schema", schemars(range(min = *PACKETS.start(), max = *PACKETS.end())))]
        limit: Opt<u32>,
    },
}

/// A class: what it gets, and what belongs to it
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Class", deny_unknown_fields, extend("allOf" = [
    {
        "$comment": "packets go into the classes inside, never into itself",
        "if": { "required": ["classes"], "properties": { "classes": { "minProperties": 1 } } },
        "then": { "properties": { "share": false, "queue": false, "set_dscp": false, "default": { "const": false } } }
    },
    {
        "$comment": "only CAKE knows hosts",
        "if": { "required": ["share", "queue"], "properties": { "share": { "const": "per-host" } } },
        "then": { "properties": { "queue": { "anyOf": [
            { "const": "cake" },
            { "type": "object", "required": ["kind"], "properties": { "kind": { "const": "cake" } } },
            { "type": "object", "required": ["cake"] }
        ] } } }
    }
])))]
pub struct RawClass {
    /// Its name
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub name: Spanned<String>,
    /// Pins its number in the kernel; by default it follows from the name. Decimal, or hexadecimal after `0x`
    #[cfg_attr(feature = "schema", schemars(range(min = *IDS.start(), max = *IDS.end())))]
    pub id: Opt<u16>,
    /// 0, served first, to 7; 3 by default
    #[cfg_attr(feature = "schema", schemars(range(min = *PRIORITY.start(), max = *PRIORITY.end())))]
    pub priority: Opt<u8>,
    /// What it gets when all want more; by default an equal part of what its siblings' guarantees leave. `0%` for a class that only borrows
    #[cfg_attr(feature = "schema", schemars(with = "Option<RawPerDirection<Amount>>"))]
    pub guarantee: RawPerDirection<Amount>,
    /// What it gets when none else wants anything; `100%` by default
    #[cfg_attr(feature = "schema", schemars(with = "Option<RawPerDirection<Amount>>"))]
    pub ceiling: RawPerDirection<Amount>,
    /// Who gets the same inside: every flow, or every host and then its flows; `per-flow` by default
    pub share: Opt<Share>,
    /// What its packets wait in; `fq_codel` by default
    #[cfg_attr(feature = "schema", schemars(with = "Option<Queue>"))]
    pub queue: Opt<RawQueue>,
    /// `true` on exactly one class without classes inside: what nothing matches goes there
    pub default: Opt<bool>,
    /// The DSCP that its packets leave with; by default as they came
    pub set_dscp: Opt<Dscp>,
    /// What belongs to it: alternatives, of which one must hold. Without the key, which is not the same as an empty list, what
    /// is left of the class around it
    #[cfg_attr(feature = "schema", schemars(rename = "match", with = "Option<Several<RawMatch>>"))]
    pub matches: Option<Vec<RawMatch>>,
    /// Classes inside it by name, seven deep at most
    #[cfg_attr(feature = "schema", schemars(with = "Option<Named<RawClass>>"))]
    pub classes: Vec<RawClass>,
}
