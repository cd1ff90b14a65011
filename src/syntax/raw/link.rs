//! `link` and `lan`.

#[cfg(feature = "schema")]
use super::forms::{ProfileName, Several};
use super::{Many, Opt, RawPerDirection};
use crate::diag::Span;
#[cfg(feature = "schema")]
use crate::syntax::limits::{MTU, OVERHEAD};
use crate::terms::{Engine, Frames, Ingress, Layer, Wash};
use crate::units::{Address, IfName, Percent, Rate};

/// The line: its device, its rates, and what a packet costs on it
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Link", deny_unknown_fields))]
pub struct RawLink {
    /// The place of the key `link`
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub key: Span,
    /// The WAN device; of a PPPoE connection the `ppp` device, not the Ethernet below it
    #[cfg_attr(feature = "schema", schemars(required))]
    pub device: Opt<IfName>,
    /// What a packet costs on this kind of line; `qosc profiles` lists the kinds
    // A name, looked up later.
    #[cfg_attr(feature = "schema", schemars(with = "Option<ProfileName>"))]
    pub profile: Opt<String>,
    /// The line's upload rate, as the modem or the provider states it
    #[cfg_attr(feature = "schema", schemars(required))]
    pub up: Opt<Rate>,
    /// The line's download rate, as the modem or the provider states it
    #[cfg_attr(feature = "schema", schemars(required))]
    pub down: Opt<Rate>,
    /// Bytes on the line above each IP packet; the default is the profile's. What of it the kernel counts by itself is worked out
    #[cfg_attr(feature = "schema", schemars(range(min = *OVERHEAD.start(), max = *OVERHEAD.end()), example = 30))]
    pub overhead: Opt<u32>,
    /// No packet is charged less than this many bytes; the default is the profile's
    #[cfg_attr(feature = "schema", schemars(range(min = *OVERHEAD.start(), max = *OVERHEAD.end()), example = 84))]
    pub mpu: Opt<u32>,
    /// How the line carries a packet; the default is the profile's
    pub layer: Opt<Layer>,
    /// What is left free so that the queue stays here; the default is the profile's
    #[cfg_attr(feature = "schema", schemars(with = "Option<RawPerDirection<Percent>>"))]
    pub margin: RawPerDirection<Percent>,
    /// The largest IP packet in bytes; the default is the profile's
    #[cfg_attr(feature = "schema", schemars(range(min = *MTU.start(), max = *MTU.end()), example = 1492))]
    pub mtu: Opt<u32>,
    /// What is done with downloads; `shape` by default
    pub ingress: Opt<Ingress>,
    /// What schedules, in both directions or in each; `htb` by default
    #[cfg_attr(feature = "schema", schemars(with = "Option<RawPerDirection<Engine>>"))]
    pub engine: RawPerDirection<Engine>,
    /// What the device's packets are, where the router cannot tell; `auto` by default
    pub frames: Opt<Frames>,
    /// Whether downloads are matched by the DSCP that their sender set, which anyone can do; `false` by default
    pub trust_dscp: Opt<bool>,
    /// Where the DSCP is cleared after classification, never the ECN bits; nowhere by default
    pub wash: Opt<Wash>,
}

/// `lan.networks`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawNetworks {
    /// `auto`: the prefixes that the LAN devices have, read at run time.
    Auto(Span),
    /// As listed.
    List(Many<Address>),
}

/// The house's side of the router
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Lan", deny_unknown_fields))]
pub struct RawLan {
    /// The place of the key `lan`
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub key: Span,
    /// The LAN devices, one or a list
    #[cfg_attr(feature = "schema", schemars(with = "Option<Several<IfName>>"))]
    pub device: Many<IfName>,
    /// The prefixes of the house, or `auto` for those that the LAN devices have
    pub networks: Option<RawNetworks>,
    /// Whether IPv4 sources are translated on the WAN device; `true` by default
    pub nat: Opt<bool>,
}
