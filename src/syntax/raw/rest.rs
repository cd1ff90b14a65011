//! `hosts`, `tunnels`, `police`, `tuning` and `expect`.

use super::forms::{NameOf, Several, Tcp};
use super::{Amount, Both, Direction, Inner, Many, Offloads, Opt, RawMatch, TunnelKind};
use crate::diag::{Span, Spanned};
use crate::syntax::limits::{MTU, PACKETS};
use crate::units::{Address, Bytes, IfName, Mac, MarkMask, Micros, PortRange};
use schemars::JsonSchema;

/// A device of the house, or several that count as one
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Host", deny_unknown_fields)]
pub struct RawHost {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// Its addresses
    #[schemars(with = "Several<Address>")]
    pub address: Many<Address>,
    /// Its MAC addresses, where its addresses move
    #[schemars(with = "Option<Several<Mac>>")]
    pub mac: Many<Mac>,
    /// Its home class, where all of it goes that no match takes
    #[schemars(with = "Option<NameOf>")]
    pub class: Opt<String>,
    /// What it gets in its home class when all want more
    #[schemars(with = "Option<Both<Amount>>")]
    pub guarantee: Both<Amount>,
    /// What it gets in its home class at most
    #[schemars(with = "Option<Both<Amount>>")]
    pub ceiling: Both<Amount>,
}

/// A tunnel over this line
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Tunnel", deny_unknown_fields)]
pub struct RawTunnel {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// What kind it is
    #[schemars(required)]
    pub kind: Opt<TunnelKind>,
    /// Its device
    pub device: Opt<IfName>,
    /// The other end's addresses
    #[schemars(with = "Option<Several<Address>>")]
    pub remote: Many<Address>,
    /// The other end's port, where the kind has one and it is not the usual one
    #[schemars(with = "Option<Several<PortRange>>")]
    pub port: Many<PortRange>,
    /// The largest IP packet inside, in bytes
    #[schemars(range(min = *MTU.start(), max = *MTU.end()))]
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
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Policer", deny_unknown_fields)]
pub struct RawPolice {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// Uploads or downloads
    #[schemars(required)]
    pub direction: Opt<Direction>,
    /// What is policed: alternatives, of which one must hold
    #[schemars(rename = "match", with = "Several<RawMatch>")]
    pub matches: Option<Vec<RawMatch>>,
    /// What it is held to
    #[schemars(required)]
    pub rate: Opt<Amount>,
    /// Bytes that may pass at once; by default what the rate carries in a quarter of a second
    pub burst: Opt<Bytes>,
    /// What is done with what is too much; `drop` by default
    pub exceed: Opt<RawExceed>,
    /// Whether what passes is kept off the shaper, its rate set aside from what the classes share; `false` by default
    pub bypass: Opt<bool>,
}

/// Settings of the router itself
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Tuning", deny_unknown_fields)]
pub struct RawTuning {
    /// What is done with aggregates of packets; `auto` by default
    pub offloads: Opt<Offloads>,
    /// The transmit queue of the WAN device, in packets; as it is by default
    #[schemars(range(min = *PACKETS.start(), max = *PACKETS.end()))]
    pub txqueuelen: Opt<u32>,
    /// Sizes the router's own socket buffers; as they are by default
    #[schemars(rename = "tcp", with = "Option<Tcp>")]
    pub tcp_rtt: Opt<Micros>,
    /// Whether the router's own TCP asks for ECN; as it is by default
    pub ecn: Opt<bool>,
    /// The bits of firewall marks that are ours; by default as many as are needed, from bit 24 on
    pub mark_mask: Opt<MarkMask>,
}

/// One of `expect`: what the lab must measure. Its words are looked up by the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawExpect {
    /// From its first key to the end of its last value, braces included.
    pub span: Span,
    /// Its keys and scalars as written.
    pub fields: Vec<(Spanned<String>, Spanned<String>)>,
}
