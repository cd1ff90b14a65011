#![doc = include_str!("../rules/Q0804.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{FileSection, Model, Tunnel, TunnelKind};
use crate::units::Family;

pub(super) const RULE: Rule = Rule {
    name: "tunnel-mtu-too-large",
    codes: &[Code::TunnelMtuTooLarge],
    sections: &[FileSection::Link, FileSection::Tunnels],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    for tunnel in &model.tunnels {
        let (Some(mtu), Some((more, made_of))) = (&tunnel.mtu, wraps(tunnel)) else { continue };
        let Some(place) = mtu.given_at() else { continue };
        let (whole, most) = (mtu.value.saturating_add(more), model.link.mtu.value);
        if whole <= most {
            continue;
        }
        let message = format!(
            "full packets of tunnel {} have {whole} bytes, but the line carries {most}",
            ticked(&tunnel.name)
        );
        let finding = Diagnostic::new(Code::TunnelMtuTooLarge, place, message)
            .label(format!("plus {more} bytes of encapsulation: {made_of}"));
        let mtu = model.link.mtu.given_at();
        let finding = finding.also_at(mtu.map(|span| (span, "the MTU of the line")));
        sink.push(finding.help(format!(
            "write `mtu: {}`, the largest that fits, and set it on the device too",
            most.saturating_sub(more)
        )));
    }
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
