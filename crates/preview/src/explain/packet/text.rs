//! Text form of a packet: `up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef`.

use super::{NONE, Packet};
use qosc_compiler::diag::{or_ticked, ticked};
use qosc_compiler::journey::largest_packet;
use qosc_compiler::model::{Direction, Ecn, Model, TcpKind, TunnelKind};
use qosc_compiler::units::{Address, Dscp, Family, Mac, Mark, Protocol};
use std::net::IpAddr;
use std::str::FromStr;
use strum::VariantArray as _;

/// Example for messages.
const SHAPE: &str = "`up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef`";
/// Words that may follow the endpoints.
const WORDS: [&str; 14] =
    ["dscp", "ecn", "sent", "mark", "mac", "length", "in", "by", "from", "at", "ack", "syn", "fin", "rst"];
/// TCP flags that may follow, too.
const FLAGS: [TcpKind; 4] = [TcpKind::Ack, TcpKind::Syn, TcpKind::Fin, TcpKind::Rst];
/// Largest length in bytes that an IP header can hold (RFC 791, section 3.1).
const LONGEST: u32 = 65535;

impl Packet {
    /// Reads a packet: direction, protocol, source, `>`, destination, and then in any order:
    ///
    /// - `dscp NAME`
    /// - `ecn NAME`: `not-ect`, `ect0`, `ect1` or `ce`; the default is `not-ect`
    /// - `sent DSCP`: for a download, the DSCP that the house last sent on its connection
    /// - `mark NUMBER`
    /// - `mac ADDRESS`: the MAC address of the host in the house
    /// - `length BYTES`: the length of the IP packet; the default is the longest that fits
    /// - `in TUNNEL`
    /// - `by DEVICE`, one of `link.devices`
    /// - `by the router`: one of its own programs sends or receives the packet
    /// - `from outside`: the other end began the connection
    /// - `at PORT`: the port of the house's end on the line, if a port forward changes it
    /// - TCP flags: `ack` (an acknowledgement without data), `syn`, `syn ack`, `fin`, `rst`
    ///
    /// The house's endpoint may be the name of a host.
    ///
    /// # Errors
    /// Returns one line that states the problem and the text to write instead.
    pub fn read(text: &str, model: &Model) -> Result<Packet, String> {
        let mut words = text.split_whitespace();
        let direction = match words.next() {
            Some("up") => Direction::Up,
            Some("down") => Direction::Down,
            other => return Err(begins("`up` or `down`", other)),
        };
        let named = words.next().ok_or_else(|| begins("a direction and a protocol", None))?;
        if named == "arp" {
            let class = ticked(model.default_leaf().map_or("", |class| &class.name));
            return Err(format!(
                "ARP has no IP header: no match or policer sees it, and it enters class {class}"
            ));
        }
        let protocol = Protocol::from_str(named).map_err(|error| error.to_string())?;
        let (from, arrow, to) = (words.next(), words.next(), words.next());
        let (Some(from), Some(">" | "->"), Some(to)) = (from, arrow, to) else {
            return Err(format!(
                "write `>` between the source and the destination of the packet, as in {SHAPE}"
            ));
        };
        let (local, remote) = match direction {
            Direction::Up => (from, to),
            Direction::Down => (to, from),
        };
        let (local, local_port) = end(local, protocol, Some(model))?;
        let (remote, remote_port) = end(remote, protocol, None)?;
        if local.is_ipv4() != remote.is_ipv4() {
            return Err("the source and the destination are of different IP versions".to_owned());
        }
        let mut packet = Packet {
            direction,
            protocol,
            local,
            remote,
            local_port,
            remote_port,
            dscp: NONE,
            ecn: Ecn::NotEct,
            sent: None,
            mark: 0,
            mac: None,
            length: 0,
            tcp: Vec::new(),
            tunnel: None,
            device: None,
            by_router: false,
            from_outside: false,
            forwarded: None,
        };
        if other_family(protocol, packet.family()) {
            return Err(format!("`{protocol}` is not a protocol of {}", family_name(packet.family())));
        }
        let mut length = None;
        while let Some(word) = words.next() {
            packet.option(word, &mut words, model, &mut length)?;
        }
        packet.measure(length, model)?;
        Ok(packet)
    }

