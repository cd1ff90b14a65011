#![doc = include_str!("../../../../docs/rules/Q0804.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::journey::encapsulation;
use crate::model::{Model, Tunnel};

pub(super) fn find(model: &Model, tunnel: &Tunnel) -> Option<Diagnostic> {
    let (mtu, (more, made_of)) = (tunnel.mtu.as_ref()?, encapsulation(tunnel)?);
    let (whole, most) = (mtu.value.saturating_add(more), model.link.mtu.value);
    let place = mtu.given_at().filter(|_| whole > most)?;
    let name = ticked(&tunnel.name);
    let message = format!("full packets of tunnel {name} have {whole} bytes, but the line carries {most}");
    let fits = most.saturating_sub(more);
    Some(
        Diagnostic::new(Code::TunnelMtuTooLarge, place, message)
            .label(format!("plus {more} bytes of encapsulation: {made_of}"))
            .also_at(model.link.mtu.given_at().map(|span| (span, "the MTU of the line")))
            .help(format!("write `mtu: {fits}`, the largest that fits, and set it on the device too")),
    )
}
