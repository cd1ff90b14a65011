//! Facts that follow from the name of a device.

use super::report::ImportReport;
use qosc_compiler::diag::Span;
use qosc_compiler::tc::{ETHERNET, header_by_name};
use qosc_compiler::terms::limits::{MPU, OVERHEAD};
use qosc_compiler::terms::{Frames, Layer};
use qosc_compiler::units::IfName;

/// Returns the bytes above IP that the kernel counts on the device: 14 for a name that does not tell.
pub(super) fn above_ip(device: &str) -> i64 {
    i64::from(header_by_name(device, Frames::Auto).unwrap_or(ETHERNET))
}

/// Returns a comment that says how `overhead` follows from the device.
pub(super) fn header_note(device: &IfName) -> String {
    let bytes = above_ip(device.as_str());
    format!(
        "`overhead` counts from the IP packet. It includes the {bytes} bytes that the kernel itself counts on a device such as `{device}`."
    )
}

/// Advice about a link layer that a file cannot have.
pub(super) const LAYERS: &str = "write `layer: ethernet`, `ptm` or `atm`";

/// Returns the link layer with a name of `tc` or of a tool that calls it.
pub(super) fn layer_of(name: &str) -> Option<Layer> {
    match name {
        "ethernet" => Some(Layer::Ethernet),
        "atm" | "adsl" => Some(Layer::Atm),
        _ => None,
    }
}

/// Returns a number of bytes that a file can have, and reports a change.
pub(super) fn bounded(bytes: i64, span: Span, key: &str, report: &mut ImportReport) -> u32 {
    let most = if key == "mpu" { MPU.most } else { OVERHEAD.most };
    let most = u32::try_from(most).unwrap_or(256);
    let number = u32::try_from(bytes.max(0)).unwrap_or(most).min(most);
    if i64::from(number) != bytes {
        let said = format!("`{key}` would be {bytes} bytes, and a file can have 0 to {most}");
        report.lost(span, said, &format!("`{key}: {number}` is used; write the bytes of the line"));
    }
    number
}
