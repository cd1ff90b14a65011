#![doc = include_str!("../rules/Q0513.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, and_ticked};
use crate::model::{Model, Part};

pub(super) const RULE: Rule = Rule {
    name: "known-marks",
    codes: &[Code::MarksOfOthers],
    rests: &[Part::Link, Part::Lan, Part::Hosts, Part::Classes, Part::Police, Part::Tuning],
    run,
};

/// Bits that other tools of routers use by default, and who does.
const KNOWN: &[(u32, &str)] = &[
    (0x0000_3f00, "mwan3"),
    (0x00ff_0000, "pbr"),
    (0x00ff_0000, "Tailscale"),
    (0x0000_c000, "Kubernetes"),
    (0x0000_ffff, "wg-quick"),
];

fn run(model: &Model, sink: &mut Sink) {
    let Some(mask) = model.marks.as_ref().map(|marks| &marks.mask) else { return };
    let Some(place) = mask.span() else { return };
    let tools: Vec<&str> =
        KNOWN.iter().filter(|(bits, _)| bits & mask.value != 0).map(|(_, tool)| *tool).collect();
    if tools.is_empty() {
        return;
    }
    let message = format!("bits of `mark_mask` that {} may use, too", and_ticked(tools));
    sink.push(
        Diagnostic::new(Code::MarksOfOthers, place, message)
            .label(format!("{:#010x}", mask.value))
            .help("take bits from 24 on, such as `0xff000000`, or leave `mark_mask` out")
            .help("if none of these is on the router, this is as good as any other"),
    );
}
