//! Section on classification: how a packet finds its class, and why this method was chosen among several.

use super::line::without_frames;
use super::row::{ExplanationRow, ExplanationSection, derived, row, row_as};
use qosc_compiler::model::{Downloads, Field, Ingress, Inner, Marks, Model, Need, Tunnel, TunnelKind};
use qosc_compiler::tc::{Decrypted, INGRESS_LAST_PREF, INGRESS_PREF, Program, own_device_names};
use std::collections::{BTreeMap, BTreeSet};

/// Section on the classification of packets.
pub(super) fn classification(model: &Model, program: &Program) -> ExplanationSection {
    let uploads_ifb = program.uploads_ifb();
    let device = uploads_ifb.as_deref().unwrap_or(model.link.device.value.as_str());
    let [ifb, ..] = own_device_names(&model.name.value);
    let mut words = Vec::new();
    match &model.marks {
        None => words.push(format!(
            "uploads: by the packet alone, by filters at the root of {device}; tc sees everything there that the matches need, so nft is not needed{}",
            if uploads_ifb.is_some() { " for marks" } else { "" }
        )),
        Some(marks) => {
            words.push(format!("uploads: by the packet and its nft mark, by filters at the root of {device}"));
            words.extend(marks.needs.iter().map(because));
        }
    }
    words.push(match (model.link.ingress.value, &model.marks) {
        (Ingress::Shape, None) => format!("downloads: by the packet alone, by filters at the root of {ifb}"),
        (Ingress::Shape, Some(_)) => {
            format!(
                "downloads: by the packet and its connection's mark, which `ctinfo` restores before {ifb}"
            )
        }
        (Ingress::Police, _) => {
            "downloads: one policer limits them all to the rate, without classes".to_owned()
        }
        (Ingress::None, _) => "downloads: not shaped".to_owned(),
    });
    if let Some(ifb) = &uploads_ifb {
        words.push(format!(
            "all uploads of the link pass {ifb}, because a tunnel has `inner: match`: each takes more processor time, and no upload leaves while that device is down"
        ));
    }
    words.extend(model.tunnels.iter().map(|tunnel| {
        let seen = match (tunnel.inner.value, tunnel.kind) {
            (Inner::Match | Inner::Flows, TunnelKind::Wireguard) => return wireguard(tunnel, &ifb),
            (Inner::Match, _) if tunnel.is_matched_behind_nat() => {
                "matches read the inner packets, and know their hosts by the connections; downloads are queued behind the tunnel's device"
            }
            (Inner::Match, _) => "matches read the inner packets behind the outer headers",
            (Inner::Flows, _) => "one class, in which the queue separates the inner flows",
            (Inner::Opaque, _) => "one class, as one flow: the inner packets cannot be read",
        };
        format!("tunnel {}: {seen}", tunnel.name)
    }));
    words.extend(model.link.devices.iter().map(|own| {
        let device = &own.device.value;
        let up = match &own.up {
            Some(up) => format!("the upload classes leave {} free for its uploads", up.value.rounded(4)),
            None => "its uploads are not queued".to_owned(),
        };
        format!(
            "device {device}: its ingress redirects the downloads to {ifb}, where matches with `device` know them; {up}"
        )
    }));
    let mut rows = model.marks.as_ref().map(|marks| rows(model, marks)).unwrap_or_default();
    let decrypted: BTreeMap<&str, &Decrypted> =
        program.decrypted.iter().map(|tunnel| (tunnel.why.name.as_str(), tunnel)).collect();
    rows.extend(model.tunnels.iter().flat_map(|tunnel| charged(tunnel, &decrypted)));
    rows.extend(model.link.devices.iter().map(|own| {
        let device = &own.device.value;
        let (id, what) = (format!("link.devices.{device}.filters"), format!("filters of {device}"));
        let formula = "preferences at its ingress, of IPv4 and of IPv6";
        derived(id, what, format!("{INGRESS_PREF} to {INGRESS_LAST_PREF}"), formula)
    }));
    ExplanationSection { words, ..ExplanationSection::new("how a packet finds its class", rows) }
}

