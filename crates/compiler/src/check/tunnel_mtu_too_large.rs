#![doc = include_str!("../rules/Q0804.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Model, Tunnel, TunnelKind};
use crate::units::Family;

pub(super) fn find(model: &Model, tunnel: &Tunnel) -> Option<Diagnostic> {
    let (mtu, (more, made_of)) = (tunnel.mtu.as_ref()?, wraps(tunnel)?);
    let (whole, most) = (mtu.value.saturating_add(more), model.link.mtu.value);
    let place = mtu.given_at().filter(|_| whole > most)?;
    let name = ticked(&tunnel.name);
    let message = format!("full packets of tunnel {name} have {whole} bytes, but the line carries {most}");
    let fits = most.saturating_sub(more);
    Some(
        Diagnostic::new(Code::TunnelMtuTooLarge, place, message)
            .label(format!("plus {more} bytes of encapsulation: {made_of}"))
            .also_at(model.link.mtu.given_at().map(|span| (span, "the MTU of the line")))
            .help(format!("write `mtu: {fits}`, the largest that fits, and set it on the device too")),
    )
}

/// Returns the bytes that a tunnel adds to an IP packet, and their meaning; those of IPv4 if both families are
/// possible. Returns `None` if they depend on the settings of a program.
fn wraps(tunnel: &Tunnel) -> Option<(u32, String)> {
    let ipv6 =
        !tunnel.remote.is_empty() && tunnel.remote.iter().all(|remote| remote.value.family() == Family::Ipv6);
    let any = if ipv6 { ("IPv6", 40) } else { ("IPv4", 20) };
    let (outer, inside): ((&str, u32), &[(&str, u32)]) = match tunnel.kind {
        TunnelKind::Ipip | TunnelKind::Sit => (("IPv4", 20), &[]),
        TunnelKind::Gre => (("IPv4", 20), &[("GRE", 4)]),
        TunnelKind::Ip6tnl => (("IPv6", 40), &[]),
        TunnelKind::Ip6gre => (("IPv6", 40), &[("GRE", 4)]),
        TunnelKind::Wireguard => (any, &[("UDP", 8), ("WireGuard", 32)]),
        TunnelKind::Vxlan => (any, &[("UDP", 8), ("VXLAN", 8), ("Ethernet", 14)]),
        TunnelKind::L2tp | TunnelKind::Openvpn | TunnelKind::Other => return None,
    };
    let parts: Vec<(&str, u32)> = [outer].into_iter().chain(inside.iter().copied()).collect();
    let words: Vec<String> = parts.iter().map(|(what, bytes)| format!("{what} {bytes}")).collect();
    Some((parts.iter().map(|(_, bytes)| bytes).sum(), words.join(" + ")))
}
