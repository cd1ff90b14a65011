//! A configuration as written: every value with its place, nothing filled in, no name looked up.
//!
//! A field is `None` when the file does not give it. A value that could not be read is left out too; the finding that
//! says so is in the sink, and the key's place is in `keys` of the mapping where a later stage needs it.

mod kinds;

pub use kinds::{
    Diffserv, Direction, Engine, Frames, Ingress, Inner, Layer, Offloads, Share, TunnelKind, Wash,
};

use crate::diag::{Span, Spanned};
use crate::units::{
    Address, Bytes, Dscp, Family, IfName, LengthRange, LinkName, Mac, Mark, MarkMask, Micros, Percent,
    PortRange, Protocol, Rate,
};
use serde::Serialize;

/// A value that may be given.
pub type Opt<T> = Option<Spanned<T>>;

/// A value or a list of them.
pub type Many<T> = Vec<Spanned<T>>;

/// A rate, or a share of the parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Amount {
    /// A rate.
    Rate(Rate),
    /// A share of the parent's rate in that direction.
    Share(Percent),
}

/// A value for both directions, or one for each: `40mbit` or `{ up: 2mbit, down: 30mbit }`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Both<T> {
    /// For uploads.
    pub up: Opt<T>,
    /// For downloads.
    pub down: Opt<T>,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// `name`.
    pub name: Opt<LinkName>,
    /// `link`; always there when reading found no error.
    pub link: Option<RawLink>,
    /// `lan`.
    pub lan: Option<RawLan>,
    /// `hosts`, in the order of the file.
    pub hosts: Vec<RawHost>,
    /// `tunnels`.
    pub tunnels: Vec<RawTunnel>,
    /// `classes`.
    pub classes: Option<RawClasses>,
    /// `police`.
    pub police: Vec<RawPolice>,
    /// `tuning`.
    pub tuning: Option<RawTuning>,
    /// `expect`.
    pub expect: Vec<RawExpect>,
}

/// `link`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLink {
    /// The place of the key `link`.
    pub key: Span,
    /// `device`; required.
    pub device: Opt<IfName>,
    /// `profile`: a name, looked up later.
    pub profile: Opt<String>,
    /// `up`, the line rate; required.
    pub up: Opt<Rate>,
    /// `down`, the line rate; required.
    pub down: Opt<Rate>,
    /// `overhead`, bytes above the IP packet.
    pub overhead: Opt<u32>,
    /// `mpu`, bytes.
    pub mpu: Opt<u32>,
    /// `layer`.
    pub layer: Opt<Layer>,
    /// `margin`.
    pub margin: Both<Percent>,
    /// `mtu`, bytes of the largest IP packet.
    pub mtu: Opt<u32>,
    /// `ingress`.
    pub ingress: Opt<Ingress>,
    /// `engine`.
    pub engine: Both<Engine>,
    /// `frames`.
    pub frames: Opt<Frames>,
    /// `trust_dscp`.
    pub trust_dscp: Opt<bool>,
    /// `wash`.
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

/// `lan`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLan {
    /// The place of the key `lan`.
    pub key: Span,
    /// `device`.
    pub device: Many<IfName>,
    /// `networks`.
    pub networks: Option<RawNetworks>,
    /// `nat`.
    pub nat: Opt<bool>,
}

/// One of `hosts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawHost {
    /// Its name.
    pub name: Spanned<String>,
    /// `address`.
    pub address: Many<Address>,
    /// `mac`.
    pub mac: Many<Mac>,
    /// `class`: a name.
    pub class: Opt<String>,
    /// `guarantee`.
    pub guarantee: Both<Amount>,
    /// `ceiling`.
    pub ceiling: Both<Amount>,
}

/// One of `tunnels`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTunnel {
    /// Its name.
    pub name: Spanned<String>,
    /// `kind`; required.
    pub kind: Opt<TunnelKind>,
    /// `device`.
    pub device: Opt<IfName>,
    /// `remote`: the other end's addresses.
    pub remote: Many<Address>,
    /// `port`: the other end's port.
    pub port: Many<PortRange>,
    /// `mtu`, bytes.
    pub mtu: Opt<u32>,
    /// `inner`.
    pub inner: Opt<Inner>,
}

