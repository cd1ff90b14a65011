//! Resolves `hosts`. Addresses come first, because matches refer to hosts. Rates follow once the classes exist.

use super::claims::amount;
use super::lan::given;
use super::names::Names;
use super::rates::guaranteed;
use crate::diag::{Sink, Spanned};
use crate::model::{Class, ClassId, Host, PerDirection, Val};
use crate::syntax::raw::{Each, RawHost};
use crate::terms::Amount;
use crate::units::Rate;
use std::collections::BTreeMap;

/// Resolves names and addresses; [`settle`] sets the leaf and the rates.
pub(super) fn resolve(raw: &RawHost) -> Host {
    Host {
        name: raw.name.value.clone(),
        span: raw.name.span,
        of: raw.of,
        each: raw.each.is_some(),
        addresses: given(&raw.address),
        mac: given(&raw.mac),
        is_router: raw.itself.is_some(),
        home: Val::default(ClassId(0), "not known yet"),
        guarantee: PerDirection::default(),
        ceiling: PerDirection::default(),
    }
}

/// Finds each host's leaf, and its guarantee and ceiling there.
pub(super) fn settle(hosts: &mut [Host], raw: &[RawHost], leaves: &[&Class], names: &Names, sink: &mut Sink) {
    let by_id: BTreeMap<ClassId, &Class> = leaves.iter().map(|class| (class.id.value, *class)).collect();
    let alone = matched_alone(leaves);
    let default = leaves.iter().find(|class| class.is_default());
    for (index, (host, raw)) in hosts.iter_mut().zip(raw).enumerate() {
        let named = raw.class.as_ref().and_then(|class| {
            names.leaf(&class.value, class.span, sink).map(|id| Val::given(id, class.span))
        });
        let home = named
            .or_else(|| alone.get(&raw.of.unwrap_or(index)).cloned())
            .or_else(|| default.map(|class| Val::default(class.id.value, "the default class")));
        let Some(home) = home else { continue };
        if let Some(class) = by_id.get(&home.value) {
            let each = raw.each.as_ref().map(|each| (&each.guarantee, &each.ceiling));
            let (guarantee, ceiling) = each.unwrap_or((&raw.guarantee, &raw.ceiling));
            host.guarantee = promised(guarantee, &class.guarantee, guaranteed);
            host.ceiling = promised(ceiling, &class.ceiling, amount);
        }
        host.home = home;
    }
}

/// Maps each host to the first leaf that has a match on this host alone.
fn matched_alone(leaves: &[&Class]) -> BTreeMap<usize, Val<ClassId>> {
    let mut host_classes = BTreeMap::new();
    for class in leaves {
        for alternative in class.matches.iter().flatten() {
            let [host] = alternative.hosts.as_slice() else { continue };
            if alternative.asks_only_hosts() {
                let formula = format!("matched by `{}`", alternative.text);
                let home = Val::derived(class.id.value, formula, Some(alternative.span));
                host_classes.entry(*host).or_insert(home);
            }
        }
    }
    host_classes
}

fn promised(
    raw: &Each<Amount>,
    of: &PerDirection<Val<Rate>>,
    rate: impl Fn(Spanned<Amount>, Rate) -> Val<Rate>,
) -> PerDirection<Option<Val<Rate>>> {
    PerDirection::from_fn(|d| raw.get(d).map(|given| rate(given, of.get(d).value)))
}