/// Sentence on a WireGuard tunnel. Uploads are seen as the kernel sends them; downloads are queued behind the tunnel's
/// device if possible.
fn wireguard(tunnel: &Tunnel, ifb: &str) -> String {
    let up = match tunnel.queued_before_encryption() {
        Some(_) => "matches read the uploads before they are encrypted",
        None => {
            "uploads are in one class, in which the queue separates the inner flows by the hash that the kernel keeps"
        }
    };
    let down = match (tunnel.decrypted(), &tunnel.downloads) {
        (Some((device, more)), _) => format!(
            "matches read the decrypted downloads, which the ingress of {} redirects to {ifb} and which are charged {} bytes more each{} ({})",
            device.value,
            more.value,
            if tunnel.queued_before_encryption().is_some() { ", as uploads are" } else { "" },
            more.formula().unwrap_or_default(),
        ),
        (None, Some(Downloads::Wrapped(why))) => format!("downloads are one flow, because {why}"),
        (None, _) => "downloads are one flow".to_owned(),
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
fn charged(tunnel: &Tunnel, decrypted: &BTreeMap<&str, &Decrypted>) -> Vec<ExplanationRow> {
    let Some((_, more)) = tunnel.decrypted() else { return Vec::new() };
    let Some(lowered) = decrypted.get(tunnel.name.as_str()) else { return Vec::new() };
    let id = |what: &str| format!("tunnel.{}.{what}", tunnel.name);
    let tags = without_frames()
        .filter_map(|(header, device)| Some((lowered.tags(header)?.to_string(), device.to_owned())));
    let formula = "as many as make a packet that long: the first adds no bytes and each further one 4, after a header of 14";
    vec![
        row(id("more"), format!("bytes around {}", tunnel.name), more),
        derived(id("tags"), format!("VLAN tags on {}", tunnel.name), "by the device", formula)
            .takes([id("more")])
            .parts(tags),
    ]
}

/// Rows on our bits of the mark and the identities that they hold.
fn rows(model: &Model, marks: &Marks) -> Vec<ExplanationRow> {
    let mut rows = vec![row_as("marks.mask", "bits of marks", &marks.mask, hex(marks.mask.value))];
    rows.extend(marks.address.as_ref().map(|field| identities(model, "marks.address", "addresses", field)));
    rows.extend(marks.mac.as_ref().map(|field| identities(model, "marks.mac", "MAC addresses", field)));
    rows.extend(marks.port.as_ref().map(|field| identities(model, "marks.port", "ports of hosts", field)));
    if let Some(field) = &marks.dscp {
        rows.push(row_as("marks.dscp", "the house's DSCP", &field.bits, hex(field.bits.value)));
    }
    if marks.lent != 0 {
        let formula = "bits that matches with `mark` need in downloads";
        rows.push(derived("marks.lent", "only read", hex(marks.lent), formula));
    }
    let mut takes = vec!["marks.mask", "marks.lent"];
    if let Some(flag) = &marks.flag {
        takes.push("marks.flag");
        rows.push(row_as("marks.flag", "flag of a restored mark", &flag.bit, hex(flag.bit.value)));
        if let Some(shared) = flag.shared {
            let formula = "one more bit that every match of the flag reads; all need 0 in both";
            let both = hex(flag.bit.value | shared.spoiler);
            rows.push(derived("marks.spoiled", "if the flag is set", both, formula).takes(["marks.flag"]));
            let formula = "the bits that the other matches read";
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

/// Row on the bits of a field, with its identities except for the devices of prefixes.
fn identities(model: &Model, id: &str, what: &str, field: &Field) -> ExplanationRow {
    let devices = model.hosts.iter().filter(|host| host.of.is_some());
    let devices: BTreeSet<&str> = devices.map(|host| host.name.as_str()).collect();
    let part = |identity: &qosc_compiler::model::Identity| {
        (hex(qosc_compiler::model::scatter(identity.number, field.bits.value)), identity.name.clone())
    };
    let names =
        |own: &&qosc_compiler::model::Identity| own.name.split(", ").any(|name| devices.contains(name));
    let shown = field.identities.iter().filter(|own| !names(own)).map(part);
    row_as(id, what, &field.bits, hex(field.bits.value)).parts(shown)
}

fn hex(bits: u32) -> String {
    format!("{bits:#010x}")
}
