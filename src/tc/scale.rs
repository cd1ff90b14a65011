//! How the numbers of a direction follow from its line rate, so that a script can find them for another one.

use super::Handle;
use crate::terms::{Amount, Basis};
use crate::units::{Bytes, Micros, Percent};
use serde::Serialize;

/// What a direction's numbers follow from. Whatever is given stays at every line rate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Scale {
    /// From the line rate to the shaped rate, and what packets take.
    pub basis: Basis,
    /// What bypassing police set aside of the shaped rate: a share is of it.
    pub aside: Vec<Amount>,
    /// Every class but the one that holds the tree, parents before children, siblings in the order of the file.
    pub classes: Vec<ClassScale>,
    /// The police whose rate follows from the line's.
    pub police: Vec<PoliceScale>,
}

/// What a class asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassScale {
    /// The class.
    pub id: Handle,
    /// The class above.
    pub parent: Handle,
    /// A share is of what the parent is guaranteed; `None` is an equal part of what is left.
    pub guarantee: Option<Amount>,
    /// What a host's class counts as where it has no guarantee, beside others of the same leaf; `None` for a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u64>,
    /// A share is of the parent's ceiling; `None` is all of it.
    pub ceiling: Option<Amount>,
    /// What its queue asks for, where it has one.
    pub queue: Option<QueueScale>,
}

/// What is given of a queue's options that would follow from rates otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueScale {
    /// fq_codel, or the CAKE that stands in for it.
    FqCodel {
        /// CoDel's target.
        target: Option<Micros>,
        /// CoDel's interval.
        interval: Option<Micros>,
        /// Packets.
        limit: Option<u32>,
        /// Bytes a flow may send in a round.
        quantum: Option<u32>,
        /// Bytes of memory.
        memory: Option<Bytes>,
    },
    /// CAKE.
    Cake {
        /// Tuned for; `None` is what suits hosts that share.
        rtt: Option<Micros>,
    },
    /// pfifo.
    Pfifo {
        /// Packets.
        limit: Option<u32>,
    },
}

/// A police whose rate follows from the line's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PoliceScale {
    /// Its index at the line rate of the file.
    pub index: u32,
    /// Its share of the shaped rate; `None` is what the classes would share.
    pub share: Option<Percent>,
    /// Its bucket, where it is given.
    pub burst: Option<Bytes>,
}
