//! Resolves `tunnels`: the visibility of inner packets, ports and the place where downloads are queued.

use super::lan::given;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, and_ticked, ticked};
use crate::model::{
    Alternative, Direction, Downloads, Frames, Inner, Model, Police, Tunnel, TunnelKind, Val,
};
use crate::syntax::raw::RawTunnel;
use crate::units::{Family, IfName, PortRange, PortSet, Protocol};
use std::collections::BTreeMap;

/// Properties of a kind of tunnel.
struct TunnelTraits {
    /// Name of the kind in the file.
    name: &'static str,
    /// Family of the outer packets, if there is only one.
    outer: Option<Family>,
    /// Default port, if the kind has ports.
    port: Option<u16>,
    /// Best visibility of inner packets that the kind allows.
    most: Inner,
    /// Default visibility.
    default: Inner,
    /// Reason for the limit.
    why: &'static str,
}

const fn kind(kind: TunnelKind) -> TunnelTraits {
    use Inner::{Flows, Match, Opaque};
    const OPEN: &str = "its packets are not encrypted, so all of them can be read";
    let (name, outer, port, most, default, why) = match kind {
        TunnelKind::Ipip => ("ipip", Some(Family::Ipv4), None, Match, Match, OPEN),
        TunnelKind::Sit => ("sit", Some(Family::Ipv4), None, Match, Match, OPEN),
        TunnelKind::Gre => ("gre", Some(Family::Ipv4), None, Match, Match, OPEN),
        TunnelKind::Ip6tnl => ("ip6tnl", Some(Family::Ipv6), None, Match, Match, OPEN),
        TunnelKind::Ip6gre => ("ip6gre", Some(Family::Ipv6), None, Match, Match, OPEN),
        TunnelKind::Vxlan => ("vxlan", None, Some(4789), Match, Match, OPEN),
        TunnelKind::Wireguard => {
            ("wireguard", None, Some(51820), Match, Flows, "the kernel keeps only the hash of a flow")
        }
        TunnelKind::L2tp => (
            "l2tp",
            None,
            Some(1701),
            Opaque,
            Opaque,
            "all its packets have the same outer ports, so the queues see one flow",
        ),
        TunnelKind::Openvpn => (
            "openvpn",
            None,
            Some(1194),
            Opaque,
            Opaque,
            "a program encrypts its packets, and the kernel sees nothing of the inside",
        ),
        TunnelKind::Other => ("other", None, None, Opaque, Opaque, "qosc knows nothing about its packets"),
    };
    TunnelTraits { name, outer, port, most, default, why }
}

/// Returns a rank: more visibility gives a higher number.
const fn shows(inner: Inner) -> u8 {
    match inner {
        Inner::Opaque => 0,
        Inner::Flows => 1,
        Inner::Match => 2,
    }
}

const fn inner_name(inner: Inner) -> &'static str {
    match inner {
        Inner::Opaque => "opaque",
        Inner::Flows => "flows",
        Inner::Match => "match",
    }
}

/// Resolves one tunnel. If its kind is missing, which the reader has already reported, a placeholder kind without
/// further requirements is used.
pub(super) fn resolve(raw: &RawTunnel, sink: &mut Sink) -> Tunnel {
    let mut unsaid = Sink::default();
    let sink = if raw.kind.is_some() { sink } else { &mut unsaid };
    let given_kind = raw.kind.map_or(TunnelKind::Other, |kind| kind.value);
    let kind = kind(given_kind);
    let name = ticked(&raw.name.value);
    let inner = match raw.inner {
        None => Val::default(kind.default, format!("the best for kind `{}`", kind.name)),
        Some(inner) if shows(inner.value) > shows(kind.most) => {
            sink.push(too_much(&name, &kind, inner));
            Val::default(kind.default, "refused")
        }
        Some(inner) => Val::given(inner.value, inner.span),
    };
    check_remote(raw, &name, &kind, sink);
    let nat =
        raw.nat.filter(|nat| !nat.value || translates(*nat, &name, given_kind, &kind, inner.value, sink));
    Tunnel {
        name: raw.name.value.clone(),
        span: raw.name.span,
        kind: given_kind,
        device: raw.device.as_ref().map(|device| Val::given(device.value.clone(), device.span)),
        remote: given(&raw.remote),
        port: port(raw, &name, &kind, sink),
        mtu: raw.mtu.map(|mtu| Val::given(mtu.value, mtu.span)),
        inner,
        nat: nat.map_or_else(
            || Val::default(false, "most routers do not"),
            |nat| Val::given(nat.value, nat.span),
        ),
        downloads: None,
    }
}

