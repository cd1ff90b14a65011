//! IP addresses, prefixes and IPv6 interface parts.

use super::written::{self, Written, written};
use super::{UnitError, number};
use crate::diag::{count, ticked};
use ipnet::{Ipv4Net, Ipv4Subnets, Ipv6Net, Ipv6Subnets};
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// IPv4 or IPv6. Text: `ipv4`, `ipv6`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    strum::Display,
    strum::IntoStaticStr
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Family {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

named!(Family);

/// An address or a set of addresses. Text: `192.168.1.5`, `192.168.1.128/25`, `2001:db8::/64`, or an IPv6 interface
/// part `::10/-64`. The last 64 bits of such a part apply under any prefix that the provider delegates.
///
/// A prefix with bits set beyond its length (`192.168.1.5/24`) is rejected, and the error suggests the network.
/// IPv4-mapped IPv6 addresses (`::ffff:192.168.1.5`) are rejected because no packet carries them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// An IPv4 address (`/32`) or prefix.
    V4(Ipv4Net),
    /// An IPv6 address (`/128`) or prefix.
    V6(Ipv6Net),
    /// The last `bits` bits of an IPv6 address, 1 to 127.
    V6Interface {
        /// The interface part; the bits before it are zero.
        part: Ipv6Addr,
        /// Number of bits at the end that count.
        bits: u8,
    },
}

impl Address {
    /// Returns the family of the address.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Address::V4(_) => Family::Ipv4,
            Address::V6(_) | Address::V6Interface { .. } => Family::Ipv6,
        }
    }

    /// True for one address; false for a prefix or an interface part.
    #[must_use]
    pub const fn is_single(self) -> bool {
        match self {
            Address::V4(net) => net.prefix_len() == 32,
            Address::V6(net) => net.prefix_len() == 128,
            Address::V6Interface { .. } => false,
        }
    }

    /// Returns the part of the address that consists of groups, as [`is_group`] defines them. It is empty for most
    /// addresses.
    #[must_use]
    pub fn groups(self) -> Vec<Address> {
        let net = |first: [u8; 4], length| Ipv4Net::new(first.into(), length).ok().map(Address::V4);
        let v6 = Ipv6Net::new(Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8).ok().map(Address::V6);
        let groups = [net([224, 0, 0, 0], 4), net([255; 4], 32), v6].into_iter().flatten();
        groups.filter_map(|group| self.common(group)).collect()
    }

    /// Returns the addresses that two prefixes have in common, which is the narrower one. Interface parts have none.
    #[must_use]
    pub fn common(self, other: Address) -> Option<Address> {
        match (self, other) {
            (Address::V4(own), Address::V4(net)) if own.contains(&net) => Some(other),
            (Address::V4(own), Address::V4(net)) if net.contains(&own) => Some(self),
            (Address::V6(own), Address::V6(net)) if own.contains(&net) => Some(other),
            (Address::V6(own), Address::V6(net)) if net.contains(&own) => Some(self),
            _ => None,
        }
    }

    /// True if all addresses are groups.
    #[must_use]
    pub fn is_group(self) -> bool {
        self.groups() == [self]
    }
}

/// True for a multicast group and for the limited broadcast address (RFC 5771, RFC 4291, RFC 919). A group is only a
/// destination. NAT does not translate it, and no host sends from it, so no connection of a host has it.
#[must_use]
pub const fn is_group(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_multicast(),
    }
}

impl FromStr for Family {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(UnitError::new("the family is empty").help("write `ipv4` or `ipv6`"));
        }
        let error = || UnitError::new(format!("there is no family named {}", ticked(text)));
        match text.to_ascii_lowercase().as_str() {
            "ipv4" => Ok(Family::Ipv4),
            "ipv6" => Ok(Family::Ipv6),
            "ip" => Err(error().help("did you mean `ipv4`?")),
            "4" | "v4" | "ip4" | "inet" | "inet4" => {
                Err(error().help("did you mean `ipv4`?").certain(text, "ipv4"))
            }
            "6" | "v6" | "ip6" | "inet6" => Err(error().help("did you mean `ipv6`?").certain(text, "ipv6")),
            "any" | "all" | "both" => Err(error().help("leave `family` out to match both")),
            _ => Err(error().help("write `ipv4` or `ipv6`")),
        }
    }
}

