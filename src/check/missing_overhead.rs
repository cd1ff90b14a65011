#![doc = include_str!("../rules/Q0609.md")]

use super::Rule;
use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{FileSection, Model, PerDirection, Val};
use crate::units::Rate;

pub(super) const RULE: Rule = Rule {
    name: "missing-overhead",
    codes: &[Code::MissingOverhead],
    sections: &[FileSection::Link],
    run: Some(run),
};

/// Common DSL tariffs: download and upload in mbit.
const TARIFFS: [(u64, u64); 6] = [(16, 1), (25, 5), (50, 10), (100, 40), (175, 40), (250, 40)];

fn run(model: &Model, sink: &mut Sink) {
    sink.extend(found(model));
}

/// True if the rates are those of a DSL tariff.
pub(super) fn is_dsl_tariff(line: &PerDirection<Val<Rate>>) -> bool {
    let mbit = |bps: u64| bps.is_multiple_of(1_000_000).then_some(bps / 1_000_000);
    let rates = (mbit(line.down.value.bps()), mbit(line.up.value.bps()));
    TARIFFS.iter().any(|(down, up)| rates == (Some(*down), Some(*up)))
}

/// Returns the finding on a profile without the bytes of PPP or DSL, if the file gives no `overhead`.
pub(super) fn found(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let (Some(place), None) = (link.profile.given_at(), link.overhead.given_at()) else { return None };
    let profile = link.profile.value.as_str();
    let ethernet = profile.starts_with("ethernet");
    // `raw` is exempt, because its rate counts IP packets on any line
    let plain = ethernet || profile == "docsis" || profile == "fibre";
    let named = ticked(profile);
    match devices::kind(link.device.value.as_str()) {
        LikelyDevice::Ppp if plain => Some(
            at_device(model, place, format!("profile {named} does not count the bytes of PPP"))
                .label("PPP over Ethernet adds 8 bytes to each packet")
                .help("write `profile: fibre-pppoe` for fibre, `vdsl2-pppoe` for VDSL2 or `adsl-pppoe-llc` for ADSL; or add the `overhead`"),
        ),
        LikelyDevice::Dsl if plain || profile.starts_with("fibre") => Some(
            at_device(model, place, format!("profile {named} does not count the bytes of DSL"))
                .label("it counts no bytes for PTM or ATM")
                .help("write `profile: vdsl2-bridged`, `vdsl2-bridged-vlan` or `adsl-bridged-llc`; or add the `overhead`"),
        ),
        _ if ethernet => {
            let down = link.line.down.given_at().filter(|_| is_dsl_tariff(&link.line))?;
            Some(
                Diagnostic::new(Code::MissingOverhead, place, format!("profile {named} does not count the bytes of DSL"))
                    .label("for an Ethernet port, which has the same rate in both directions")
                    .also(down, "the rates are those of a common DSL tariff")
                    .help("for DSL write `profile: vdsl2-pppoe`, `vdsl2-bridged` or `adsl-pppoe-llc`, for fibre `fibre`; or add the `overhead`"),
            )
        }
        _ => None,
    }
}

/// Returns a finding on the profile that also points at the device.
fn at_device(model: &Model, place: Span, message: String) -> Diagnostic {
    let device = model.link.device.given_at().map(|device| (device, "the device"));
    Diagnostic::new(Code::MissingOverhead, place, message).also_at(device)
}
