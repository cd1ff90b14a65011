//! Hosts with too small a guarantee in their class, and the class of the other hosts, which gets the remaining rate.

use super::need::{Need, STEP, guaranteed};
use super::shortage::Shortage;
use super::{Level, POINTED_AT, Small, takes, too_small};
use crate::diag::{Diagnostic, Span, ticked};
use crate::model::{Class, HostClass, Leaf, PerDirection};
use crate::units::Rate;
use std::collections::{BTreeMap, BTreeSet};

/// True if the file guarantees the host a rate.
fn is_promised(host: &HostClass) -> bool {
    host.asked.guarantee.is_some_and(|asked| !asked.is_nothing())
}

impl<'a> Level<'a> {
    /// Adds findings on hosts with too small a guarantee, and on the rate left for the other hosts.
    pub(super) fn hosts(&self, class: &'a Class, leaf: &'a Leaf, found: &mut Vec<Small<'a>>) {
        let need = Need::of(self.model, class.priority.value);
        let named = PerDirection::from_fn(|direction| {
            // A later class of the same name must not replace the first.
            let classes = leaf.host_classes(direction).collect::<Vec<_>>().into_iter().rev();
            classes.map(|own| (own.name.as_str(), own)).collect::<BTreeMap<_, _>>()
        });
        // The class of the other hosts is small only because of guarantees of hosts. A class that is too slow as a whole
        // has a finding of its own.
        let is_rest = PerDirection::from_fn(|direction| {
            leaf.host_classes(direction).any(is_promised) && need.is_met(class.guarantee.get(direction).value)
        });
        // All devices of a prefix have one finding.
        let mut seen: BTreeSet<(Option<usize>, &str)> = BTreeSet::new();
        for host in guaranteed(self.model).flat_map(|direction| leaf.host_classes(direction)) {
            let of = host.host.and_then(|index| self.model.hosts.get(index)?.of);
            if !seen.insert((of, of.map_or(host.name.as_str(), |_| ""))) {
                continue;
            }
            let own =
                PerDirection::from_fn(|direction| named.get(direction).get(host.name.as_str()).copied());
            // A host without a guarantee shares with the other hosts.
            let counts = |direction, own: &HostClass| match own.host {
                Some(_) => is_promised(own),
                None => own.id.value == class.rest(direction) && *is_rest.get(direction),
            };
            let short = |direction| {
                let own = (*own.get(direction))?;
                let rate = own.guarantee.value;
                (counts(direction, own) && !need.is_met(rate)).then_some(rate)
            };
            let Some(short) = Shortage::of(self.model, need, short) else { continue };
            let finding = match host.host {
                Some(index) => self.host(class, index, own, &short),
                None => others(class, leaf, &short),
            };
            found.extend(finding.map(|finding| Small { name: &host.name, finding, cure: need.rounded() }));
        }
    }

    /// Returns the finding on a host with too small a guarantee.
    fn host(
        &self,
        class: &Class,
        index: usize,
        own: PerDirection<Option<&HostClass>>,
        short: &Shortage,
    ) -> Option<Diagnostic> {
        let host = self.model.hosts.get(index)?;
        let host = host.of.and_then(|of| self.model.hosts.get(of)).unwrap_or(host);
        let (name, of_class) = (ticked(&host.name), ticked(&class.name));
        let asked = PerDirection::from_fn(|direction| own.get(direction).and_then(|own| own.asked.guarantee));
        let place = (*own.get(short.direction))?.guarantee.span().unwrap_or(host.span);
        let whole = class.guarantee.get(short.direction).value;
        let mut help = format!("write `{}` in host {name}", short.written(self.model, asked));
        if short.need.rounded() > whole {
            let whole = whole.rounded(4);
            help.push_str(&format!(", and a larger `guarantee` in class {of_class}, which has {whole}"));
        }
        Some(
            too_small(place, format!("{} {name} is guaranteed {}", host.noun(), short.text()))
                .label(short.label())
                .also_at((class.span.is_own()).then_some((class.span, "the class of its packets")))
                .help(help),
        )
    }
}

/// Returns the finding on the other hosts of a class, which get the rate that the guarantees leave.
fn others(class: &Class, leaf: &Leaf, short: &Shortage) -> Option<Diagnostic> {
    let direction = short.direction;
    let promised = leaf.host_classes(direction).filter(|own| is_promised(own));
    let mut places: Vec<(Span, Rate)> =
        promised.filter_map(|own| Some((own.guarantee.span()?, own.guarantee.value))).collect();
    places.dedup();
    let own = class.span.is_own();
    let at = if own { class.span } else { places.first()?.0 };
    let name = ticked(&class.name);
    // Host classes without a guarantee share by weight.
    let weight = |own: &HostClass| own.asked.weight;
    let sharing = || leaf.host_classes(direction).filter(|own| own.asked.guarantee.is_none());
    let rest = sharing().find(|own| own.host.is_none()).map(weight)?;
    let left = short.need.rounded().scale(sharing().map(weight).sum(), rest);
    let most = class.guarantee.get(direction).value.saturating_sub(left);
    let help = match most.bps() / STEP * STEP {
        0 => format!("write a larger `guarantee` in class {name}: it has no room for guarantees of hosts"),
        most => format!("lower the guarantees of hosts in class {name} to {} in total", Rate::from_bps(most)),
    };
    let places = places.into_iter().filter(|(place, _)| *place != at).take(POINTED_AT);
    Some(
        too_small(at, format!("the other hosts of class {name} are left {}", short.text()))
            .label(short.label())
            .also_at(places.map(|place| takes(direction, place)))
            .help(help),
    )
}
