//! `link` and `lan`.

use super::forms::{ByDevice, ProfileName, Several};
use super::{Many, Opt, RawPerDirection};
use crate::diag::{Span, Spanned};
use crate::syntax::limits::MTU;
use crate::terms::limits::{MPU, OVERHEAD};
use crate::terms::{Engine, Frames, Ingress, Layer, Wash};
use crate::units::{Address, IfName, Percent, Rate};

/// The line: its device, its rates, and its overhead per packet
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Link", deny_unknown_fields)]
pub struct RawLink {
    /// The place of the key `link`
    #[schemars(skip)]
    pub key: Span,
    /// The WAN device; for PPPoE the `ppp` device, not the Ethernet device below it
    #[schemars(required)]
    pub device: Opt<IfName>,
    /// Other devices that bring downloads over the same line, by their names, such as the VLAN of a television service
    #[schemars(with = "Option<ByDevice<RawLinkDevice>>")]
    pub devices: Vec<RawLinkDevice>,
    /// The kind of line, which sets the overhead per packet; `qosc profiles` lists the kinds. By default a safe guess
    // A name, looked up later.
    #[schemars(with = "Option<ProfileName>")]
    pub profile: Opt<String>,
    /// Upload rate of the line, as the modem or the provider states it
    #[schemars(required)]
    pub up: Opt<Rate>,
    /// Download rate of the line, as the modem or the provider states it
    #[schemars(required)]
    pub down: Opt<Rate>,
    /// Overhead: bytes on the line in addition to each IP packet; by default that of the profile. The script subtracts the bytes that the kernel counts itself
    #[schemars(range(min = OVERHEAD.least, max = OVERHEAD.most), example = 30)]
    pub overhead: Opt<u32>,
    /// Minimum size (mpu) that each packet is charged, in bytes; by default that of the profile
    #[schemars(range(min = MPU.least, max = MPU.most), example = 84)]
    pub mpu: Opt<u32>,
    /// Link layer of the line; by default that of the profile
    pub layer: Opt<Layer>,
    /// Part of the line rate that stays unused, so that the queue is in the router; by default that of the profile
    #[schemars(with = "Option<RawPerDirection<Percent>>")]
    pub margin: RawPerDirection<Percent>,
    /// Largest IP packet in bytes; by default that of the profile
    #[schemars(range(min = *MTU.start(), max = *MTU.end()), example = 1492)]
    pub mtu: Opt<u32>,
    /// Treatment of downloads; `shape` by default
    pub ingress: Opt<Ingress>,
    /// Scheduler, for both directions or for each; `htb` by default
    #[schemars(with = "Option<RawPerDirection<Engine>>")]
    pub engine: RawPerDirection<Engine>,
    /// Frame type of the packets on the device, if the router cannot detect it; `auto` by default
    pub frames: Opt<Frames>,
    /// Matches downloads by the DSCP of their sender, which any sender can set; `false` by default
    pub trust_dscp: Opt<bool>,
    /// Directions in which the DSCP is cleared after classification; the ECN bits stay. By default none
    pub wash: Opt<Wash>,
}

/// A device beside the WAN device, whose downloads come over the same line
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "LinkDevice", deny_unknown_fields)]
pub struct RawLinkDevice {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<IfName>,
    /// Rate of its uploads, which leave without a queue of the script: the classes for uploads share so much less; by default none
    pub up: Opt<Rate>,
}

/// `lan.networks`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawNetworks {
    /// `auto`: the prefixes that the LAN devices have, read at run time.
    Auto(Span),
    /// As listed.
    List(Many<Address>),
}

/// The LAN side of the router
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Lan", deny_unknown_fields)]
pub struct RawLan {
    /// The place of the key `lan`
    #[schemars(skip)]
    pub key: Span,
    /// The LAN device, or a list of them
    #[schemars(with = "Option<Several<IfName>>")]
    pub device: Many<IfName>,
    /// The prefixes of the LAN, or `auto` for those of the LAN devices; `auto` by default
    pub networks: Option<RawNetworks>,
    /// The router uses NAT for IPv4 on the WAN device; `true` by default
    pub nat: Opt<bool>,
    /// `false` lets packets to and from `networks` bypass the shaper on the WAN device; `true` by default
    pub shaped: Opt<bool>,
}