    /// Reads one of [`WORDS`] or [`FLAGS`], and the value of the former.
    fn option<'a>(
        &mut self,
        word: &str,
        words: &mut impl Iterator<Item = &'a str>,
        model: &Model,
        length: &mut Option<u32>,
    ) -> Result<(), String> {
        if let Some(flag) = FLAGS.into_iter().find(|flag| flag.as_str() == word) {
            if self.protocol != Protocol::TCP {
                return Err(format!("`{word}` is only valid for `tcp`"));
            }
            self.tcp.push(flag);
            return Ok(());
        }
        if !WORDS.contains(&word) {
            return Err(format!(
                "unknown word {} after the destination: write {}",
                ticked(word),
                or_ticked(WORDS)
            ));
        }
        let value = words.next().ok_or_else(|| format!("the value of `{word}` is missing"))?;
        match word {
            "dscp" => self.dscp = unit::<Dscp>(value)?,
            "ecn" => {
                let known = Ecn::VARIANTS.iter().find(|own| own.as_str() == value);
                let names = || or_ticked(Ecn::VARIANTS.iter().map(|own| own.as_str()));
                self.ecn = *known.ok_or_else(|| format!("write {} after `ecn`", names()))?;
            }
            "sent" if self.direction == Direction::Up => {
                return Err("`sent` is only valid for downloads: for an upload, write `dscp`".to_owned());
            }
            "sent" => self.sent = Some(unit::<Dscp>(value)?),
            "mark" => self.mark = unit::<Mark>(value)?.value,
            "mac" => self.mac = Some(unit::<Mac>(value)?),
            "length" => {
                let bytes = value.parse().ok().filter(|bytes| (1..=LONGEST).contains(bytes));
                *length = Some(bytes.ok_or_else(|| {
                    format!("a length is a number of bytes up to {LONGEST}, not {}", ticked(value))
                })?);
            }
            "by" if value == "the" && words.next() == Some("router") => self.by_router = true,
            "from" if value == "outside" => self.from_outside = true,
            "from" => return Err("write `from outside`: the other end began the connection".to_owned()),
            "at" if self.protocol.has_ports() => self.forwarded = Some(port(value)?),
            "at" => return Err(format!("`{}` has no ports: leave `at` out", self.protocol)),
            "by" => self.device = Some(device(value, model)?),
            _ => self.tunnel = Some(tunnel(value, self.family(), model)?),
        }
        Ok(())
    }

    /// Sets the length: the given one or the default.
    fn measure(&mut self, said: Option<u32>, model: &Model) -> Result<(), String> {
        let least = self.least();
        let tunnel = self.tunnel.and_then(|index| model.tunnels.get(index));
        let most = largest_packet(model, tunnel);
        let default = if self.tcp.is_empty() { most.max(least) } else { least };
        self.length = said.unwrap_or(default);
        if self.length < least {
            return Err(format!(
                "the headers of this packet alone have {least} bytes: write a larger `length`"
            ));
        }
        if self.is_bare_ack() && self.length != least {
            return Err(format!("an acknowledgement without data has {least} bytes: leave `length` out"));
        }
        Ok(())
    }
}

fn begins(what: &str, found: Option<&str>) -> String {
    let found = found.map(|word| format!(", not with {}", ticked(word))).unwrap_or_default();
    format!("a packet begins with {what}{found}, as in {SHAPE}")
}

fn unit<T: FromStr>(text: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// Reads an address, or the name of a host in the house, and its port.
fn end(text: &str, protocol: Protocol, house: Option<&Model>) -> Result<(IpAddr, u16), String> {
    let bare = |text: &str| address(text, house);
    if !protocol.has_ports() {
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        return Ok((bare(inside.unwrap_or(text))?, 0));
    }
    let missing = || {
        format!(
            "`{protocol}` has ports: write `ADDRESS:PORT`, or `[ADDRESS]:PORT` for IPv6, instead of {}",
            ticked(text)
        )
    };
    let (address, port) = match text.strip_prefix('[') {
        Some(rest) => rest.split_once("]:").ok_or_else(missing)?,
        None if IpAddr::from_str(text).is_ok_and(|address| address.is_ipv6()) => return Err(missing()),
        None => text.rsplit_once(':').ok_or_else(missing)?,
    };
    Ok((bare(address)?, self::port(port)?))
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| format!("a port is a number up to 65535, not {}", ticked(text)))
}

fn address(text: &str, house: Option<&Model>) -> Result<IpAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let Some(model) = house else { return Err(format!("{} is not an address", ticked(text))) };
    let host = model.hosts.iter().find(|host| host.name == text);
    let host =
        host.ok_or_else(|| format!("{} is neither an address nor a host of the file", ticked(text)))?;
    let one = host.addresses.iter().find_map(|address| one(address.value));
    one.ok_or_else(|| match host.mac.first().filter(|_| host.addresses.is_empty()) {
        Some(mac) => format!(
            "host {} has no address: write any address of the LAN, and `mac {}` after the destination",
            ticked(text),
            mac.value
        ),
        None => format!("host {} has more than one address: write one of them", ticked(text)),
    })
}

/// Returns the address of a network with a single address.
fn one(address: Address) -> Option<IpAddr> {
    match address {
        Address::V4(net) if net.prefix_len() == 32 => Some(net.network().into()),
        Address::V6(net) if net.prefix_len() == 128 => Some(net.network().into()),
        _ => None,
    }
}

fn device(name: &str, model: &Model) -> Result<usize, String> {
    let index = model.link.devices.iter().position(|own| own.device.value.as_str() == name);
    index.ok_or_else(|| format!("{} is not in `link.devices`", ticked(name)))
}

fn tunnel(name: &str, inside: Family, model: &Model) -> Result<usize, String> {
    let index = model.tunnels.iter().position(|tunnel| tunnel.name == name);
    let index = index.ok_or_else(|| format!("there is no tunnel {}", ticked(name)))?;
    let kind = model.tunnels.get(index).map(|tunnel| tunnel.kind);
    match (kind, inside) {
        (Some(TunnelKind::Openvpn | TunnelKind::L2tp | TunnelKind::Other), _) => Err(format!(
            "the encapsulation of tunnel {} is not known: describe the outer packet, as it is on the line, such as `up udp 192.0.2.1:50000 > 198.51.100.7:1194`",
            ticked(name)
        )),
        (Some(TunnelKind::Ipip), Family::Ipv6) | (Some(TunnelKind::Sit), Family::Ipv4) => {
            Err(format!("tunnel {} carries no {}", ticked(name), family_name(inside)))
        }
        _ => Ok(index),
    }
}

const fn other_family(protocol: Protocol, family: Family) -> bool {
    match family {
        Family::Ipv4 => protocol.0 == Protocol::ICMPV6.0,
        Family::Ipv6 => protocol.0 == Protocol::ICMP.0,
    }
}

const fn family_name(family: Family) -> &'static str {
    match family {
        Family::Ipv4 => "IPv4",
        Family::Ipv6 => "IPv6",
    }
}
