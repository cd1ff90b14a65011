//! Filters and actions.

use super::{Charge, Classifier, Dev, FilterProtocol, Handle, Selector, Why};
use crate::units::{Bytes, Dscp, Family, IfName, Rate};
use serde::Serialize;

qosc_language::choices! {
    /// Place that a filter is attached to.
    #[derive(serde::Deserialize)]
    pub enum Hook {
        /// The HTB or CAKE root qdisc. The filter selects a class or tin.
        Root,
        /// Ingress of the device.
        Ingress,
        /// Egress of the device, before the root qdisc.
        Egress,
    }
}

qosc_language::choices! {
    /// Verdict of a policer.
    pub enum PoliceStep {
        /// Drop the packet.
        Drop,
        /// Continue with the next action.
        Pipe,
        /// Let the packet pass.
        Ok,
        /// Continue with the next filter.
        Continue,
    }
}

/// A policer. All filters with the same `index` share one bucket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Police {
    /// Index in the kernel, a hash that includes the names of link and policer.
    pub index: u32,
    /// Rate cap.
    pub rate: Rate,
    /// Bucket size.
    pub burst: Bytes,
    /// Length in bytes of the largest packet that may pass. It exceeds the largest aggregated packet.
    pub mtu: u32,
    /// Cost of a packet.
    pub charge: Charge,
    /// Verdict for a packet within the rate.
    pub conform: PoliceStep,
    /// Verdict for a packet above the rate.
    pub exceed: PoliceStep,
}

/// Action of a filter. The actions of a filter run in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Polices the packet.
    Police(Police),
    /// Redirects the packet to the egress of a device.
    Redirect(Dev),
    /// Selects the HTB class. `major:0` makes the packet bypass the classes.
    Priority(Handle),
    /// Lets the packet pass and skips all later filters.
    Pass,
    /// Clears the flow label of an IPv6 header, then continues with the next filter.
    ClearLabel,
    /// Copies these bits of the connection's mark to the packet, but no other bits, and continues with the next filter.
    Restore {
        /// Bits to restore.
        mask: u32,
        /// Additional bits to set, independent of the connection; 0 for none.
        #[serde(skip_serializing_if = "super::is_zero")]
        flag: u32,
    },
    /// Sets the six DSCP bits and keeps the two ECN bits. For IPv4 it also updates the header checksum.
    SetDscp {
        /// Family of the header.
        family: Family,
        /// Code point; 0 washes the packet.
        dscp: Dscp,
    },
}

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Filter {
    /// Device of the filter.
    pub dev: Dev,
    /// Place that the filter is attached to.
    pub hook: Hook,
    /// Preference; the kernel tries lower ones first. Filters with the same preference share hook and protocol and are
    /// tried in the order in which they were added.
    pub pref: u16,
    /// Packets that the kernel offers to the filter.
    pub protocol: FilterProtocol,
    /// Kind of the filter; the same for all filters with the same preference.
    #[serde(skip_serializing_if = "Classifier::is_u32")]
    pub classifier: Classifier,
    /// Packets that the filter matches.
    pub selector: Selector,
    /// Class that the filter selects; `None` at the hooks.
    pub flowid: Option<Handle>,
    /// Actions of the filter.
    pub actions: Vec<Action>,
    /// Tunnel device on which the filter depends. The filter only exists while the device does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<IfName>,
    /// Origin of the filter.
    pub why: Why,
}

impl Filter {
    /// Returns `true` if the filter lets the outer packets of a tunnel pass, of which only the router knows enough.
    #[must_use]
    pub fn is_of_decrypted(&self) -> bool {
        self.with.is_some() && self.actions == [Action::Pass]
    }

    /// Returns `true` if such a filter depends on the port on which the tunnel listens.
    #[must_use]
    pub fn needs_port(&self) -> bool {
        const UDP: u32 = 17;
        let (offset, shift) = if self.protocol == FilterProtocol::Ip { (8, 16) } else { (4, 8) };
        let protocol = self.selector.words.get(&offset).map(|word| word.value >> shift & 0xff);
        self.is_of_decrypted() && protocol == Some(UDP)
    }
}
