//! Sections on the line and on the kernel's overhead options.

use super::row::{ExplanationRow, ExplanationSection, derived, fixed, row, row_as};
use qosc_compiler::derive::POLICE_MTU;
use qosc_compiler::model::{Direction, Engine, Frames, Ingress, Layer, Link, Model, Vary};
use qosc_compiler::profile;
use qosc_compiler::tc::{CakeOverhead, Hook, Overhead, Stab};

/// Bytes of header above IP that a qdisc counts, and the kinds of WAN devices with such headers.
pub(super) const DEVICES: [(u32, &str); 3] =
    [(14, "Ethernet or VLAN"), (22, "Ethernet that carries PPPoE frames"), (0, "ppp, tun and the like")];

/// Kinds of devices that carry no PPPoE frames. In PPPoE frames, the packets of a tunnel cannot be matched.
pub(super) fn without_frames() -> impl Iterator<Item = (u32, &'static str)> {
    DEVICES.into_iter().filter(|(header, _)| *header <= 14)
}

/// Section on the numbers of the link.
pub(super) fn link(model: &Model) -> ExplanationSection {
    let link = &model.link;
    let mut rows = vec![
        row_as("link.name", "name", &model.name, model.name.value.as_str()),
        row_as("link.device", "device", &link.device, link.device.value.as_str()),
        row("link.profile", "profile", &link.profile),
    ];
    rows.extend(Direction::BOTH.into_iter().filter_map(|direction| {
        let name = direction.as_str();
        Some(row(format!("link.line.{name}"), format!("line {name}"), link.line_rate(direction)?))
    }));
    rows.extend([
        row_as("link.layer", "layer", &link.layer, link.layer.value.as_str()).follows("link.profile"),
        overhead(model),
        row("link.mpu", "mpu", &link.mpu).follows("link.profile"),
        row("link.mtu", "mtu", &link.mtu).follows("link.profile"),
    ]);
    rows.extend(Direction::BOTH.map(|direction| margin(link, direction)));
    rows.extend(
        link.uploads_aside(Direction::Up).map(|(device, up)| {
            row(format!("link.devices.{device}.up"), format!("set aside for {device}"), up)
        }),
    );
    for direction in Direction::BOTH {
        let name = direction.as_str();
        let (id, what) = (format!("link.shaped.{name}"), format!("shaped {name}"));
        let shaped = link.shaped.get(direction);
        rows.push(match link.margin(direction) {
            None => derived(id, what, shaped.value, "given as `shaped`").written(shaped.value, shaped.span()),
            Some(_) => row(id, what, shaped).takes([
                format!("link.line.{name}"),
                "link.layer".to_owned(),
                format!("link.margin.{name}"),
            ]),
        });
    }
    rows.extend(Direction::BOTH.into_iter().filter_map(|direction| tree(model, direction)));
    rows.extend(link.vary.as_ref().map(vary).into_iter().flatten());
    rows.push(row_as("link.ingress", "ingress", &link.ingress, link.ingress.value.as_str()));
    for direction in Direction::BOTH {
        let (name, engine) = (direction.as_str(), link.engine.get(direction));
        if engine.value != Engine::Htb {
            let id = format!("link.engine.{name}");
            rows.push(row_as(id, format!("engine {name}"), engine, engine.value.as_str()));
        }
    }
    for direction in Direction::BOTH.into_iter().filter(|direction| *link.wash.get(*direction)) {
        let name = direction.as_str();
        rows.push(fixed(format!("link.wash.{name}"), format!("wash {name}"), true, "`wash` of `link`"));
    }
    if link.frames.value != Frames::Auto {
        rows.push(row_as("link.frames", "frames", &link.frames, link.frames.value.as_str()));
    }
    ExplanationSection::new("the line", rows)
}

/// Row on the margin, which follows from a given shaped rate or determines it.
fn margin(link: &Link, direction: Direction) -> ExplanationRow {
    let name = direction.as_str();
    let row = row(format!("link.margin.{name}"), format!("margin {name}"), link.margin.get(direction));
    match (link.margin(direction), link.line_rate(direction)) {
        (Some(_), _) => row.follows("link.profile"),
        (None, Some(_)) => {
            row.takes([format!("link.line.{name}"), "link.layer".to_owned(), format!("link.shaped.{name}")])
        }
        (None, None) => row,
    }
}

/// Rows on the bounds of a line that varies.
fn vary(vary: &Vary) -> Vec<ExplanationRow> {
    let bounds = Direction::BOTH.into_iter().filter_map(|direction| {
        let (name, own) = (direction.as_str(), vary.bounds.get(direction).as_ref()?);
        let [low, high] = own.value;
        Some(row_as(format!("link.vary.{name}"), format!("varies {name}"), own, format!("{low} to {high}")))
    });
    let delay = row("link.vary.delay", "added delay", &vary.delay);
    bounds.chain([delay]).chain(vary.probe.iter().map(|own| row("link.vary.probe", "probe", own))).collect()
}

