#![doc = include_str!("../../../../docs/rules/Q0518.md")]

use super::{each_or_all, host_outside_lan::Ranges};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Alternative, Model};
use crate::units::Address;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let networks = Ranges::of(model.lan.listed().iter().map(|network| network.value));
    // what is behind a tunnel may have the same addresses
    let plain = model.alternatives().into_iter().filter(|(_, own)| own.tunnels.is_empty());
    let inside = plain
        .filter_map(|(_, own)| Some((own, *own.remote.iter().find(|remote| networks.contain(**remote))?)));
    each_or_all(&inside.collect::<Vec<_>>(), sink, finding);
}

fn finding(found: &[(&Alternative, Address)]) -> Option<Diagnostic> {
    let (own, remote) = found.first()?;
    let remote = remote.to_string();
    let message = format!("`remote` {} is inside the LAN", ticked(&remote));
    Some(
        Diagnostic::new(Code::RemoteInLan, own.span, message)
            .label("`networks` of `lan` has it, so nothing on the internet does")
            .help(format!("for the house's end of a connection, write `local: {remote}`"))
            .help("if packets to the LAN leave by the WAN device, too, write `shaped: false` in `lan`: the rates of the line do not limit them then"),
    )
}