/// Omits the prefix length of a single address.
impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::V4(net) if net.prefix_len() == 32 => write!(f, "{}", net.addr()),
            Address::V4(net) => write!(f, "{net}"),
            Address::V6(net) if net.prefix_len() == 128 => write!(f, "{}", net.addr()),
            Address::V6(net) => write!(f, "{net}"),
            Address::V6Interface { part, bits } => write!(f, "{part}/-{bits}"),
        }
    }
}

const CURE: &str = "write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`";

impl FromStr for Address {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(UnitError::new("the address is empty").help(CURE));
        }
        let (address, length) = text.split_once('/').map_or((text, None), |(a, l)| (a, Some(l)));
        let Ok(ip) = address.parse::<IpAddr>() else { return Err(not_an_address(text, address, length)) };
        match (ip, length.map(|length| length.strip_prefix('-').ok_or(length))) {
            (IpAddr::V4(ip), None) => Ok(Address::V4(ip.into())),
            (IpAddr::V4(ip), Some(Err(length))) => v4(text, ip, length),
            (IpAddr::V4(_), Some(Ok(_))) => Err(refuse(text, "has `/-`, which only IPv6 addresses can have")
                .help("write a prefix such as `192.168.1.0/24`")),
            (IpAddr::V6(ip), None) => v6(text, ip, 128),
            (IpAddr::V6(ip), Some(Err(length))) => v6(text, ip, prefix_length(text, length, 128)?),
            (IpAddr::V6(ip), Some(Ok(bits))) => interface_part(text, ip, bits),
        }
    }
}

fn refuse(text: &str, why: &str) -> UnitError {
    UnitError::new(format!("the address {} {why}", ticked(text)))
}

/// Reads a prefix length from 0 to `max`.
fn prefix_length(text: &str, length: &str, max: u8) -> Result<u8, UnitError> {
    let digits = !length.is_empty() && length.chars().all(|c| c.is_ascii_digit());
    if !digits {
        return Err(refuse(text, "has no valid prefix length after `/`")
            .help(format!("write a number from 0 to {max} after `/`")));
    }
    if length.len() > 1 && length.starts_with('0') {
        let plain = match length.trim_start_matches('0') {
            "" => "0",
            plain => plain,
        };
        return Err(
            refuse(text, "has a prefix length that begins with a zero").help(format!("write `/{plain}`"))
        );
    }
    match length.parse::<u8>() {
        Ok(length) if length <= max => Ok(length),
        _ => {
            let why = format!("has a prefix length above the largest, {max}");
            Err(refuse(text, &why).help(format!("write a number from 0 to {max} after `/`")))
        }
    }
}

fn v4(text: &str, ip: Ipv4Addr, length: &str) -> Result<Address, UnitError> {
    // such as 192.168.1.0/255.255.255.0
    if let Ok(mask) = length.parse::<Ipv4Addr>() {
        let error = refuse(text, "has a netmask instead of a prefix length");
        return Err(match Ipv4Net::with_netmask(ip, mask) {
            Ok(net) if net.trunc() == net => error.write(text, &net.to_string()),
            Ok(net) => error.help(format!("write `{}`", net.trunc())),
            Err(_) => error.help("write a prefix length from 0 to 32 after `/`"),
        });
    }
    let length = prefix_length(text, length, 32)?;
    let net = Ipv4Net::new(ip, length).map_err(|_| refuse(text, "has too long a prefix").help(CURE))?;
    if net.trunc() == net {
        Ok(Address::V4(net))
    } else {
        Err(host_bits(text, Address::V4(net.trunc()), ip.into()))
    }
}

fn v6(text: &str, ip: Ipv6Addr, length: u8) -> Result<Address, UnitError> {
    if let Some(v4) = ip.to_ipv4_mapped().filter(|_| length >= 96) {
        let error = refuse(text, "is an IPv4-mapped IPv6 address, which no packet has");
        return Err(match Ipv4Net::new(v4, length - 96) {
            Ok(net) if net.trunc() == net => error.write(text, &Address::V4(net).to_string()),
            Ok(net) => error.help(format!("write `{}`", Address::V4(net.trunc()))),
            Err(_) => error.help(CURE),
        });
    }
    let net = Ipv6Net::new(ip, length).map_err(|_| refuse(text, "has too long a prefix").help(CURE))?;
    if net.trunc() == net {
        Ok(Address::V6(net))
    } else {
        Err(host_bits(text, Address::V6(net.trunc()), ip.into()))
    }
}