/// Row on the rate that the classes share.
fn tree(model: &Model, direction: Direction) -> Option<ExplanationRow> {
    let (link, name) = (&model.link, direction.as_str());
    let (tree, shaped) = (link.tree.get(direction), link.shaped.get(direction));
    if direction == Direction::Down && link.ingress.value == Ingress::None {
        return None;
    }
    let id = format!("link.tree.{name}");
    let what = format!("for classes {name}");
    let aside = model.police.iter().filter(|police| police.bypass && police.direction == direction);
    let devices = link.uploads_aside(direction).map(|(device, _)| format!("link.devices.{device}.up"));
    let takes = aside.map(|police| format!("police.{}.rate", police.name)).chain(devices);
    let takes = takes.chain([format!("link.shaped.{name}")]);
    let row = if tree == shaped {
        derived(id, what, tree.value, "the shaped rate: no policer bypasses the shaper")
    } else {
        row(id, what, tree)
    };
    Some(row.takes(takes))
}

/// Row on the overhead, with its components if the profile knows them.
fn overhead(model: &Model) -> ExplanationRow {
    let link = &model.link;
    let profile = profile::find(&link.profile.value).filter(|p| p.overhead == link.overhead.value);
    let bytes = profile.into_iter().flat_map(|profile| profile.bytes);
    row("link.overhead", "overhead", &link.overhead)
        .follows("link.profile")
        .parts(bytes.map(|(bytes, what)| (bytes.to_string(), what)))
}

/// Section on the overhead options. Their values depend on the header bytes that the device counts by itself.
pub(super) fn charge(model: &Model) -> ExplanationSection {
    let link = &model.link;
    let above = link.overhead.value;
    let overhead = Overhead::AboveIp(above);
    let on =
        |shown: &dyn Fn(u32) -> String| DEVICES.map(|(header, device)| (shown(header), device.to_owned()));
    let mut rows = vec![
        derived(
            "charge.overhead",
            "overhead, HTB and police",
            format!("{above} less the device's"),
            format!("{above} - what the device counts by itself, no less than 0"),
        )
        .takes(["link.overhead"])
        .parts(on(&|header| overhead.with_header(header).to_string())),
    ];
    if model.police.iter().any(|police| police.direction == Direction::Down)
        || link.ingress.value == Ingress::Police
    {
        rows.push(
            derived(
                "charge.overhead.ingress",
                "overhead, policer of downloads",
                format!("{above} less the device's"),
                format!("{above} - what the device counts there, where its Ethernet header is off"),
            )
            .takes(["link.overhead"])
            .parts(on(&|header| overhead.with_header(Hook::Ingress.header(header)).to_string())),
        );
    }
    if DEVICES.iter().any(|(header, _)| above < *header) {
        let stab = Stab::BelowHeader { above_ip: above };
        let size_table = |header: u32| match stab.with_header(header) {
            Stab::Fixed(bytes) => bytes.to_string(),
            Stab::BelowHeader { .. } | Stab::None => "none".to_owned(),
        };
        rows.push(
            derived(
                "charge.stab",
                "size table of the root",
                format!("{above} less the device's"),
                "if that is below 0: only a size table can subtract bytes",
            )
            .takes(["link.overhead"])
            .parts(on(&size_table)),
        );
    }
    let cake = |overhead: CakeOverhead, header: u32| match overhead.with_header(header) {
        CakeOverhead::AboveIp(_) | CakeOverhead::AboveIpInLeaf(_) => String::new(),
        CakeOverhead::Fixed(bytes) => bytes.to_string(),
    };
    let formula = "CAKE counts from the IP packet, but takes the 8 bytes of PPPoE for a part of it";
    rows.push(
        derived("charge.overhead.cake", "overhead, CAKE", above, formula)
            .takes(["link.overhead"])
            .parts(on(&|header| cake(CakeOverhead::AboveIp(above), header))),
    );
    if DEVICES.iter().any(|(header, _)| above < *header) {
        let formula = "below a size table 14, the Ethernet header that CAKE subtracts from every packet; otherwise as any CAKE";
        rows.push(
            derived("charge.overhead.cake.leaf", "overhead, CAKE in a class", above, formula)
                .takes(["link.overhead"])
                .parts(on(&|header| cake(CakeOverhead::AboveIpInLeaf(above), header))),
        );
    }
    rows.push(derived("charge.mpu", "mpu", link.mpu.value, "the mpu of the line").takes(["link.mpu"]));
    let mpu = link.mpu.value.max(1);
    let formula = format!("the larger of {} and 1, because tc does not send `mpu 0`", link.mpu.value);
    rows.push(derived("charge.mpu.cake", "mpu, CAKE", mpu, formula).takes(["link.mpu"]));
    let (layer, why) = match link.layer.value {
        Layer::Ethernet => ("ethernet", "a packet costs its bytes"),
        Layer::Ptm => ("ethernet", "a packet costs its bytes; the rate accounts for 64/65"),
        Layer::Atm => ("atm", "a packet costs whole cells: 48 bytes take 53"),
    };
    rows.push(derived("charge.linklayer", "linklayer", layer, why).takes(["link.layer"]));
    rows.push(fixed(
        "charge.police.mtu",
        "mtu, police",
        POLICE_MTU,
        "above the largest aggregated packet, because a policer drops every longer packet",
    ));
    ExplanationSection::new("bytes that the kernel charges for a packet", rows)
}
