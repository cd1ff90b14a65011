#![doc = include_str!("../../../../docs/rules/Q0901.md")]

use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{
    Alternative, Class, Direction, Downloads, Frames, Inner, Model, Share, TunnelKind, in_match_order,
};

pub(super) fn find(model: &Model, sink: &mut Sink) {
    marks_in_frames(model, sink);
    inside_of_wireguard(model, sink);
    translated_downloads(model, sink);
    translated_hosts(model, sink);
    lan_in_frames(model, sink);
    other_devices(model, sink);
}

fn refuse(place: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::Unsupported, place, message)
}

/// Reports downloads by other devices of the line where no queue can take them, and policers that match such a device:
/// they are at the WAN device.
fn other_devices(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let Some(first) = link.devices.first().and_then(|own| own.device.span()) else { return };
    if !link.shapes(Direction::Down) {
        sink.push(
            refuse(first, "downloads by `devices` can only be queued if those of the WAN device are")
                .also_at(link.ingress.span().map(|span| (span, "chosen here")))
                .help("write `ingress: shape`, or remove `devices`"),
        );
    }
    if link.frames.value == Frames::Pppoe {
        let message = "a line cannot have `devices` beside a WAN device with PPPoE frames";
        sink.push(in_frames(model, refuse(first, message)));
    }
    for own in model.police.iter().flat_map(|police| &police.matches).filter(|own| !own.devices.is_empty()) {
        let finding = refuse(own.span, "a policer sees only packets of the WAN device");
        sink.push(finding.help("match the `device` in a class, and give the class a `ceiling`"));
    }
}

/// Reports a LAN that shall bypass the shaper of a device that carries PPPoE frames: its packets are in no such frame.
fn lan_in_frames(model: &Model, sink: &mut Sink) {
    let (shaped, frames) = (&model.lan.shaped, &model.link.frames);
    let Some(span) = shaped.span().filter(|_| !shaped.value && frames.value == Frames::Pppoe) else { return };
    let message = "packets of the LAN cannot bypass the shaper of a device with PPPoE frames";
    sink.push(in_frames(model, refuse(span, message)));
}

/// Adds the place where the PPPoE frames were chosen, and the cure.
fn in_frames(model: &Model, finding: Diagnostic) -> Diagnostic {
    let chosen = model.link.frames.span().map(|span| (span, "chosen here"));
    finding.also_at(chosen).help("shape the PPP device of the session, on the router that ends it")
}

/// Reports matches that need marks, on a device that carries PPPoE frames through the router: no mark is visible there.
fn marks_in_frames(model: &Model, sink: &mut Sink) {
    let is_framed = model.link.frames.value == Frames::Pppoe;
    for need in model.marks.iter().filter(|_| is_framed).flat_map(|marks| &marks.needs) {
        let message = "this cannot be matched in PPPoE frames that only pass through the router";
        sink.push(
            in_frames(model, refuse(need.span, message).label(need.what.clone()))
                .help("or match by port, protocol or `remote`; if the router does not translate addresses, write `nat: false` in `lan`"),
        );
    }
}

/// Reports WireGuard tunnels whose file asks to match the inner packets of uploads, if these cannot be queued before they
/// are encrypted.
fn inside_of_wireguard(model: &Model, sink: &mut Sink) {
    let police = model.police.iter().find(|police| police.direction == Direction::Up);
    let encrypted = model.tunnels.iter().filter(|tunnel| tunnel.kind == TunnelKind::Wireguard);
    for tunnel in encrypted.filter(|tunnel| tunnel.inner.value == Inner::Match) {
        let (why, cure) = match (&tunnel.downloads, police) {
            (Some(Downloads::Wrapped(why)), _) => {
                (why.clone(), "its uploads are queued at its device only if its downloads are")
            }
            _ if model.link.engine.up.value.is_cake() => (
                "CAKE schedules uploads, and it cannot count the tunnel's header".to_owned(),
                "use HTB for uploads",
            ),
            (_, Some(police)) => (
                format!("police `{}` caps uploads before they are queued", police.name),
                "give the class a `ceiling` instead of `police`",
            ),
            _ => continue,
        };
        let message = format!("uploads inside tunnel {} cannot be matched", ticked(&tunnel.name));
        sink.push(refuse(tunnel.inner.span().unwrap_or(tunnel.span), message).label(why).help(cure).help(
            "or leave `inner` out: uploads are queued by flow, and downloads are matched after decryption",
        ));
    }
}

