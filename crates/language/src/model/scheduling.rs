//! Ids of classes, and how HTB serves them.

use super::Val;
use crate::units::Bytes;
use serde::Serialize;

/// Id of a class in both directions: the minor number of its HTB class, and the major number of its leaf's qdisc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ClassId(pub u16);

/// HTB's buckets and quantum of a class, derived by `derive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scheduling {
    /// Bytes that the class may send at once within its guarantee.
    pub burst: Val<Bytes>,
    /// Bytes that the class may send at once within its ceiling.
    pub cburst: Val<Bytes>,
    /// Bytes per round between classes of equal priority.
    pub quantum: Val<u32>,
}