/// Returns the error for a prefix that has bits set beyond its length.
fn host_bits(text: &str, network: Address, ip: IpAddr) -> UnitError {
    let error = refuse(text, "has bits set beyond its prefix length");
    // such as ::10/64, which can only mean an interface part
    if let (Address::V6(net), IpAddr::V6(part)) = (network, ip)
        && net.addr().is_unspecified()
        && (1..=127).contains(&net.prefix_len())
    {
        let part = Address::V6Interface { part, bits: 128 - net.prefix_len() };
        return error.help(format!("write `{part}` to match this interface part under any prefix"));
    }
    error
        .help(format!("write `{network}` to match the network"))
        .help(format!("write `{ip}` to match the single address"))
}

fn interface_part(text: &str, part: Ipv6Addr, bits: &str) -> Result<Address, UnitError> {
    let range = "write a number of bits from 1 to 127 after `/-`";
    let plain = bits.chars().all(|c| c.is_ascii_digit()) && !bits.starts_with('0');
    let Some(bits) = bits.parse::<u8>().ok().filter(|bits| plain && (1..=127).contains(bits)) else {
        return Err(refuse(text, "has no valid number of bits after `/-`").help(range));
    };
    let mask = (1u128 << bits) - 1;
    let kept = Ipv6Addr::from(part.to_bits() & mask);
    if kept == part {
        return Ok(Address::V6Interface { part, bits });
    }
    let kept = Address::V6Interface { part: kept, bits };
    Err(refuse(text, &format!("has bits set before its last {bits} bits"))
        .help(format!("write `{kept}` without these bits")))
}

/// Returns the error for a text that is not an address, depending on its form.
fn not_an_address(text: &str, address: &str, length: Option<&str>) -> UnitError {
    let suffix = length.map(|length| format!("/{length}")).unwrap_or_default();
    if let Some(inner) = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && inner.parse::<Ipv6Addr>().is_ok()
    {
        return refuse(text, "has brackets around it").write(text, &format!("{inner}{suffix}"));
    }
    if let Some((ip, _)) = address.split_once('%')
        && ip.parse::<Ipv6Addr>().is_ok()
    {
        return refuse(text, "has a device name after `%`")
            .help(format!("write {}", ticked(&format!("{ip}{suffix}"))));
    }
    if let Some((ip, _)) = address.rsplit_once(':')
        && (ip.parse::<Ipv4Addr>().is_ok() || ip.starts_with('['))
    {
        return refuse(text, "has a port after it")
            .help("write ports under `local_port`, `remote_port` or `port`");
    }
    if let Some((first, last)) = text.split_once('-')
        && let Ok(first) = first.trim().parse::<IpAddr>()
        && let Some(last) = last_of(first, last.trim())
    {
        return range(text, first, last);
    }
    if let Some(list) = list(text) {
        return refuse(text, "contains several addresses")
            .help(format!("write a list: {}", ticked(&list)))
            .certain(text, list);
    }
    if address.chars().all(|c| c.is_ascii_digit() || c == '.') && address.contains('.') {
        return not_ipv4(text, address, &suffix);
    }
    if address.contains(':') {
        return refuse(text, "is not an IPv6 address").help(
            "write eight groups of up to four hexadecimal digits; `::` may replace groups of zeros once",
        );
    }
    let named = address.contains('.') && address.chars().all(|c| c.is_alphanumeric() || ".-_".contains(c));
    let error = UnitError::new(format!("{} is not an address", ticked(text)));
    if named { error.help("write the address itself: qosc does not look up names") } else { error.help(CURE) }
}

