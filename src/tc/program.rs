//! All that one link asks of the kernel.

use super::{Charge, Filter, HtbClass, Marks, Qdisc, Scale, Why};
use crate::terms::{Frames, PerDirection};
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

/// A tunnel whose downloads are queued on the ifb after they were decrypted, which happens at its own device's ingress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decrypted {
    /// Its device, which comes and goes.
    pub device: IfName,
    /// By how many bytes a packet on the line is longer than the one inside, from the outer IP header on.
    pub more: u32,
    /// Bytes that the WAN device's packets have above IP, where that is known.
    pub header: Option<u32>,
    /// The UDP port at which it listens, where that is known.
    pub port: Option<u16>,
    /// What it came from.
    pub why: Why,
}

impl Decrypted {
    /// VLAN tags that are pushed behind an Ethernet header to make a packet as long as the line's. The first lies beside the
    /// packet, so `n` of them are `14 + 4 (n - 1)` bytes: the most that are not more than those wanted. From 1 to 26.
    #[must_use]
    pub const fn tags(&self, header: u32) -> u32 {
        1 + (self.more + header - 14) / 4
    }
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
    /// Tunnels whose downloads come to the ifb decrypted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decrypted: Vec<Decrypted>,
    /// What writes our bits into marks, where a filter reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// What is set beside them.
    pub settings: Settings,
    /// How the numbers follow from the line rates.
    pub scale: PerDirection<Scale>,
}

impl Program {
    /// The other ifb: downloads pass through it after the first had to be made anew.
    #[must_use]
    pub fn second_ifb(&self) -> String {
        self.ifb.as_str().replacen("ifb-", "ifb2-", 1)
    }

    /// Every device that the script makes: both ifbs, and the one on which it tries what the kernel can do.
    #[must_use]
    pub fn own_devices(&self) -> [String; 3] {
        [self.ifb.to_string(), self.second_ifb(), self.ifb.as_str().replacen("ifb-", "ifbp-", 1)]
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
