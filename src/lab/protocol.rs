//! What the guest is told to send, and what it tells of that: the words between the two halves of the lab, as JSON.

use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// One end of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The network namespace that it is in.
    pub space: String,
    /// Its address.
    pub address: IpAddr,
    /// Its port; 0 for any, and of what has none.
    pub port: u16,
}

impl Endpoint {
    /// Bytes of the headers of IP and UDP of a packet to or from here: RFC 791 and 8200, and 8 of RFC 768.
    #[must_use]
    pub const fn headers(&self) -> u16 {
        if self.address.is_ipv4() { 28 } else { 48 }
    }
}

/// What is sent. All begins in the house, since only then it finds its way through NAT.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Echo requests of ICMP.
    Ping {
        /// Microseconds between two of them.
        gap: u64,
    },
    /// Numbered UDP packets, one way.
    Stream {
        /// Whether the house sends them.
        up: bool,
        /// Nanoseconds between two of them.
        gap: u64,
        /// Bytes of each IP packet.
        size: usize,
        /// Whether each is remembered; otherwise only bytes are counted.
        each: bool,
    },
    /// A TCP flow that takes what it gets.
    Bulk {
        /// Whether the house sends it.
        up: bool,
    },
    /// One after the other over TCP: connect, ask, read all of the answer.
    Fetch {
        /// Bytes of each answer.
        bytes: u64,
        /// Microseconds from the end of one to the next.
        gap: u64,
    },
}

/// One flow of a scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// What it is called in the record; flows of one name are counted together.
    pub name: String,
    /// What is sent.
    pub what: What,
    /// Its end in the house.
    pub house: Endpoint,
    /// Its end in the internet.
    pub net: Endpoint,
    /// The code point of what the house sends, and of what the internet does.
    pub dscp: (u8, u8),
    /// When it begins, in milliseconds of the scene.
    pub from: u64,
    /// When it ends, in milliseconds of the scene.
    pub to: u64,
}

/// Flows over one state of the router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its name: that of its record.
    pub name: String,
    /// What a person reads while it runs.
    pub words: String,
    /// Whether the script is in force.
    pub shaped: bool,
    /// Milliseconds.
    pub length: u64,
    /// All that is sent.
    pub flows: Vec<Flow>,
}

/// One packet, or one fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When it was sent, microseconds of the scene.
    pub at: u64,
    /// How long it took in microseconds; `None` for what never came.
    pub took: Option<u64>,
    /// Of a fetch that was cut off at the end: how long it had gone on, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<u64>,
}

/// How wide the steps of [`Record::bytes`] are, in milliseconds.
pub const STEP: u64 = 100;

/// What became of the flows of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The name.
    pub name: String,
    /// Packets or fetches, in the order in which they were sent.
    pub samples: Vec<Sample>,
    /// Bytes of data that came within each [`STEP`] of the scene.
    pub bytes: Vec<u64>,
    /// Packets that were sent, where each is not remembered.
    pub sent: u64,
    /// Packets that came, where each is not remembered.
    pub came: u64,
}

/// All that the guest tells of a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// One for each name.
    pub records: Vec<Record>,
}
