//! Ports and sets of ports.

use super::number::What;
use super::written::{U16_BUT_0, WHOLE, Written, written};
use super::{UnitError, range};
use crate::diag::ticked;
use std::str::FromStr;

/// Ports from `first` to `last` inclusive. Text: `53` or `5060-5061`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRange {
    /// Lowest port, 1 to 65535.
    pub first: u16,
    /// Highest port; never below `first`.
    pub last: u16,
}

/// A set of ports in normal form: sorted ranges that neither overlap nor touch. Text: ranges separated by commas,
/// `3478, 5060-5061`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortSet(Vec<PortRange>);

impl PortSet {
    /// Returns the ranges, lowest first.
    #[must_use]
    pub fn ranges(&self) -> &[PortRange] {
        &self.0
    }
}

impl FromIterator<PortRange> for PortSet {
    fn from_iter<I: IntoIterator<Item = PortRange>>(ranges: I) -> Self {
        let mut sorted: Vec<PortRange> = ranges.into_iter().collect();
        sorted.sort_unstable();
        let mut merged: Vec<PortRange> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                Some(last) if u32::from(range.first) <= u32::from(last.last) + 1 => {
                    last.last = last.last.max(range.last)
                }
                _ => merged.push(range),
            }
        }
        PortSet(merged)
    }
}

const WHAT: What =
    What { noun: "port", cure: "a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`" };

/// Services that users name instead of a port number (IANA's service name registry). Messages suggest their numbers.
const SERVICES: &[(&str, u16)] = &[
    ("dns", 53),
    ("domain", 53),
    ("ftp", 21),
    ("http", 80),
    ("https", 443),
    ("imap", 143),
    ("imaps", 993),
    ("ipp", 631),
    ("mdns", 5353),
    ("mqtt", 1883),
    ("ntp", 123),
    ("openvpn", 1194),
    ("pop3", 110),
    ("rdp", 3389),
    ("rsync", 873),
    ("rtsp", 554),
    ("sip", 5060),
    ("sips", 5061),
    ("smtp", 25),
    ("snmp", 161),
    ("ssh", 22),
    ("stun", 3478),
    ("submission", 587),
    ("syslog", 514),
    ("telnet", 23),
    ("turn", 3478),
    ("wireguard", 51820),
];

impl std::fmt::Display for PortRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

impl FromStr for PortRange {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if let Some((_, port)) = SERVICES.iter().find(|(service, _)| *service == lower) {
            return Err(UnitError::new(format!("the port {} is a name, not a number", ticked(text)))
                .write(text, &port.to_string()));
        }
        let names = ["tcp/", "udp/", "/tcp", "/udp"];
        if let Some(name) = names.iter().find(|name| lower.starts_with(**name) || lower.ends_with(**name)) {
            return Err(UnitError::new(format!("the port {} names a protocol", ticked(text)))
                .help(format!("write {}, without the protocol", ticked(&lower.replace(name, "")))));
        }
        let (first, last) = range::parse(text, WHAT, u16::MAX)?;
        if first > 0 {
            return Ok(PortRange { first, last });
        }
        let error =
            UnitError::new(format!("the port {} is not possible: the lowest port is 1", ticked(text)));
        Err(if last == 0 {
            error.help(format!("write {}", WHAT.cure))
        } else {
            error.write(text, &format!("1-{last}"))
        })
    }
}

impl std::fmt::Display for PortSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, range) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{range}")?;
        }
        Ok(())
    }
}

impl FromStr for PortSet {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        text.split(',').map(str::parse::<PortRange>).collect()
    }
}

written!(
    PortRange,
    "Port",
    Written {
        about: "A port, or a range of them, such as `5060-5061`",
        numbers: Some((1, 65535)),
        pattern: format!("{U16_BUT_0}{WHOLE}(\\s*-\\s*{U16_BUT_0}{WHOLE})?"),
        trimmed: true,
        examples: vec!["53", "5060-5061"],
    }
);
