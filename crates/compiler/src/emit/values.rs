//! The values that templates of users get besides those of the frames.
//!
//! The names and types below are a promise: `docs/templates.md` lists them, and [`VERSION`] counts incompatible changes.

use crate::terms::PerDirection;
use serde::Serialize;

/// Version of the values for templates. It grows if a field is removed or renamed, or changes its type, unit or meaning.
pub const VERSION: u32 = 1;

/// Meaning of a file, for templates. Rates are in bit/s and sizes in bytes. Texts have no hidden characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Values {
    /// WAN device.
    pub device: String,
    /// Link profile.
    pub profile: String,
    /// Bytes on the line above each IP packet.
    pub overhead: u32,
    /// Minimum charge of a packet in bytes; 0 for none.
    pub mpu: u32,
    /// Encapsulation that carries packets on the line.
    pub layer: String,
    /// Line rates in bit/s; 0 for a direction of which the file gives only the shaped rate.
    pub line: PerDirection<u64>,
    /// Shaped rates in bit/s.
    pub shaped: PerDirection<u64>,
    /// Schedulers of both directions.
    pub engine: PerDirection<String>,
    /// Classes, depth first: parents before their children.
    pub classes: Vec<ClassValues>,
    /// Hosts in the order of the file.
    pub hosts: Vec<HostValues>,
    /// Tunnels in the order of the file.
    pub tunnels: Vec<TunnelValues>,
}

/// A class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassValues {
    /// Name.
    pub name: String,
    /// Name of the parent class; empty at the top.
    pub parent: String,
    /// Number of parent classes.
    pub depth: usize,
    /// Id of the class in `tc`, such as `c05:1a2`.
    pub id: String,
    /// `true` for a class with a queue.
    pub leaf: bool,
    /// `true` for the leaf that gets all packets without a match.
    pub default: bool,
    /// Priority from 0 (served first) to 7.
    pub priority: u8,
    /// Guarantees in bit/s.
    pub guarantee: PerDirection<u64>,
    /// Ceilings in bit/s.
    pub ceiling: PerDirection<u64>,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostValues {
    /// Name.
    pub name: String,
    /// IP addresses and prefixes.
    pub addresses: Vec<String>,
    /// MAC addresses.
    pub macs: Vec<String>,
}

/// A tunnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TunnelValues {
    /// Name.
    pub name: String,
    /// Kind, such as `wireguard`.
    pub kind: String,
    /// Device; empty if the file names none.
    pub device: String,
}
