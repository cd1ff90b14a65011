//! The line, and what a packet costs there.

use super::{Part, Row, Section, derived, name_of, row, row_as};
use crate::model::{Direction, Engine, Layer, Model, Wire};
use crate::resolve::profile;
use crate::units::Rate;

/// The packets that goodput is shown for, bytes of IP: the least of Ethernet, the least that every host takes, a full one.
const SIZES: [u64; 3] = [64, 576, 1500];

/// The link's own numbers.
pub(super) fn link(model: &Model) -> Section {
    let link = &model.link;
    let mut rows = vec![
        row_as("device", &link.device, link.device.value.as_str().to_owned()),
        row("profile", &link.profile),
        row("line up", &link.line.up),
        row("line down", &link.line.down),
        row_as("layer", &link.layer, name_of(&link.layer.value)),
        overhead(model),
        row("least bytes", &link.mpu),
        row("mtu", &link.mtu),
        row("margin up", &link.margin.up),
        row("margin down", &link.margin.down),
        row("shaped up", &link.shaped.up),
        row("shaped down", &link.shaped.down),
    ];
    for direction in Direction::BOTH {
        let (tree, shaped) = (link.tree.get(direction), link.shaped.get(direction));
        if tree != shaped {
            rows.push(row(format!("for classes {}", name_of(&direction)), tree));
        }
    }
    rows.push(row_as("ingress", &link.ingress, name_of(&link.ingress.value)));
    for direction in Direction::BOTH {
        let engine = link.engine.get(direction);
        if engine.value != Engine::Htb {
            rows.push(row_as(format!("engine {}", name_of(&direction)), engine, name_of(&engine.value)));
        }
    }
    Section { title: "the line".to_owned(), rows, words: Vec::new() }
}

/// The overhead with what it is made of, where the profile knows that.
fn overhead(model: &Model) -> Row {
    let link = &model.link;
    let mut row = row("overhead", &link.overhead);
    let profile = profile::find(&link.profile.value).filter(|p| p.overhead == link.overhead.value);
    for (bytes, what) in profile.iter().flat_map(|profile| &profile.bytes) {
        row.parts.push(Part { value: bytes.to_string(), what: what.clone() });
    }
    row
}

/// What packets cost on the line, and what is left of the shaped rate.
pub(super) fn packets(model: &Model) -> Section {
    let link = &model.link;
    let wire = Wire { layer: link.layer.value, overhead: link.overhead.value, mpu: link.mpu.value };
    let full = u64::from(link.mtu.value);
    let mut sizes: Vec<u64> = SIZES.into_iter().filter(|size| *size < full).collect();
    sizes.push(full);
    let mut rows = Vec::new();
    for size in sizes {
        let cost = wire.bytes(size);
        rows.push(derived(format!("{size} bytes of IP"), format!("{cost} bytes"), charged(wire, size)));
        for direction in Direction::BOTH {
            let shaped = link.shaped.get(direction).value;
            rows.push(derived(
                format!("  goodput {}", name_of(&direction)),
                kbit(shaped.scale(size, cost)),
                format!("{shaped} x {size}/{cost}"),
            ));
        }
    }
    for direction in Direction::BOTH {
        let shaped = link.shaped.get(direction).value;
        let bytes = wire.bytes(full);
        rows.push(derived(
            format!("longest wait behind one {}", name_of(&direction)),
            shaped.time_for(bytes).to_string(),
            format!("{bytes} bytes at {shaped}: a packet that is on its way is not stopped"),
        ));
    }
    Section { title: "packets on the line".to_owned(), rows, words: Vec::new() }
}

fn charged(wire: Wire, size: u64) -> String {
    let plain = match wire.mpu {
        0 => format!("{size} + {}", wire.overhead),
        mpu => format!("the larger of {size} + {} and {mpu}", wire.overhead),
    };
    match wire.layer {
        Layer::Ethernet => plain,
        Layer::Ptm => format!("{plain}; 64/65 is taken off the rate"),
        Layer::Atm => format!("{plain}, in cells of 48 that are 53 on the line"),
    }
}

/// A rate for people: whole kbit, rounded down.
fn kbit(rate: Rate) -> String {
    match rate.bps() / 1000 {
        0 => rate.to_string(),
        kbit => Rate::from_bps(kbit * 1000).to_string(),
    }
}
