//! `match`: names bound, and what no packet can meet.

use super::names::Names;
use super::text;
use super::tunnels::family_name;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, and_ticked, ticked};
use crate::model::{Alternative, Host};
use crate::syntax::raw::{Many, RawMatch};
use crate::units::{Family, PortSet, Protocol};

/// What matches refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    /// The names of the file.
    pub names: &'a Names,
    /// The hosts they stand for.
    pub hosts: &'a [Host],
}

impl Scope<'_> {
    /// Resolves a `match`. An alternative that cannot be is left out; the finding is pushed.
    pub fn alternatives(self, raw: &[RawMatch], sink: &mut Sink) -> Vec<Alternative> {
        raw.iter().filter_map(|raw| self.alternative(raw, sink)).collect()
    }

    fn alternative(self, raw: &RawMatch, sink: &mut Sink) -> Option<Alternative> {
        let hosts: Vec<usize> = raw.host.iter().filter_map(|name| self.names.host(name, sink)).collect();
        let tunnels: Vec<usize> =
            raw.tunnel.iter().filter_map(|name| self.names.tunnel(name, sink)).collect();
        let bound = hosts.len() == raw.host.len() && tunnels.len() == raw.tunnel.len();
        let protocol = protocols(raw, sink);
        let possible = check_length(raw, sink) & self.check_families(raw, &hosts, bound, sink);
        let protocol = protocol?;
        (bound && possible).then(|| Alternative {
            span: raw.span,
            text: text::of(raw),
            hosts,
            local: values(&raw.local),
            remote: values(&raw.remote),
            protocol,
            local_port: ports(&raw.local_port),
            remote_port: ports(&raw.remote_port),
            port: ports(&raw.port),
            dscp: values(&raw.dscp),
            mark: values(&raw.mark),
            tunnels,
            family: raw.family.map(|family| family.value),
            direction: raw.direction.map(|direction| direction.value),
            length: values(&raw.length),
            tcp_ack: raw.tcp_ack.is_some(),
        })
    }

    /// Whether one family is left that all keys allow.
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
            let families: Vec<Family> =
                hosts.flat_map(|host| host.addresses.iter().map(|address| address.value.family())).collect();
            // A host without an address has been found to lack one.
            if !families.is_empty() {
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
        let message = "no packet is of IPv4 and IPv6 at once, as this match would need it";
        let finding = Diagnostic::new(Code::CannotMatch, raw.span, message);
        let finding = asked.into_iter().fold(finding, |finding, (families, span)| {
            match (families.contains(&Family::Ipv4), families.contains(&Family::Ipv6)) {
                (true, false) => finding.also(span, family_name(Family::Ipv4)),
                (false, true) => finding.also(span, family_name(Family::Ipv6)),
                _ => finding,
            }
        });
        sink.push(finding.help("write an alternative for each family"));
        false
    }
}

/// The families that carry a protocol.
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

/// The protocols, with `tcp` where only it can be meant; `None` after a finding.
fn protocols(raw: &RawMatch, sink: &mut Sink) -> Option<Vec<Protocol>> {
    if let Some(ack) = &raw.tcp_ack {
        if let Some(other) = raw.protocol.iter().find(|protocol| protocol.value != Protocol::TCP) {
            let message = format!("{} has no acknowledgements", ticked(&other.value.to_string()));
            sink.push(
                Diagnostic::new(Code::CannotMatch, other.span, message)
                    .also(ack.span, "is TCP only")
                    .help("leave `protocol` out beside `tcp: ack`"),
            );
            return None;
        }
        return Some(vec![Protocol::TCP]);
    }
    let keys = [("local_port", &raw.local_port), ("remote_port", &raw.remote_port), ("port", &raw.port)];
    let Some((key, first)) = keys.iter().find_map(|(key, ports)| ports.first().map(|first| (*key, first)))
    else {
        return Some(values(&raw.protocol));
    };
    // One that could not be read has been found already.
    if raw.protocol.is_empty() && raw.protocol_key.is_some() {
        return None;
    }
    if raw.protocol.is_empty() {
        let message = format!("`{key}` without a `protocol`");
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
            .also(first.span, "these are ports")
            .help("write two alternatives: one with ports, one without"),
    );
    None
}

/// Whether a packet can be as short as asked for.
fn check_length(raw: &RawMatch, sink: &mut Sink) -> bool {
    /// An IPv4 header without options (RFC 791).
    const SHORTEST: u16 = 20;
    let Some(first) = raw.length.first() else { return true };
    let possible = raw.length.iter().any(|length| length.value.max >= SHORTEST);
    if !possible {
        let message = format!("no IP packet is as short as {}", ticked(&first.value.to_string()));
        sink.push(
            Diagnostic::new(Code::CannotMatch, first.span, message)
                .help(format!("lengths count the header: {SHORTEST} bytes in IPv4, 40 in IPv6")),
        );
    }
    possible
}
