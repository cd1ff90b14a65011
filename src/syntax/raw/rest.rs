//! `hosts`, `tunnels`, `police`, `tuning` and `expect`.

#[cfg(feature = "schema")]
use super::forms::{NameOf, Several, Tcp};
use super::{Many, Opt, RawMatch, RawPerDirection};
use crate::diag::{Span, Spanned};
#[cfg(feature = "schema")]
use crate::syntax::limits::{MTU, PACKETS};
use crate::terms::{Amount, Direction, Inner, Load, Measure, Offloads, TunnelKind};
use crate::units::{Address, Bytes, IfName, Mac, MarkMask, Micros, Percent, PortRange, Rate};

/// A device of the house, or several that count as one
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Host", deny_unknown_fields, extend(
    "anyOf" = [{ "required": ["address"] }, { "required": ["mac"] }]
)))]
pub struct RawHost {
    /// Its name
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub name: Spanned<String>,
    /// Its addresses; may be left out beside `mac`
    #[cfg_attr(feature = "schema", schemars(with = "Option<Several<Address>>"))]
    pub address: Many<Address>,
    /// Its MAC addresses, for a host whose addresses change
    #[cfg_attr(feature = "schema", schemars(with = "Option<Several<Mac>>"))]
    pub mac: Many<Mac>,
    /// Its home class, where all of it goes that no match takes
    #[cfg_attr(feature = "schema", schemars(with = "Option<NameOf>"))]
    pub class: Opt<String>,
    /// What it gets in its home class when all want more. `0%` for a host that only borrows
    #[cfg_attr(feature = "schema", schemars(with = "Option<RawPerDirection<Amount>>"))]
    pub guarantee: RawPerDirection<Amount>,
    /// What it gets in its home class at most
    #[cfg_attr(feature = "schema", schemars(with = "Option<RawPerDirection<Amount>>"))]
    pub ceiling: RawPerDirection<Amount>,
}

/// A tunnel over this line
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Tunnel", deny_unknown_fields))]
pub struct RawTunnel {
    /// Its name
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub name: Spanned<String>,
    /// What kind it is
    #[cfg_attr(feature = "schema", schemars(required))]
    pub kind: Opt<TunnelKind>,
    /// Its device
    pub device: Opt<IfName>,
    /// The other end's addresses
    #[cfg_attr(feature = "schema", schemars(with = "Option<Several<Address>>"))]
    pub remote: Many<Address>,
    /// The other end's port, where the kind has one and it is not the usual one
    #[cfg_attr(feature = "schema", schemars(with = "Option<Several<PortRange>>"))]
    pub port: Many<PortRange>,
    /// The largest IP packet inside, in bytes
    #[cfg_attr(feature = "schema", schemars(range(min = *MTU.start(), max = *MTU.end())))]
    pub mtu: Opt<u32>,
    /// What the classes see of what is inside; by default the most that the kind allows
    pub inner: Opt<Inner>,
}

/// `police.*.exceed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawExceed {
    /// `drop`.
    Drop,
    /// `reclassify CLASS`: what is too much goes into that class.
    Reclassify(String),
}

/// A cap without a queue
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Policer", deny_unknown_fields))]
pub struct RawPolice {
    /// Its name
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub name: Spanned<String>,
    /// Uploads or downloads
    #[cfg_attr(feature = "schema", schemars(required))]
    pub direction: Opt<Direction>,
    /// What is policed: alternatives, of which one must hold
    #[cfg_attr(feature = "schema", schemars(rename = "match", with = "Several<RawMatch>"))]
    pub matches: Option<Vec<RawMatch>>,
    /// What it is held to
    #[cfg_attr(feature = "schema", schemars(required))]
    pub rate: Opt<Amount>,
    /// Bytes that may pass at once; by default what the rate carries in a quarter of a second
    pub burst: Opt<Bytes>,
    /// What is done with what is too much; `drop` by default
    pub exceed: Opt<RawExceed>,
    /// Whether what passes is kept off the shaper, its rate set aside from what the classes share; `false` by default
    pub bypass: Opt<bool>,
}

/// Settings of the router itself
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Tuning", deny_unknown_fields))]
pub struct RawTuning {
    /// What is done with aggregates of packets; `auto` by default
    pub offloads: Opt<Offloads>,
    /// The transmit queue of the WAN device, in packets; as it is by default
    #[cfg_attr(feature = "schema", schemars(range(min = *PACKETS.start(), max = *PACKETS.end())))]
    pub txqueuelen: Opt<u32>,
    /// Sizes the router's own socket buffers; as they are by default
    #[cfg_attr(feature = "schema", schemars(rename = "tcp", with = "Option<Tcp>"))]
    pub tcp_rtt: Opt<Micros>,
    /// Whether the router's own TCP asks for ECN; as it is by default
    pub ecn: Opt<bool>,
    /// The bits of firewall marks that are ours; by default as many as are needed, from bit 24 on
    pub mark_mask: Opt<MarkMask>,
}

/// What must be achieved: what is measured under which load, and how good it has to be
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Expect", deny_unknown_fields, extend(
    "anyOf" = [
        { "required": ["p50"] }, { "required": ["p99"] }, { "required": ["max"] }, { "required": ["jitter"] },
        { "required": ["loss"] }, { "required": ["share"] }, { "required": ["rate"] }
    ],
    "examples" = [{ "load": "upload", "from": "desk", "measure": "ping", "on": "ata", "p99": "25ms" }]
)))]
pub struct RawExpect {
    /// From its first key to the end of its last value, braces included.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub span: Span,
    /// What fills the line meanwhile; `none` by default
    pub load: Opt<Load>,
    /// The place of the key `load`, also where its value could not be read.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub load_key: Option<Span>,
    /// The host that makes the load; by default one that the file does not name
    #[cfg_attr(feature = "schema", schemars(with = "Option<NameOf>"))]
    pub from: Opt<String>,
    /// The class whose packets the load is made of; by default as such a load comes
    #[cfg_attr(feature = "schema", schemars(with = "Option<NameOf>"))]
    pub class: Opt<String>,
    /// What is measured
    #[cfg_attr(feature = "schema", schemars(required))]
    pub measure: Opt<Measure>,
    /// The host that measures; by default one that the file does not name, another than the load's
    #[cfg_attr(feature = "schema", schemars(with = "Option<NameOf>"))]
    pub on: Opt<String>,
    /// The class whose packets are measured, of `stream`, `stream-down`, `upload` and `download`
    #[cfg_attr(feature = "schema", schemars(with = "Option<NameOf>"))]
    pub of: Opt<String>,
    /// Half of the times are this at most: of `ping`, `stream`, `stream-down` and `fetch`
    pub p50: Opt<Micros>,
    /// 99 % of the times are this at most: of `ping`, `stream`, `stream-down` and `fetch`
    pub p99: Opt<Micros>,
    /// The longest of the times is this at most: of `ping`, `stream`, `stream-down` and `fetch`
    pub max: Opt<Micros>,
    /// How much the times of packets that follow each other differ, at most: of `stream` and `stream-down`
    pub jitter: Opt<Micros>,
    /// How much is lost at most: of `ping`, `stream` and `stream-down`
    pub loss: Opt<Percent>,
    /// How much it gets at least of all that it and the load get together: of `upload` and `download`
    pub share: Opt<Percent>,
    /// What it gets at least: of `upload` and `download`
    pub rate: Opt<Rate>,
}
