//! The lines under test, and the condition for a correct result. The kernel tests use the same condition.

use qosc_compiler::model::{Layer, Wire};
use qosc_compiler::profile;
use qosc_measure::fit::FitReport;
use std::collections::BTreeMap;

/// The lines of all profiles. Profiles with the same charge share one entry.
pub fn lines() -> BTreeMap<String, Wire> {
    let mut lines: BTreeMap<String, Wire> = BTreeMap::new();
    for name in profile::names() {
        let wire = profile::find(name).expect("a profile").wire();
        let alike = lines.iter().find(|(_, known)| **known == wire).map(|(known, _)| known.clone());
        match alike {
            Some(known) => {
                lines.remove(&known);
                lines.insert(format!("{known} {name}"), wire);
            }
            None => {
                lines.insert(name.to_owned(), wire);
            }
        }
    }
    lines
}

/// Returns true if the report has the right link layer and charges every packet of 28 to 1500 bytes correctly.
///
/// One byte of difference is allowed: it is less than the 2 % of noise in a packet of 58 bytes. Without the line's
/// rate, no measurement can distinguish PTM from Ethernet. With the rate, the layer must be exact.
pub fn right(found: &FitReport, wire: Wire, with_rate: bool) -> bool {
    let layers: &[Layer] = match wire.layer {
        Layer::Atm => &[Layer::Atm],
        ref one if with_rate => std::slice::from_ref(one),
        _ => &[Layer::Ethernet, Layer::Ptm],
    };
    let off = (28..=1500).map(|ip| found.wire().bytes(ip).abs_diff(wire.bytes(ip))).max();
    found.layer.layers == layers && off <= Some(1)
}
