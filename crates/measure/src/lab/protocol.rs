//! Protocol between the two halves of the lab, as JSON: flows that the guest sends, and records that it returns.

use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// An endpoint of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Network namespace of the endpoint.
    pub space: String,
    /// Address of the endpoint.
    pub address: IpAddr,
    /// Port; 0 for any port, or if the protocol has none.
    pub port: u16,
}

impl Endpoint {
    /// Bytes of the IP header (RFC 791, RFC 8200) and the UDP header (8, RFC 768) of a packet to or from this endpoint.
    #[must_use]
    pub const fn headers(&self) -> u16 {
        if self.address.is_ipv4() { 28 } else { 48 }
    }
}

/// Kind of traffic. Every flow begins in the house, because only then it passes NAT.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// ICMP echo requests.
    Ping {
        /// Microseconds between two requests.
        gap: u64,
    },
    /// Numbered UDP packets in one direction.
    Stream {
        /// True if the house sends them.
        up: bool,
        /// Nanoseconds between two packets.
        gap: u64,
        /// Bytes of each IP packet.
        size: usize,
        /// True if each packet is recorded. Otherwise only bytes are counted.
        each: bool,
    },
    /// A bulk TCP flow, which uses all the bandwidth that it gets.
    Bulk {
        /// True if the house sends it.
        up: bool,
    },
    /// Fetches over TCP, one after the other: connect, request, read the whole answer.
    Fetch {
        /// Bytes of each answer.
        bytes: u64,
        /// Microseconds from the end of a fetch to the next one.
        gap: u64,
    },
}

/// One flow of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Name of the record. Flows with the same name are counted together.
    pub name: String,
    /// Kind of traffic.
    pub what: What,
    /// Endpoint in the house.
    pub house: Endpoint,
    /// Endpoint in the internet.
    pub net: Endpoint,
    /// Code points of the house's packets and of the internet's.
    pub dscp: (u8, u8),
    /// Start of the flow, in milliseconds of the scenario.
    pub from: u64,
    /// End of the flow, in milliseconds of the scenario.
    pub to: u64,
}

/// Flows that run with or without the script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Name of the scenario and of its record.
    pub name: String,
    /// Description that is shown while the scenario runs.
    pub words: String,
    /// True if the script is active.
    pub shaped: bool,
    /// Length in milliseconds.
    pub length: u64,
    /// Flows of the scenario.
    pub flows: Vec<Flow>,
}

/// Result for one packet or one fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sample {
    /// Time of sending, in microseconds of the scenario.
    pub at: u64,
    /// Duration in microseconds; `None` if nothing arrived.
    pub took: Option<u64>,
    /// For a fetch that was cut off at the end, the microseconds since its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<u64>,
}

/// Length of a step in [`Record::bytes`], in milliseconds.
pub const STEP: u64 = 100;

/// Results of the flows with one name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the flows.
    pub name: String,
    /// Packets or fetches, in the order of sending.
    pub samples: Vec<Sample>,
    /// Bytes of data that arrived in each [`STEP`] of the scenario.
    pub bytes: Vec<u64>,
    /// Number of packets sent, if they are not recorded one by one.
    pub sent: u64,
}

/// Results of a scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// One record for each name.
    pub records: Vec<Record>,
}

impl Records {
    /// Merges a record into that of the same name, or adds it.
    pub(super) fn add(&mut self, own: Record) {
        let Some(record) = self.records.iter_mut().find(|record| record.name == own.name) else {
            return self.records.push(own);
        };
        record.samples.extend(own.samples);
        record.samples.sort_by_key(|sample| sample.at);
        for (sum, more) in record.bytes.iter_mut().zip(own.bytes) {
            *sum += more;
        }
        record.sent += own.sent;
    }

    /// Returns the record with this name.
    pub(super) fn get(&self, name: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.name == name)
    }
}