/// Returns `true` if the classes can look behind a translation of addresses at the tunnel's device; reports it if not.
fn translates(
    nat: Spanned<bool>,
    name: &str,
    given: TunnelKind,
    kind: &TunnelTraits,
    inner: Inner,
    sink: &mut Sink,
) -> bool {
    let why = match given {
        _ if inner == Inner::Opaque => "no match sees the packets inside",
        TunnelKind::Sit => "it carries only IPv6, and `nat` means IPv4",
        TunnelKind::Vxlan => "qosc cannot queue downloads behind its Ethernet device",
        _ => return true,
    };
    let message = format!("tunnel {name} cannot have `nat: true`");
    let finding = Diagnostic::new(Code::BadChoice, nat.span, message);
    let finding = finding.label(format!("kind `{}`: {why}", kind.name));
    sink.push(finding.help("remove `nat`, and match by port, protocol or `remote` instead of by host"));
    false
}

/// Bytes that WireGuard adds to a packet besides IP and UDP: type, receiver, counter and authentication tag.
const WIREGUARD: u32 = 32;

/// Largest padding in bytes. WireGuard pads to 16 bytes; this is the maximum for packets whose length is a multiple of
/// four.
const PADDING: u32 = 12;

/// Determines where the downloads of each tunnel are queued whose outer packets do not show enough.
pub(super) fn settle(model: &mut Model) {
    let shared = SharedDevices::of(&model.tunnels);
    let downward = || model.police.iter().filter(|police| police.direction == Direction::Down);
    let of_udp = downward().find(|police| police.matches.iter().any(may_be_udp));
    let of_any = downward().next();
    let found = model.tunnels.iter().map(|tunnel| {
        let police = if tunnel.kind == TunnelKind::Wireguard { of_udp } else { of_any };
        downloads(tunnel, model, &shared, police)
    });
    let found: Vec<_> = found.collect();
    for (tunnel, downloads) in model.tunnels.iter_mut().zip(found) {
        tunnel.downloads = downloads;
    }
}

/// For each device, the first tunnel that has it and the first of another name.
struct SharedDevices<'a>(BTreeMap<&'a IfName, (&'a str, Option<&'a str>)>);

impl<'a> SharedDevices<'a> {
    fn of(tunnels: &'a [Tunnel]) -> Self {
        let mut devices = BTreeMap::new();
        for tunnel in tunnels {
            let Some(device) = &tunnel.device else { continue };
            let name = tunnel.name.as_str();
            let (first, other) = devices.entry(&device.value).or_insert((name, None));
            if name != *first {
                other.get_or_insert(name);
            }
        }
        SharedDevices(devices)
    }

    /// Returns the name of the first other tunnel with the same device.
    fn other(&self, name: &str, device: &IfName) -> Option<&'a str> {
        let (first, other) = self.0.get(device)?;
        if *first == name { *other } else { Some(first) }
    }
}

fn downloads(
    tunnel: &Tunnel,
    model: &Model,
    shared: &SharedDevices<'_>,
    police: Option<&Police>,
) -> Option<Downloads> {
    let is_hidden = tunnel.kind == TunnelKind::Wireguard || tunnel.nat.value;
    if !is_hidden || tunnel.inner.value == Inner::Opaque {
        return None;
    }
    let wrapped = wrapped(tunnel, model, shared, police);
    Some(wrapped.map_or_else(|| Downloads::Decrypted(longer(tunnel)), Downloads::Wrapped))
}

/// Returns the reason why downloads are queued as outer packets; `None` if they are queued as inner packets.
fn wrapped(
    tunnel: &Tunnel,
    model: &Model,
    shared: &SharedDevices<'_>,
    police: Option<&Police>,
) -> Option<String> {
    let link = &model.link;
    let Some(device) = &tunnel.device else {
        return Some("the tunnel has no `device`, so its inner packets cannot be queued".to_owned());
    };
    let is_asked = tunnel.inner.value == Inner::Match;
    if tunnel.inner.span().is_some() && !is_asked {
        Some("`inner: flows` is set".to_owned())
    } else if !link.shapes(Direction::Down) {
        Some("downloads are not shaped".to_owned())
    } else if link.frames.value == Frames::Pppoe {
        Some("packets of the tunnel cannot be recognized in PPPoE frames".to_owned())
    } else if link.engine.down.value.is_cake() {
        Some("CAKE schedules downloads, and it cannot count the tunnel's header".to_owned())
    } else if device.value == link.device.value {
        Some("its device is the WAN device".to_owned())
    } else if link.devices.iter().any(|own| own.device.value == device.value) {
        Some("its device is in `link.devices`".to_owned())
    } else if let Some(other) = shared.other(&tunnel.name, &device.value) {
        Some(format!("tunnel `{other}` has the same device"))
    } else {
        police.map(|police| format!("police `{}` may cap its packets as they come in", police.name))
    }
}

