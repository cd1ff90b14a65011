//! Resolves `match`: binds names and reports matches that no packet can fit.

use super::apps;
use super::names::Names;
use super::text;
use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, and_ticked, or_ticked, ticked};
use crate::model::{Alternative, Host, TcpKind};
use crate::syntax::raw::{Many, RawMatch};
use crate::units::{Family, LengthRange, PortSet, Protocol};

/// Names and hosts that matches refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    /// Names of the file.
    pub names: &'a Names,
    /// Hosts that the names stand for.
    pub hosts: &'a [Host],
}

impl Scope<'_> {
    /// Resolves a `match`. An alternative with an error is reported and omitted.
    pub fn alternatives(self, raw: &[RawMatch], sink: &mut Sink) -> Vec<Alternative> {
        let mut found = Vec::with_capacity(raw.len());
        for raw in raw {
            if !sink.charge(1, budget::MATCH) {
                break;
            }
            if raw.app_key.is_none() {
                found.extend(self.alternative(raw, text::match_text(raw), sink));
                continue;
            }
            for (app, own) in apps::expanded(raw, sink) {
                sink.charge(1, budget::MATCH);
                found.extend(self.alternative(&own, format!("app {app} ({})", text::match_text(&own)), sink));
            }
        }
        found
    }

    fn alternative(self, raw: &RawMatch, text: String, sink: &mut Sink) -> Option<Alternative> {
        let hosts: Vec<usize> = raw.host.iter().filter_map(|name| self.names.host(name, sink)).collect();
        let tunnels: Vec<usize> =
            raw.tunnel.iter().filter_map(|name| self.names.tunnel(name, sink)).collect();
        let devices: Vec<usize> =
            raw.device.iter().filter_map(|name| self.names.device(name, sink)).collect();
        let bound = hosts.len() == raw.host.len()
            && tunnels.len() == raw.tunnel.len()
            && devices.len() == raw.device.len();
        let protocol = protocols(raw, sink);
        let possible = check_length(raw, sink) & self.check_families(raw, &hosts, bound, sink);
        let protocol = protocol?;
        (bound && possible).then(|| Alternative {
            span: raw.span,
            text,
            hosts,
            local: values(&raw.local),
            remote: values(&raw.remote),
            protocol,
            local_port: ports(&raw.local_port),
            remote_port: ports(&raw.remote_port),
            port: ports(&raw.port),
            dscp: values(&raw.dscp),
            ecn: values(&raw.ecn),
            mark: values(&raw.mark),
            tunnels,
            devices,
            family: raw.family.map(|family| family.value),
            direction: raw.direction.map(|direction| direction.value),
            length: values(&raw.length),
            tcp: values(&raw.tcp),
        })
    }

    /// Returns `true` if at least one address family satisfies all keys; reports an error otherwise.
    fn check_families(self, raw: &RawMatch, hosts: &[usize], bound: bool, sink: &mut Sink) -> bool {
        let mut asked: Vec<(Vec<Family>, Span)> = Vec::new();
        asked.extend(raw.family.map(|family| (vec![family.value], family.span)));
        for list in [&raw.local, &raw.remote] {
            if let Some(first) = list.first() {
                asked.push((list.iter().map(|address| address.value.family()).collect(), first.span));
            }
        }
        if let Some(first) = raw.host.first().filter(|_| bound) {
            let hosts = hosts.iter().filter_map(|host| self.hosts.get(*host));
            let families: Vec<Family> = hosts
                .clone()
                .flat_map(|host| host.addresses.iter().map(|address| address.value.family()))
                .collect();
            // a host with a MAC address can send both families; a host with neither was already reported
            let of_addresses = hosts.into_iter().all(|host| host.mac.is_empty());
            if of_addresses && !families.is_empty() {
                asked.push((families, first.span));
            }
        }
        if let Some(first) = raw.protocol.first() {
            let carried = raw.protocol.iter().flat_map(|protocol| families(protocol.value));
            asked.push((carried.copied().collect(), first.span));
        }
        let meets = |family: Family| asked.iter().all(|(families, _)| families.contains(&family));
        if meets(Family::Ipv4) || meets(Family::Ipv6) {
            return true;
        }
        let message = "this match needs IPv4 and IPv6 at once, so no packet can meet it";
        let finding = Diagnostic::new(Code::CannotMatch, raw.span, message);
        let finding = asked.into_iter().fold(finding, |finding, (families, span)| {
            match (families.contains(&Family::Ipv4), families.contains(&Family::Ipv6)) {
                (true, false) => finding.also(span, "needs IPv4"),
                (false, true) => finding.also(span, "needs IPv6"),
                _ => finding,
            }
        });
        sink.push(finding.help("write one alternative for each family"));
        false
    }
}

/// Returns the families that can carry a protocol.
fn families(protocol: Protocol) -> &'static [Family] {
    match protocol {
        Protocol::ICMP => &[Family::Ipv4],
        Protocol::ICMPV6 => &[Family::Ipv6],
        _ => &[Family::Ipv4, Family::Ipv6],
    }
}

fn values<T: Clone>(many: &Many<T>) -> Vec<T> {
    many.iter().map(|item| item.value.clone()).collect()
}

