//! All that one link asks of the kernel.

use super::{Charge, Filter, HtbClass, Marks, Qdisc, Scale};
use crate::model::{Frames, PerDirection};
use crate::units::{IfName, LinkName};
use serde::Serialize;

/// What only the router knows of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Bytes that the WAN device's packets have above IP when a qdisc sees them: 14 on a device of type 1 (Ethernet,
    /// VLAN), 22 where such a device carries PPPoE frames, 0 on ppp, tun and the like. The ifb's packets have the same.
    pub header: u32,
    /// Whether leaves must split aggregates, because they cannot be turned off.
    pub split_in_leaves: bool,
}

/// What happens at the WAN's ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IngressMode {
    /// Everything not policed away from it goes through the ifb.
    Ifb,
    /// No ifb: filters at most.
    Direct,
}

/// A kernel setting that `start` sets and `stop` puts back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sysctl {
    /// Below `/proc/sys/`.
    pub path: &'static str,
    /// What to write.
    pub value: String,
}

/// What is set beside the qdiscs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// `txqueuelen` of the WAN device.
    pub txqueuelen: Option<u32>,
    /// Kernel settings.
    pub sysctls: Vec<Sysctl>,
    /// Whether aggregates are kept from the shaper of a direction.
    pub split: PerDirection<bool>,
    /// Devices by which uploads come in: LAN devices and tunnels.
    pub receivers: Vec<IfName>,
}

/// All that one link asks of the kernel, in the order in which it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The link.
    pub link: LinkName,
    /// The WAN device.
    pub wan: IfName,
    /// The ifb.
    pub ifb: IfName,
    /// What happens to downloads.
    pub ingress: IngressMode,
    /// What a packet costs on the line.
    pub charge: Charge,
    /// What the WAN device's packets are, where the file says so.
    pub frames: Frames,
    /// Roots before leaves.
    pub qdiscs: Vec<Qdisc>,
    /// Parents before children.
    pub classes: Vec<HtbClass>,
    /// First asked first.
    pub filters: Vec<Filter>,
    /// What writes our bits into marks, where a filter reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// What is set beside them.
    pub settings: Settings,
    /// How the numbers follow from the line rates.
    pub scale: PerDirection<Scale>,
}
