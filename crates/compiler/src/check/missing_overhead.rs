#![doc = include_str!("../../../../docs/rules/Q0609.md")]

use super::shared::devices::{self, LikelyDevice};
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Model, PerDirection, Val};
use crate::units::Rate;

/// Common DSL tariffs: download and upload in mbit.
const TARIFFS: [(u64, u64); 6] = [(16, 1), (25, 5), (50, 10), (100, 40), (175, 40), (250, 40)];

/// True if the rates are those of a DSL tariff.
pub(super) fn is_dsl_tariff(line: &PerDirection<Val<Rate>>) -> bool {
    let mbit = |bps: u64| bps.is_multiple_of(1_000_000).then_some(bps / 1_000_000);
    let rates = (mbit(line.down.value.bps()), mbit(line.up.value.bps()));
    TARIFFS.iter().any(|(down, up)| rates == (Some(*down), Some(*up)))
}

/// Returns the finding on a profile without the bytes of PPP or DSL, if the file gives no `overhead`.
pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let place = link.profile.given_at().filter(|_| link.overhead.given_at().is_none())?;
    let profile = link.profile.value.as_str();
    let ethernet = profile.starts_with("ethernet");
    // `raw` is exempt, because its rate counts IP packets on any line
    let plain = ethernet || profile == "docsis" || profile == "fibre";
    let device = link.device.given_at().map(|device| (device, "the device"));
    let (missing, label, also, help) = match devices::kind(link.device.value.as_str()) {
        LikelyDevice::Ppp if plain => (
            "PPP",
            "PPP over Ethernet adds 8 bytes to each packet",
            device,
            "write `profile: fibre-pppoe` for fibre, `vdsl2-pppoe` for VDSL2 or `adsl-pppoe-llc` for ADSL; or add the `overhead`",
        ),
        LikelyDevice::Dsl if plain || profile.starts_with("fibre") => (
            "DSL",
            "it counts no bytes for PTM or ATM",
            device,
            "write `profile: vdsl2-bridged`, `vdsl2-bridged-vlan` or `adsl-bridged-llc`; or add the `overhead`",
        ),
        _ if ethernet && is_dsl_tariff(&link.line) => (
            "DSL",
            "for an Ethernet port, which has the same rate in both directions",
            Some((link.line.down.given_at()?, "the rates are those of a common DSL tariff")),
            "for DSL write `profile: vdsl2-pppoe`, `vdsl2-bridged` or `adsl-pppoe-llc`, for fibre `fibre`; or add the `overhead`",
        ),
        _ => return None,
    };
    let message = format!("profile {} does not count the bytes of {missing}", ticked(profile));
    let finding = Diagnostic::new(Code::MissingOverhead, place, message);
    Some(finding.label(label).also_at(also).help(help))
}
