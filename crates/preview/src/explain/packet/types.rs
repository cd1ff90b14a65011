//! A packet, and the matches and policers on its path.

use qosc_compiler::model::{Direction, Ecn, TcpKind};
use qosc_compiler::tc::Hook;
use qosc_compiler::units::{Dscp, Mac, Protocol, Rate};
use serde::Serialize;
use std::net::IpAddr;

/// A packet with the house's own addresses: an upload before NAT, a download after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Direction of the packet.
    pub direction: Direction,
    /// Protocol in the IP header.
    pub protocol: Protocol,
    /// Address in the house.
    pub local: IpAddr,
    /// Address in the internet, of the same family.
    pub remote: IpAddr,
    /// Port in the house; 0 if the protocol has no ports.
    pub local_port: u16,
    /// Port in the internet; 0 if the protocol has no ports.
    pub remote_port: u16,
    /// DSCP of the packet.
    pub dscp: Dscp,
    /// ECN field of the packet.
    pub ecn: Ecn,
    /// For a download, the DSCP that the house last sent on its connection, if it sent any.
    pub sent: Option<Dscp>,
    /// Mark set by others: that of an upload itself, or that of a download's connection.
    pub mark: u32,
    /// MAC address of the house's endpoint, if known.
    pub mac: Option<Mac>,
    /// Length of the IP packet in bytes.
    pub length: u32,
    /// Given TCP flags. `ack` alone is an acknowledgement without data. A TCP packet without given flags carries data
    /// and ACK.
    pub tcp: Vec<TcpKind>,
    /// Index of the tunnel that the packet travels in; the packet is then the inner one.
    pub tunnel: Option<usize>,
    /// Index of the link's device by which the packet passes; `None` for the WAN device.
    pub device: Option<usize>,
    /// True if the house's end is the router itself.
    pub by_router: bool,
    /// True if the other end began the connection.
    pub from_outside: bool,
    /// Port of the house's end on the line, if a port forward makes it another one than in the house.
    pub forwarded: Option<u16>,
}

/// A match that was compared with the packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Asked {
    /// Hook of the filters: policers are at the hooks, classes at the root.
    pub hook: Hook,
    /// Class or policer of the match.
    pub name: String,
    /// Match as written in the file, or its origin.
    pub what: String,
    /// Line in the file, counted from 1; `None` if no line of the file asks for the match.
    pub line: Option<u32>,
    /// True if it matches the packet.
    pub takes: bool,
    /// Keys in which the packet differs; if a key has several values, the nearest one counts.
    pub differs: Vec<&'static str>,
}

/// A policer that the packet passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Policed {
    /// Name of the policer; empty for the one on all downloads.
    pub name: String,
    /// Rate that the policer lets through, as text with its unit.
    #[schemars(with = "String")]
    pub rate: Rate,
    /// True if packets above the rate are dropped. Otherwise they go on to a class.
    pub dropped: bool,
    /// Class of the packets above the rate, unless they are dropped.
    pub class: Option<String>,
}
