//! Filters and actions.

use super::{Charge, Dev, Handle, Selector, Why};
use crate::units::{Bytes, Dscp, Family, IfName, Rate};
use serde::Serialize;

/// Where a filter hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hook {
    /// The HTB root: the filter names a class.
    Root,
    /// The device's ingress.
    Ingress,
    /// The device's egress, before the root.
    Egress,
}

impl Hook {
    /// As differences, plans and explanations call it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Hook::Root => "root",
            Hook::Ingress => "ingress",
            Hook::Egress => "egress",
        }
    }
}

/// Which packets a filter is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterProtocol {
    /// IPv4.
    Ip,
    /// IPv6.
    Ipv6,
    /// Frames of PPPoE sessions: offsets count from the PPPoE header, 8 bytes before the packet in it.
    Pppoe,
    /// Everything.
    All,
}

/// What a police says of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PoliceStep {
    /// Drop it.
    Drop,
    /// Go on with the next action.
    Pipe,
    /// Done: let it pass.
    Ok,
    /// Go on with the next filter.
    Continue,
}

/// A policer. All filters with the same `index` share one bucket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Police {
    /// Its index in the kernel, from the names of link and police.
    pub index: u32,
    /// The cap.
    pub rate: Rate,
    /// The bucket.
    pub burst: Bytes,
    /// The largest packet that passes: above the largest aggregate.
    pub mtu: u32,
    /// What a packet costs.
    pub charge: Charge,
    /// What happens to a packet within the rate.
    pub conform: PoliceStep,
    /// What happens to one beyond it.
    pub exceed: PoliceStep,
}

/// What a filter does with a packet, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Polices it.
    Police(Police),
    /// Sends it to the egress of a device, for good.
    Redirect(Dev),
    /// Names its HTB class: `major:0` sends it past the classes.
    Priority(Handle),
    /// Lets it go on, past all filters behind.
    Pass,
    /// Clears the flow label of an IPv6 header, and goes on with the next filter.
    ClearLabel,
    /// Gives the packet these bits of the mark of its connection, and none else; then the next filter is asked.
    Restore {
        /// The bits.
        mask: u32,
        /// Bits that it is given as well, whatever its connection has; 0 for none.
        #[serde(skip_serializing_if = "super::is_zero")]
        flag: u32,
    },
    /// Sets the six bits of the DSCP and leaves the two of ECN; for IPv4 with the header's checksum made right.
    SetDscp {
        /// Whose header.
        family: Family,
        /// The code point; 0 washes.
        dscp: Dscp,
    },
}

/// What asks for a filter's selector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Classifier {
    /// u32: one filter after the other.
    #[default]
    U32,
    /// fw: a hash table of marks, for all filters of one preference at once. Their masks are one.
    Fw,
    /// flower: a hash table of addresses, for all filters of one preference at once. Their prefixes have one length.
    Flower,
}

impl Classifier {
    /// Whether it is u32, which takes any selector.
    #[must_use]
    pub fn is_u32(&self) -> bool {
        *self == Classifier::U32
    }
}

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Filter {
    /// The device.
    pub dev: Dev,
    /// Where it hangs.
    pub hook: Hook,
    /// Its preference: lower is asked first. Filters of one preference share hook and protocol, and are asked in the
    /// order in which they were added.
    pub pref: u16,
    /// Which packets it is asked about.
    pub protocol: FilterProtocol,
    /// What asks: the same for all filters of one preference.
    #[serde(skip_serializing_if = "Classifier::is_u32")]
    pub classifier: Classifier,
    /// Which of them it takes.
    pub selector: Selector,
    /// The class it names; none at the hooks.
    pub flowid: Option<Handle>,
    /// What it does.
    pub actions: Vec<Action>,
    /// It stands only while this device is there: a tunnel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<IfName>,
    /// What it came from.
    pub why: Why,
}
