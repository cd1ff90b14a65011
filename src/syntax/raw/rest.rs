//! `hosts`, `tunnels`, `police`, `tuning` and `expect`.

use super::forms::{NameOf, Several, Tcp};
use super::{Many, Opt, RawMatch, RawPerDirection};
use crate::diag::{Span, Spanned};
use crate::syntax::limits::MTU;
use crate::terms::limits::{BYTE_QUEUE, TRANSMIT_QUEUE};
use crate::terms::{Amount, Direction, Inner, Load, Measure, Offloads, TunnelKind};
use crate::units::{Address, Bytes, IfName, Mac, MarkMask, Micros, Percent, PortRange, Rate};

/// A host of the LAN, or several that count as one
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Host", deny_unknown_fields, extend(
    "anyOf" = [{ "required": ["address"] }, { "required": ["mac"] }]
))]
pub struct RawHost {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// Its addresses; not needed with `mac`
    #[schemars(with = "Option<Several<Address>>")]
    pub address: Many<Address>,
    /// Its MAC addresses, for a host whose addresses change
    #[schemars(with = "Option<Several<Mac>>")]
    pub mac: Many<Mac>,
    /// Home class of its packets that no `match` takes; by default that of a match on it alone, or the default class
    #[schemars(with = "Option<NameOf>")]
    pub class: Opt<String>,
    /// Rate in its home class when all hosts want more; by default what other hosts leave. `0%` to only borrow
    #[schemars(with = "Option<RawPerDirection<Amount>>")]
    pub guarantee: RawPerDirection<Amount>,
    /// Rate that it gets at most in its home class; by default the ceiling of that class
    #[schemars(with = "Option<RawPerDirection<Amount>>")]
    pub ceiling: RawPerDirection<Amount>,
}

/// A tunnel over this line
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Tunnel", deny_unknown_fields)]
pub struct RawTunnel {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// Kind of tunnel
    #[schemars(required)]
    pub kind: Opt<TunnelKind>,
    /// Its device
    pub device: Opt<IfName>,
    /// Addresses of the other end
    #[schemars(with = "Option<Several<Address>>")]
    pub remote: Many<Address>,
    /// Port of the other end, if the kind has ports; by default the usual port of the kind
    #[schemars(with = "Option<Several<PortRange>>")]
    pub port: Many<PortRange>,
    /// Largest IP packet inside, in bytes
    #[schemars(range(min = *MTU.start(), max = *MTU.end()))]
    pub mtu: Opt<u32>,
    /// How much the classes see of the packets inside; by default as much as works with the kind
    pub inner: Opt<Inner>,
    /// Whether the router translates IPv4 addresses at the tunnel's device; `false` by default
    pub nat: Opt<bool>,
}

/// `police.*.exceed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawExceed {
    /// `drop`.
    Drop,
    /// `reclassify CLASS`: what is too much goes into that class.
    Reclassify(String),
}

/// A policer: a rate limit without a queue
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Policer", deny_unknown_fields)]
pub struct RawPolice {
    /// Its name
    #[schemars(skip)]
    pub name: Spanned<String>,
    /// `up` for uploads or `down` for downloads
    #[schemars(required)]
    pub direction: Opt<Direction>,
    /// Packets to police: alternatives, of which one must match
    #[schemars(rename = "match", with = "Several<RawMatch>")]
    pub matches: Option<Vec<RawMatch>>,
    /// Rate that these packets get at most
    #[schemars(required)]
    pub rate: Opt<Amount>,
    /// Burst: bytes that may pass at once; by default derived from the rate, usually 250 ms of it
    pub burst: Opt<Bytes>,
    /// Action for packets above the rate; `drop` by default
    pub exceed: Opt<RawExceed>,
    /// Lets packets below the rate bypass the shaper, and subtracts the rate from that of the classes; `false` by default
    pub bypass: Opt<bool>,
}

/// Settings of the router itself
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Tuning", deny_unknown_fields)]
pub struct RawTuning {
    /// Treatment of offloads (GRO, GSO, TSO), which aggregate packets; `auto` by default
    pub offloads: Opt<Offloads>,
    /// Length of the transmit queue of the WAN device, in packets; unchanged by default
    #[schemars(range(min = TRANSMIT_QUEUE.least, max = TRANSMIT_QUEUE.most))]
    pub txqueuelen: Opt<u32>,
    /// Bytes that each transmit queue of the WAN device may hold (BQL), such as `6000`; unchanged by default
    #[schemars(extend("minimum" = BYTE_QUEUE.least))]
    pub bql: Opt<Bytes>,
    /// Sizes the socket buffers of the router itself; unchanged by default
    #[schemars(rename = "tcp", with = "Option<Tcp>")]
    pub tcp_rtt: Opt<Micros>,
    /// TCP of the router itself asks for ECN; unchanged by default
    pub ecn: Opt<bool>,
    /// Bits of the firewall mark that qosc may use; by default as many as it needs, from bit 24 on
    pub mark_mask: Opt<MarkMask>,
}

/// An expectation: a measurement, the load during it, and limits for the result
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Expect", deny_unknown_fields, extend(
    "anyOf" = [
        { "required": ["p50"] }, { "required": ["p99"] }, { "required": ["max"] }, { "required": ["jitter"] },
        { "required": ["loss"] }, { "required": ["share"] }, { "required": ["rate"] }
    ],
    "examples" = [{ "load": "upload", "from": "desk", "measure": "ping", "on": "ata", "p99": "25ms" }]
))]
pub struct RawExpect {
    /// From its first key to the end of its last value, braces included.
    #[schemars(skip)]
    pub span: Span,
    /// Load on the line during the measurement; `none` by default
    pub load: Opt<Load>,
    /// The place of the key `load`, also where its value could not be read.
    #[schemars(skip)]
    pub load_key: Option<Span>,
    /// Host that makes the load; by default a host that the file does not name
    #[schemars(with = "Option<NameOf>")]
    pub from: Opt<String>,
    /// Class of the packets of the load; by default any packets of such a load
    #[schemars(with = "Option<NameOf>")]
    pub class: Opt<String>,
    /// The measurement
    #[schemars(required)]
    pub measure: Opt<Measure>,
    /// Host that measures; by default a host that the file does not name, and not the host of the load
    #[schemars(with = "Option<NameOf>")]
    pub on: Opt<String>,
    /// Class of the measured packets, for `stream`, `stream-down`, `upload` and `download`
    #[schemars(with = "Option<NameOf>")]
    pub of: Opt<String>,
    /// Largest median of the times, for `ping`, `stream`, `stream-down` and `fetch`
    pub p50: Opt<Micros>,
    /// Largest 99th percentile of the times, for `ping`, `stream`, `stream-down` and `fetch`
    pub p99: Opt<Micros>,
    /// Largest time, for `ping`, `stream`, `stream-down` and `fetch`
    pub max: Opt<Micros>,
    /// Largest jitter, which is the difference between the times of successive packets, for `stream` and `stream-down`
    pub jitter: Opt<Micros>,
    /// Largest share of lost packets, for `ping`, `stream` and `stream-down`
    pub loss: Opt<Percent>,
    /// Smallest share of the throughput of the measurement and the load together, for `upload` and `download`
    pub share: Opt<Percent>,
    /// Smallest throughput, for `upload` and `download`
    pub rate: Opt<Rate>,
}
