//! `hosts`: addresses first, for matches refer to hosts; what they are promised after the classes are there.

use super::lan::given;
use super::names::Names;
use super::rates::amount;
use crate::diag::Sink;
use crate::model::{Class, ClassId, Host, PerDirection, Shape, Val};
use crate::syntax::raw::{Both, RawHost};

/// Resolves names and addresses; the home class is set by [`settle`].
pub(super) fn resolve(raw: &RawHost) -> Host {
    Host {
        name: raw.name.value.clone(),
        span: raw.name.span,
        addresses: given(&raw.address),
        mac: given(&raw.mac),
        home: Val::default(ClassId(0), "not known yet"),
        guarantee: PerDirection { up: None, down: None },
        ceiling: PerDirection { up: None, down: None },
    }
}

/// Finds each host's home class, and what it is promised there.
pub(super) fn settle(hosts: &mut [Host], raw: &[RawHost], leaves: &[&Class], names: &Names, sink: &mut Sink) {
    for (index, (host, raw)) in hosts.iter_mut().zip(raw).enumerate() {
        let named = raw.class.as_ref().and_then(|class| {
            names.leaf(&class.value, class.span, sink).map(|id| Val::given(id, class.span))
        });
        let Some(home) = named.or_else(|| home(index, leaves)) else { continue };
        if let Some(class) = leaves.iter().find(|class| class.id.value == home.value) {
            host.guarantee = promised(&raw.guarantee, &class.guarantee);
            host.ceiling = promised(&raw.ceiling, &class.ceiling);
        }
        host.home = home;
    }
}

/// The leaf that a match on the host alone gives it, else the default.
fn home(host: usize, leaves: &[&Class]) -> Option<Val<ClassId>> {
    let alone = leaves.iter().find_map(|class| {
        let alternative = class.matches.iter().flatten().find(|a| {
            a.hosts == [host]
                && a.local.is_empty()
                && a.remote.is_empty()
                && a.protocol.is_empty()
                && a.dscp.is_empty()
                && a.mark.is_empty()
                && a.tunnels.is_empty()
                && a.length.is_empty()
                && (a.family, a.direction) == (None, None)
        })?;
        Some(Val::derived(
            class.id.value,
            format!("matched by `{}`", alternative.text),
            Some(alternative.span),
        ))
    });
    alone.or_else(|| {
        let default =
            leaves.iter().find(|class| matches!(&class.shape, Shape::Leaf(leaf) if leaf.default))?;
        Some(Val::default(default.id.value, "the default class"))
    })
}

fn promised(
    raw: &Both<crate::syntax::raw::Amount>,
    of: &PerDirection<Val<crate::units::Rate>>,
) -> PerDirection<Option<Val<crate::units::Rate>>> {
    PerDirection {
        up: raw.up.map(|given| amount(given, of.up.value)),
        down: raw.down.map(|given| amount(given, of.down.value)),
    }
}
