//! Services of FireQOS by name.

use crate::import::config::Match;
use crate::units::{PortRange, Protocol};

/// Services that home networks use: the name, and protocols with ports.
const SERVICES: &[(&str, &str)] = &[
    ("dhcp", "udp/67:68"),
    ("dns", "udp/53 tcp/53"),
    ("ftp", "tcp/20:21"),
    ("gre", "gre"),
    ("http", "tcp/80"),
    ("https", "tcp/443 udp/443"),
    ("icmp", "icmp icmpv6"),
    ("imap", "tcp/143"),
    ("imaps", "tcp/993"),
    ("ntp", "udp/123"),
    ("openvpn", "udp/1194 tcp/1194"),
    ("ping", "icmp icmpv6"),
    ("pop3", "tcp/110"),
    ("pop3s", "tcp/995"),
    ("rsync", "tcp/873"),
    ("rtp", "udp/10000:20000"),
    ("sip", "udp/5060 tcp/5060"),
    ("smtp", "tcp/25"),
    ("smtps", "tcp/465"),
    ("ssh", "tcp/22"),
    ("submission", "tcp/587"),
    ("telnet", "tcp/23"),
];

/// Longest list of ports, in bytes, so that many uses of a service take linear time.
const LONGEST: usize = 200;

/// Returns the matches of a service, at the local or the remote end. `own` are the ports that the file defines.
pub(super) fn matches(name: &str, local: bool, own: Option<&str>) -> Option<Vec<Match>> {
    let lower = name.to_ascii_lowercase();
    let known = SERVICES.iter().find(|(known, _)| *known == lower).map(|(_, ports)| *ports);
    let mut found = Vec::new();
    let own = own.filter(|own| own.len() <= LONGEST);
    for part in own.or(known)?.split([' ', ',']).filter(|part| !part.is_empty()) {
        let (protocol, ports) = match part.split_once('/') {
            Some((protocol, ports)) => (protocol, Some(ports)),
            // ports alone are those of TCP and UDP
            None if part.starts_with(|c: char| c.is_ascii_digit()) => ("", Some(part)),
            None => (part, None),
        };
        let protocol: Vec<Protocol> = match protocol {
            "" => vec![Protocol::TCP, Protocol::UDP],
            name => vec![name.parse().ok()?],
        };
        let ports: Vec<PortRange> = match ports {
            None | Some("any") => Vec::new(),
            Some(ports) => vec![ports.replace(':', "-").parse().ok()?],
        };
        let mut one = Match { protocol, ..Match::default() };
        *(if local { &mut one.local_port } else { &mut one.remote_port }) = ports;
        found.push(one);
    }
    Some(merged(found))
}

/// Joins matches that differ only in their protocol.
fn merged(found: Vec<Match>) -> Vec<Match> {
    let mut out: Vec<Match> = Vec::new();
    for one in found {
        match out.last_mut().filter(|own| Match { protocol: one.protocol.clone(), ..(**own).clone() } == one)
        {
            Some(own) => own.protocol.extend(one.protocol),
            None => out.push(one),
        }
    }
    out
}