fn ports(many: &Many<crate::units::PortRange>) -> Option<PortSet> {
    (!many.is_empty()).then(|| many.iter().map(|port| port.value).collect())
}

/// Returns the protocols, with TCP implied by `tcp`; `None` after an error.
fn protocols(raw: &RawMatch, sink: &mut Sink) -> Option<Vec<Protocol>> {
    // An unreadable value was already reported.
    if raw.tcp.is_empty() && raw.tcp_key.is_some() {
        return None;
    }
    if let Some(kind) = raw.tcp.first() {
        if let Some(other) = raw.protocol.iter().find(|protocol| protocol.value != Protocol::TCP) {
            let has_no = match kind.value {
                TcpKind::Ack => "acknowledgements",
                TcpKind::Syn | TcpKind::Fin | TcpKind::Rst => "TCP flags",
            };
            let message = format!("packets of {} have no {has_no}", ticked(&other.value.to_string()));
            sink.push(
                Diagnostic::new(Code::CannotMatch, other.span, message)
                    .also(kind.span, "this matches TCP only")
                    .help(format!("remove `protocol`: `tcp: {}` matches TCP only", kind.value)),
            );
            return None;
        }
        return Some(vec![Protocol::TCP]);
    }
    let Some((key, first)) = raw.first_port() else { return Some(values(&raw.protocol)) };
    // An unreadable value was already reported.
    if raw.protocol.is_empty() && raw.protocol_key.is_some() {
        return None;
    }
    if raw.protocol.is_empty() {
        let message = format!("`{key}` needs a `protocol`");
        sink.push(Diagnostic::new(Code::PortsWithoutProtocol, first.span, message).help(
            "write the protocol of the ports: `protocol: tcp`, `protocol: udp` or `protocol: [tcp, udp]`",
        ));
        return None;
    }
    let portless: Vec<&Spanned<Protocol>> =
        raw.protocol.iter().filter(|protocol| !protocol.value.has_ports()).collect();
    let Some(first_portless) = portless.first() else { return Some(values(&raw.protocol)) };
    let names: Vec<String> = portless.iter().map(|protocol| protocol.value.to_string()).collect();
    let have = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{} {have} no ports", and_ticked(names.iter().map(String::as_str)));
    sink.push(
        Diagnostic::new(Code::CannotMatch, first_portless.span, message)
            .also(first.span, "these ports are matched")
            .help("write one alternative with the ports, and one without ports for the other protocols"),
    );
    None
}

/// Returns `true` if a packet can have one of the required lengths; reports an error otherwise.
fn check_length(raw: &RawMatch, sink: &mut Sink) -> bool {
    /// IPv4 header without options (RFC 791).
    const SHORTEST: u16 = 20;
    let Some(first) = raw.length.first() else { return true };
    let possible = raw.length.iter().any(|length| length.value.max >= SHORTEST);
    if !possible {
        let message = format!("no IP packet is as short as {}", ticked(&first.value.to_string()));
        sink.push(Diagnostic::new(Code::CannotMatch, first.span, message).help(format!(
            "write a larger length: it includes the IP header of {SHORTEST} bytes (IPv4) or 40 bytes (IPv6)"
        )));
        return false;
    }
    check_length_of_tcp(raw, first.span, sink)
}

/// Returns `true` if a packet of the required TCP kind can have one of the required lengths; reports an error
/// otherwise.
fn check_length_of_tcp(raw: &RawMatch, place: Span, sink: &mut Sink) -> bool {
    /// Bytes of a TCP header without options and with the most options (RFC 9293, section 3.1).
    const HEADER: (u16, u16) = (20, 60);
    let ip: &[u16] = match raw.family.map(|family| family.value) {
        None => &[20, 40],
        Some(Family::Ipv4) => &[20],
        Some(Family::Ipv6) => &[40],
    };
    let (Some(kind), Some(least), Some(most)) = (raw.tcp.first(), ip.first(), ip.last()) else { return true };
    let (least, most) = (least + HEADER.0, most + HEADER.1);
    // among these kinds, only acknowledgements are meant to have no payload
    let acks = raw.tcp.iter().all(|kind| kind.value == TcpKind::Ack);
    let most = if acks { most } else { u16::MAX };
    let fits = |asked: &Spanned<LengthRange>| asked.value.max >= least && asked.value.min <= most;
    if raw.length.iter().any(fits) {
        return true;
    }
    let (names, asked) = (raw.tcp.iter().map(|kind| kind.value.as_str()), raw.length.iter());
    let asked: Vec<String> = asked.map(|length| length.value.to_string()).collect();
    let subject = match acks {
        true => "acknowledgement".to_owned(),
        false => format!("packet with `tcp: {}`", as_written(names)),
    };
    let message = format!("no {subject} has a length of {}", or_ticked(asked.iter().map(String::as_str)));
    let bytes = if most == u16::MAX { format!("{least} or more") } else { format!("{least} to {most}") };
    sink.push(
        Diagnostic::new(Code::CannotMatch, place, message)
            .also(kind.span, format!("such packets have {bytes} bytes, IP and TCP headers included"))
            .help("remove `length`, or write a length that such packets have"),
    );
    false
}

/// Formats several kinds in YAML notation.
fn as_written<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        all => format!("[{}]", all.join(", ")),
    }
}
