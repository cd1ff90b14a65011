#![doc = include_str!("../../../../docs/rules/Q0509.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Downloads, Inner, Model, Tunnel};

pub(super) fn find(model: &Model, tunnel: &Tunnel) -> Option<Diagnostic> {
    let Some(Downloads::Wrapped(why)) = &tunnel.downloads else { return None };
    let is_wan = tunnel.device.as_ref().is_some_and(|device| device.value == model.link.device.value);
    // A file with `flows` shows that the user knows this, and other rules report the rest.
    if is_wan || tunnel.inner.value == Inner::Match || tunnel.inner.span().is_some() {
        return None;
    }
    let cure = match tunnel.device {
        None => "write the tunnel's device, such as `device: wg0`",
        Some(_) => "give the tunnel its own class",
    };
    let message = format!("downloads through tunnel {} are one flow", ticked(&tunnel.name));
    Some(
        Diagnostic::new(Code::TunnelOneFlow, tunnel.span, message)
            .label(why.as_str())
            .help(format!("{cure}; if one flow is meant, write `inner: flows`")),
    )
}