/// Returns the YAML list for addresses that are separated by commas or spaces.
fn list(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    let several = parts.len() > 1 && parts.iter().all(|part| part.parse::<Address>().is_ok());
    // a colon can end a plain scalar in a flow sequence, so IPv6 addresses need quotes
    let quoted =
        parts.iter().map(|part| if part.contains(':') { format!("\"{part}\"") } else { (*part).to_owned() });
    several.then(|| format!("[{}]", quoted.collect::<Vec<_>>().join(", ")))
}

/// Returns the last address of a range. Of IPv4, the last number alone is enough.
fn last_of(first: IpAddr, last: &str) -> Option<IpAddr> {
    let short = || match first {
        IpAddr::V4(first) => {
            let [a, b, c, _] = first.octets();
            last.parse().ok().map(|last| IpAddr::from([a, b, c, last]))
        }
        IpAddr::V6(_) => None,
    };
    last.parse().ok().or_else(short)
}

/// Returns the error for a range of addresses, with the prefixes that cover exactly its addresses.
fn range(text: &str, first: IpAddr, last: IpAddr) -> UnitError {
    /// Prefixes that still fit in a line.
    const MOST: usize = 8;
    let error = refuse(text, "is a range");
    let subnets = match (first, last) {
        (IpAddr::V4(first), IpAddr::V4(last)) if first <= last => {
            ipnet::IpSubnets::from(Ipv4Subnets::new(first, last, 0))
        }
        (IpAddr::V6(first), IpAddr::V6(last)) if first <= last => {
            ipnet::IpSubnets::from(Ipv6Subnets::new(first, last, 0))
        }
        _ => return error.help("write the lowest address first, or a prefix"),
    };
    let subnets: Vec<String> = subnets.map(|net| net.to_string()).take(MOST + 1).collect();
    if subnets.len() > MOST {
        return error.help("write a prefix, or a list of prefixes and addresses");
    }
    let written = subnets.iter().map(|net| net.trim_end_matches("/32").trim_end_matches("/128").to_owned());
    let list = format!("[{}]", written.collect::<Vec<_>>().join(", "));
    error.help(format!("write the prefixes of exactly these addresses: `{list}`")).certain(text, list)
}

/// Returns the error for digits and points that are not an IPv4 address.
fn not_ipv4(text: &str, address: &str, suffix: &str) -> UnitError {
    let parts: Vec<&str> = address.split('.').collect();
    if parts.len() != 4 || parts.iter().any(|part| part.is_empty()) {
        let numbers = parts.iter().filter(|part| !part.is_empty()).count();
        return refuse(text, &format!("has {}, not 4", count(numbers, "number"))).help(CURE);
    }
    if let Some(part) = parts.iter().find(|part| part.parse::<u8>().is_err()) {
        return refuse(text, &format!("contains {}, which is above 255", ticked(part))).help(CURE);
    }
    let plain: Vec<&str> = parts
        .iter()
        .map(|part| match part.trim_start_matches('0') {
            "" => "0",
            plain => plain,
        })
        .collect();
    let error = refuse(text, "has a number that begins with a zero, which some programs read as octal");
    let plain = format!("{}{suffix}", plain.join("."));
    match parts.iter().all(|part| number::same_in_octal(part)) {
        true => error.write(text, &plain),
        false => error.help(format!("write {}", ticked(&plain))),
    }
}

written!(
    Address,
    "Address",
    Written {
        about: "An IPv4 or IPv6 address or prefix, or an IPv6 interface part such as `::10/-64`, which matches under any prefix that the provider delegates",
        numbers: None,
        pattern: format!(
            "{}(/(3[0-2]|[12]?[0-9]))?|{}(/(12[0-8]|1[01][0-9]|[1-9]?[0-9])|/-(12[0-7]|1[01][0-9]|[1-9][0-9]?))?",
            written::ipv4(),
            written::ipv6()
        ),
        trimmed: true,
        examples: vec!["192.168.1.10", "192.168.1.128/25", "2001:db8:1::10", "2001:db8:1::/64", "::10/-64"],
    }
);

written!(
    Family,
    "Family",
    Written {
        about: "`ipv4` or `ipv6`",
        numbers: None,
        pattern: written::any_of(["ipv4", "ipv6"]),
        trimmed: true,
        examples: vec!["ipv4", "ipv6"],
    }
);
