//! Resolves `lan`, the local network.

use super::link::choice;
use crate::diag::{Code, Diagnostic, Sink};
use crate::model::{Lan, Networks, Val};
use crate::syntax::raw::{Many, RawLan, RawNetworks};

/// Converts a list into given values of the model.
pub(super) fn given<T: Clone>(many: &Many<T>) -> Vec<Val<T>> {
    many.iter().map(|item| Val::given(item.value.clone(), item.span)).collect()
}

/// Resolves `lan`. Without it, the prefixes are those of the devices, and IPv4 sources are translated by NAT.
pub(super) fn resolve(raw: Option<&RawLan>, sink: &mut Sink) -> Lan {
    let networks = match raw.and_then(|lan| lan.networks.as_ref()) {
        Some(RawNetworks::List(list)) => Networks::List(given(list)),
        Some(RawNetworks::Auto(_)) | None => Networks::Auto,
    };
    let shaped = choice(raw.and_then(|lan| lan.shaped), true);
    if let (Networks::Auto, Some(span), false) = (&networks, shaped.span(), shaped.value) {
        let message = "`shaped: false` needs the networks of the LAN";
        let help = "list them in `lan`, such as `networks: [192.168.1.0/24, \"fe80::/10\"]`";
        sink.push(Diagnostic::new(Code::MissingKey, span, message).help(help));
    }
    Lan {
        devices: raw.map_or_else(Vec::new, |lan| given(&lan.device)),
        networks,
        nat: choice(raw.and_then(|lan| lan.nat.ipv4), true),
        nat_ipv6: choice(raw.and_then(|lan| lan.nat.ipv6), false),
        shaped,
    }
}