/// `classes`: a set of our own, or classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawClasses {
    /// `{ preset: NAME }`.
    Preset(Spanned<String>),
    /// The classes in the order of the file; `key` is the place of the key `classes`.
    List {
        /// The place of the key.
        key: Span,
        /// The classes.
        list: Vec<RawClass>,
    },
}

/// `queue`: the leaf's qdisc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawQueue {
    /// `fq_codel` with what is given of its options.
    FqCodel {
        /// `target`.
        target: Opt<Micros>,
        /// `interval`.
        interval: Opt<Micros>,
        /// `limit`, packets.
        limit: Opt<u32>,
        /// `quantum`, bytes.
        quantum: Opt<u32>,
        /// `flows`.
        flows: Opt<u32>,
        /// `ecn`.
        ecn: Opt<bool>,
        /// `memory`.
        memory: Opt<Bytes>,
    },
    /// `cake` with what is given of its options.
    Cake {
        /// `rtt`.
        rtt: Opt<Micros>,
        /// `diffserv`.
        diffserv: Opt<Diffserv>,
        /// `ack_filter`.
        ack_filter: Opt<bool>,
        /// `wash`.
        wash: Opt<bool>,
    },
    /// `fifo`.
    Fifo {
        /// `limit`, packets.
        limit: Opt<u32>,
    },
}

/// One of `classes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawClass {
    /// Its name.
    pub name: Spanned<String>,
    /// `id`, 1 to 65535, decimal or `0x` hexadecimal.
    pub id: Opt<u16>,
    /// `priority`, 0 to 7.
    pub priority: Opt<u8>,
    /// `guarantee`.
    pub guarantee: Both<Amount>,
    /// `ceiling`.
    pub ceiling: Both<Amount>,
    /// `share`.
    pub share: Opt<Share>,
    /// `queue`.
    pub queue: Opt<RawQueue>,
    /// `default`.
    pub default: Opt<bool>,
    /// `set_dscp`.
    pub set_dscp: Opt<Dscp>,
    /// `match`: `None` when the key is not there, which is not the same as an empty list.
    pub matches: Option<Vec<RawMatch>>,
    /// `classes` inside.
    pub classes: Vec<RawClass>,
}

/// One alternative of a `match`. A key that is not given is an empty list or `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMatch {
    /// The whole alternative, as far as the text shows it: from its first key to the end of its last value, braces
    /// included; of an alias, the `*name`.
    pub span: Span,
    /// `host`: names.
    pub host: Many<String>,
    /// `local`.
    pub local: Many<Address>,
    /// `remote`.
    pub remote: Many<Address>,
    /// `protocol`.
    pub protocol: Many<Protocol>,
    /// `local_port`.
    pub local_port: Many<PortRange>,
    /// `remote_port`.
    pub remote_port: Many<PortRange>,
    /// `port`, on either side.
    pub port: Many<PortRange>,
    /// `dscp`.
    pub dscp: Many<Dscp>,
    /// `mark`.
    pub mark: Many<Mark>,
    /// `tunnel`: names.
    pub tunnel: Many<String>,
    /// `family`.
    pub family: Opt<Family>,
    /// `direction`.
    pub direction: Opt<Direction>,
    /// `length`.
    pub length: Many<LengthRange>,
    /// `tcp: ack`.
    pub tcp_ack: Opt<()>,
}

/// `police.*.exceed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawExceed {
    /// `drop`.
    Drop,
    /// `reclassify CLASS`: what is too much goes into that class.
    Reclassify(String),
}

/// One of `police`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPolice {
    /// Its name.
    pub name: Spanned<String>,
    /// `direction`; required.
    pub direction: Opt<Direction>,
    /// `match`; required.
    pub matches: Option<Vec<RawMatch>>,
    /// `rate`; required.
    pub rate: Opt<Amount>,
    /// `burst`.
    pub burst: Opt<Bytes>,
    /// `exceed`.
    pub exceed: Opt<RawExceed>,
    /// `bypass`: kept off the shaper, its rate set aside from the link's.
    pub bypass: Opt<bool>,
}

/// `tuning`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTuning {
    /// `offloads`.
    pub offloads: Opt<Offloads>,
    /// `txqueuelen`, packets, of the WAN device.
    pub txqueuelen: Opt<u32>,
    /// `tcp.rtt`.
    pub tcp_rtt: Opt<Micros>,
    /// `ecn`: whether the router's own TCP asks for it.
    pub ecn: Opt<bool>,
    /// `mark_mask`: the bits of marks that are ours.
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
