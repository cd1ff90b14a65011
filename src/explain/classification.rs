//! Section on classification: how a packet finds its class, and why this method was chosen among several.

use super::line::without_frames;
use super::row::{Row, Section, derived, row, row_as};
use crate::model::{Downloads, Field, Ingress, Inner, Marks, Model, Need, Tunnel, TunnelKind};
use crate::tc::Program;

/// Section on the classification of packets.
pub(super) fn classification(model: &Model, program: &Program) -> Section {
    let device = model.link.device.value.as_str();
    let ifb = format!("ifb-{}", model.name.value.as_str());
    let mut words = Vec::new();
    match &model.marks {
        None => words.push(format!(
            "uploads: by the packet alone, at the root of {device}; tc can see there all that the matches ask, and nft is not needed"
        )),
        Some(marks) => {
            words.push(format!("uploads: by the packet and the mark that nft gave it, at the root of {device}"));
            words.extend(marks.needs.iter().map(because));
        }
    }
    words.push(match (model.link.ingress.value, &model.marks) {
        (Ingress::Shape, None) => format!("downloads: by the packet alone, at the root of {ifb}"),
        (Ingress::Shape, Some(_)) => {
            format!(
                "downloads: by the packet and the mark of its connection, restored before {ifb} by `ctinfo`"
            )
        }
        (Ingress::Police, _) => {
            "downloads: all held to the rate by one police, and not told apart".to_owned()
        }
        (Ingress::None, _) => "downloads: left alone".to_owned(),
    });
    words.extend(model.tunnels.iter().map(|tunnel| {
        let seen = match (tunnel.inner.value, tunnel.kind) {
            (Inner::Match, _) => "matches see the packets inside, where they stand behind the outer headers",
            (Inner::Flows, TunnelKind::Wireguard) => return wireguard(tunnel, &ifb),
            (Inner::Flows, _) => "one class, in which the flows inside stay apart",
            (Inner::Opaque, _) => "one class, and nothing is known of its inside",
        };
        format!("tunnel {}: {seen}", tunnel.name)
    }));
    let mut rows = model.marks.as_ref().map(rows).unwrap_or_default();
    rows.extend(model.tunnels.iter().flat_map(|tunnel| charged(tunnel, program)));
    Section { words, ..Section::new("how a packet finds its class", rows) }
}

/// Sentence on a WireGuard tunnel. Uploads are seen as the kernel sends them; downloads are queued behind the tunnel's
/// device if possible.
fn wireguard(tunnel: &Tunnel, ifb: &str) -> String {
    let up = "upwards one class, in which its flows stay apart by the hash that the kernel keeps of each";
    let down = match (tunnel.decrypted(), &tunnel.downloads) {
        (Some((device, more)), _) => format!(
            "downwards matches see the packets inside: they go to {ifb} from the ingress of {}, charged {} bytes more each ({})",
            device.value,
            more.value,
            more.formula().unwrap_or_default(),
        ),
        (None, Some(Downloads::Wrapped(why))) => format!("downwards one flow, since {why}"),
        (None, _) => "downwards one flow".to_owned(),
    };
    format!("tunnel {}: {up}; {down}", tunnel.name)
}

fn because(need: &Need) -> String {
    let place = match need.span.own_line() {
        Some(line) => format!("line {line}"),
        None => "a built-in set of classes".to_owned(),
    };
    format!("  because {} ({place})", need.what)
}

/// Rows on the length that a tunnel's decrypted downloads gain before they reach the ifb.
fn charged(tunnel: &Tunnel, program: &Program) -> Vec<Row> {
    let Some((_, more)) = tunnel.decrypted() else { return Vec::new() };
    let Some(lowered) = program.decrypted.iter().find(|own| own.why.name == tunnel.name) else {
        return Vec::new();
    };
    let id = |what: &str| format!("tunnel.{}.{what}", tunnel.name);
    let tags = without_frames().map(|(header, device)| (lowered.tags(header).to_string(), device.to_owned()));
    let formula =
        "as many as make a packet that long: the first costs no bytes, each more 4, behind a header of 14";
    vec![
        row(id("more"), format!("bytes around {}", tunnel.name), more),
        derived(id("tags"), format!("VLAN tags on {}", tunnel.name), "by the device", formula)
            .takes([id("more")])
            .parts(tags),
    ]
}

/// Rows on our bits of the mark and the identities that they hold.
fn rows(marks: &Marks) -> Vec<Row> {
    let mut rows = vec![row_as("marks.mask", "bits of marks", &marks.mask, hex(marks.mask.value))];
    rows.extend(marks.address.as_ref().map(|field| identities("marks.address", "addresses", field)));
    rows.extend(marks.mac.as_ref().map(|field| identities("marks.mac", "MAC addresses", field)));
    if let Some(field) = &marks.dscp {
        rows.push(row_as("marks.dscp", "the house's DSCP", &field.bits, hex(field.bits.value)));
    }
    if marks.lent != 0 {
        let formula = "what matches ask of downloads with `mark`";
        rows.push(derived("marks.lent", "only read", hex(marks.lent), formula));
    }
    let mut takes = vec!["marks.mask", "marks.lent"];
    if let Some(flag) = &marks.flag {
        takes.push("marks.flag");
        rows.push(row_as("marks.flag", "flag of a restored mark", &flag.bit, hex(flag.bit.value)));
        if let Some(shared) = flag.shared {
            let formula = "a bit at which every match looks that looks at the flag; all want 0 at both";
            let both = hex(flag.bit.value | shared.spoiler);
            rows.push(
                derived("marks.spoiled", "if it has the flag itself", both, formula).takes(["marks.flag"]),
            );
            let formula = "the bits at which the other matches look";
            rows.push(
                derived("marks.rest", "then restored", hex(shared.rest), formula).takes(["marks.lent"]),
            );
        }
    }
    let formula = match marks.flag {
        None => "the bits of marks and those that are only read",
        Some(_) => "the bits of marks and those that are only read, without the flag",
    };
    rows.push(derived("marks.restored", "restored", hex(marks.restored()), formula).takes(takes));
    rows
}

fn identities(id: &str, what: &str, field: &Field) -> Row {
    let part = |identity: &crate::model::Identity| {
        (hex(crate::model::scatter(identity.number, field.bits.value)), identity.name.clone())
    };
    row_as(id, what, &field.bits, hex(field.bits.value)).parts(field.identities.iter().map(part))
}

fn hex(bits: u32) -> String {
    format!("{bits:#010x}")
}
