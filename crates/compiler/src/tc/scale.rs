//! Derivation of a direction's numbers from its line rate, so that a script can compute them for another rate.

use super::Handle;
use crate::terms::{Amount, Basis};
use crate::units::{Bytes, Micros, Percent, Rate};
use serde::Serialize;

/// Inputs for the numbers of a direction. Values that the file gives stay the same at every line rate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Scale {
    /// Factor from the line rate to the shaped rate, and sizes of packets.
    pub basis: Basis,
    /// Rates that bypassing policers and uploads by other devices set aside. A percentage refers to the shaped rate.
    pub aside: Vec<Amount>,
    /// All classes except the root class, parents before children, siblings in the order of the file.
    pub classes: Vec<ClassScale>,
    /// Policers whose rate depends on the line rate.
    pub police: Vec<PoliceScale>,
}

/// Inputs for the rates of a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassScale {
    /// Handle of the class.
    pub id: Handle,
    /// Handle of the parent.
    pub parent: Handle,
    /// Requested guarantee. A percentage refers to the parent's guarantee; `None` is a share of the remaining rate.
    pub guarantee: Option<Amount>,
    /// Share of the remaining rate; `None` for a class with a guarantee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining: Option<Remaining>,
    /// Requested ceiling. A percentage refers to the parent's ceiling; `None` is all of it.
    pub ceiling: Option<Amount>,
    /// Inputs for the queue, if the class has one.
    pub queue: Option<QueueScale>,
}

/// Share of the rate that the guarantees of siblings leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Remaining {
    /// Weight among the siblings without a guarantee.
    pub weight: u64,
    /// Smallest share for a weight of one.
    pub least: Rate,
}

/// Options of a queue that depend on rates unless the file gives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueScale {
    /// fq_codel, or the CAKE that replaces it.
    FqCodel {
        /// CoDel's target.
        target: Option<Micros>,
        /// CoDel's interval.
        interval: Option<Micros>,
        /// Limit in packets.
        limit: Option<u32>,
        /// Bytes that a flow may send per round.
        quantum: Option<u32>,
        /// Memory limit in bytes.
        memory: Option<Bytes>,
    },
    /// CAKE.
    Cake {
        /// Round trip time that CAKE is tuned for; `None` for the value derived for sharing hosts.
        rtt: Option<Micros>,
    },
    /// pfifo.
    Pfifo {
        /// Limit in packets.
        limit: Option<u32>,
    },
}

/// A policer whose rate depends on the line rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PoliceScale {
    /// Index in the kernel at the line rate of the file.
    pub index: u32,
    /// Share of the shaped rate; `None` is the whole rate that the classes would share.
    pub share: Option<Percent>,
    /// Bucket size, if the file gives it.
    pub burst: Option<Bytes>,
}