/// Returns `true` if an alternative may match UDP packets from anywhere.
fn may_be_udp(alternative: &Alternative) -> bool {
    let protocol = &alternative.protocol;
    alternative.tcp.is_empty() && (protocol.is_empty() || protocol.contains(&Protocol::UDP))
}

/// Returns the number of bytes that the tunnel adds to a packet on the line.
fn longer(tunnel: &Tunnel) -> Val<u32> {
    let plain = match tunnel.kind {
        TunnelKind::Ip6tnl => Some((40, "IPv6 40")),
        TunnelKind::Ip6gre => Some((44, "IPv6 40 + GRE 4")),
        TunnelKind::Gre => Some((24, "IPv4 20 + GRE 4")),
        TunnelKind::Ipip => Some((20, "IPv4 20")),
        _ => None,
    };
    if let Some((bytes, formula)) = plain {
        return Val::derived(bytes, formula, None);
    }
    let ipv6 =
        tunnel.remote.is_empty() || tunnel.remote.iter().any(|remote| remote.value.family() == Family::Ipv6);
    let (name, ip) = if ipv6 { ("IPv6", 40) } else { ("IPv4", 20) };
    let formula = format!("{name} {ip} + UDP 8 + WireGuard {WIREGUARD} + padding {PADDING}");
    Val::derived(ip + 8 + WIREGUARD + PADDING, formula, tunnel.remote.first().and_then(Val::span))
}

fn too_much(name: &str, kind: &TunnelTraits, inner: Spanned<Inner>) -> Diagnostic {
    let message = format!("tunnel {name} cannot have `inner: {}`", inner_name(inner.value));
    Diagnostic::new(Code::BadChoice, inner.span, message)
        .label(format!("kind `{}`: {}", kind.name, kind.why))
        .help(format!("remove `inner`, or write `inner: {}`", inner_name(kind.most)))
}

fn check_remote(raw: &RawTunnel, name: &str, kind: &TunnelTraits, sink: &mut Sink) {
    for remote in &raw.remote {
        let family = remote.value.family();
        if let Some(outer) = kind.outer.filter(|outer| *outer != family) {
            let message =
                format!("the other end of tunnel {name} cannot be {}", ticked(&remote.value.to_string()));
            let label = format!("the outer packets of kind `{}` are {}", kind.name, family_name(outer));
            sink.push(Diagnostic::new(Code::BadAddress, remote.span, message).label(label).help(format!(
                "write the {} address of the other end, or another `kind`",
                family_name(outer)
            )));
        }
    }
    if kind.name == "other" && raw.remote.is_empty() {
        let message = format!("tunnel {name} has no `remote`, and nothing else identifies its packets");
        sink.push(
            Diagnostic::new(Code::MissingKey, raw.name.span, message)
                .help("write the address of the other end, such as `remote: 198.51.100.7`"),
        );
    }
}

/// Returns the name of a family for people.
const fn family_name(family: Family) -> &'static str {
    match family {
        Family::Ipv4 => "IPv4",
        Family::Ipv6 => "IPv6",
    }
}

fn port(raw: &RawTunnel, name: &str, kind: &TunnelTraits, sink: &mut Sink) -> Option<PortSet> {
    let Some(first) = raw.port.first() else {
        return kind.port.map(|port| PortSet::from_iter([PortRange { first: port, last: port }]));
    };
    if kind.port.is_none() {
        let message = format!("tunnel {name} cannot have a `port`");
        let with_ports = [TunnelKind::Wireguard, TunnelKind::Openvpn, TunnelKind::Vxlan, TunnelKind::L2tp];
        let names = and_ticked(with_ports.map(|with| self::kind(with).name));
        sink.push(
            Diagnostic::new(Code::BadChoice, span_of(raw, first.span), message)
                .label(format!("kind `{}` has no ports", kind.name))
                .help(format!("remove `port`; the kinds with ports are {names}")),
        );
        return None;
    }
    Some(raw.port.iter().map(|port| port.value).collect())
}

/// Returns the range from the first to the last of the tunnel's ports.
fn span_of(raw: &RawTunnel, first: Span) -> Span {
    raw.port.last().map_or(first, |last| Span { end: last.span.end.max(first.end), ..first })
}