/// Reports tunnels at whose device addresses are translated and whose downloads can only be queued as outer packets, in
/// which no match knows a host.
fn translated_downloads(model: &Model, sink: &mut Sink) {
    let policed = model.police.iter().any(|police| police.direction == Direction::Down);
    if !policed && !model.link.shapes(Direction::Down) {
        return;
    }
    for tunnel in model.tunnels.iter().filter(|tunnel| tunnel.kind != TunnelKind::Wireguard) {
        let (Inner::Match, Some(Downloads::Wrapped(why))) = (tunnel.inner.value, &tunnel.downloads) else {
            continue;
        };
        let message = format!("downloads inside tunnel {} cannot be matched", ticked(&tunnel.name));
        let cure = match tunnel.device {
            None => "give the tunnel a `device` of its own",
            Some(_) => "use HTB for downloads, and `police` only for uploads",
        };
        sink.push(
            refuse(tunnel.nat.span().unwrap_or(tunnel.span), message)
                .label(format!("behind its device they could, but {why}"))
                .help(format!("{cure}; if no match needs to see inside the tunnel, write `inner: flows`")),
        );
    }
}

/// Reports classes that share between hosts and get uploads of a tunnel at whose device addresses are translated.
fn translated_hosts(model: &Model, sink: &mut Sink) {
    for (index, tunnel) in model.tunnels.iter().enumerate() {
        let hidden = tunnel.kind == TunnelKind::Wireguard && tunnel.queued_before_encryption().is_none();
        if !tunnel.nat.value || hidden {
            continue;
        }
        let Some(class) = shares_uploads(model, index) else { continue };
        let (name, class_name) = (&tunnel.name, ticked(&class.name));
        let share = class.leaf().and_then(|leaf| leaf.share.up.span());
        let message = format!("class {class_name} cannot share uploads of tunnel {} per host", ticked(name));
        sink.push(
            refuse(share.unwrap_or(class.span), message)
                .label("CAKE knows a host by its address, and inside the tunnel all have one")
                .also_at(tunnel.nat.span().map(|span| (span, "translated here")))
                .help("write `share: per-flow` (a built-in set of classes shares per host: write your own `classes`)")
                .help(format!("or add a class before this one that takes these uploads: `match: {{ tunnel: {name}, direction: up }}`; a `police` can limit the uploads of a host there")),
        );
    }
}

/// Returns a class that shares uploads between hosts and may get uploads of a tunnel.
fn shares_uploads(model: &Model, tunnel: usize) -> Option<&Class> {
    let some = |own: &&Alternative| {
        own.direction != Some(Direction::Down) && (own.tunnels.is_empty() || own.tunnels.contains(&tunnel))
    };
    let all = |own: &&Alternative| !own.tunnels.is_empty() && own.hosts.is_empty() && own.asks_at_most_ends();
    let matched = in_match_order(&model.classes, &mut |_, own, outer: Option<&(bool, bool)>| {
        let (outer_some, outer_all) = outer.copied().unwrap_or((true, true));
        let mut own = own.iter().filter(some).peekable();
        (outer_some && own.peek().is_some(), outer_all && own.any(|own| all(&own)))
    });
    let is_shared = |class: &&Class| class.leaf().is_some_and(|leaf| leaf.share.up.value == Share::PerHost);
    for leaf in matched {
        let (some, all) = leaf.packets;
        if some && is_shared(&leaf.class) {
            return Some(leaf.class);
        }
        if all {
            return None;
        }
    }
    let homes = model.hosts.iter().map(|host| host.home.value);
    let default = model.default_leaf().map(|class| class.id.value);
    let last: std::collections::BTreeSet<_> = homes.chain(default).collect();
    model.leaves().into_iter().filter(|class| last.contains(&class.id.value)).find(is_shared)
}
