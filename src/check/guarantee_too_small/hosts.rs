//! Hosts with too small a guarantee in their class, and the class of the other hosts, which gets the remaining rate.

use super::need::{Need, STEP, Short, guaranteed};
use super::text::{in_one, label, spoken, worst, written};
use super::{Level, POINTED_AT, Small};
use crate::diag::{Code, Diagnostic, FileId, Span, ticked};
use crate::model::{Class, Direction, HostClass, Leaf, PerDirection};
use crate::units::Rate;
use std::collections::{BTreeMap, BTreeSet};

/// Host classes by name.
type Named<'a> = BTreeMap<&'a str, &'a HostClass>;

/// True if the file guarantees the host a rate.
fn is_promised(host: &HostClass) -> bool {
    host.asked.guarantee.is_some_and(|asked| !asked.is_nothing())
}

impl<'a> Level<'a> {
    /// Adds findings on hosts with too small a guarantee, and on the rate left for the other hosts.
    pub(super) fn hosts(self, class: &'a Class, leaf: &'a Leaf, found: &mut Vec<Small<'a>>) {
        let need = Need::of(self.model, class.priority.value);
        let named = PerDirection::from_fn(|direction| {
            // A later class of the same name must not replace the first.
            let classes = leaf.host_classes(direction).collect::<Vec<_>>().into_iter().rev();
            classes.map(|own| (own.name.as_str(), own)).collect::<Named<'_>>()
        });
        let promises = PerDirection::from_fn(|direction| leaf.host_classes(direction).any(is_promised));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for host in guaranteed(self.model).flat_map(|direction| leaf.host_classes(direction)) {
            if !seen.insert(&host.name) {
                continue;
            }
            let own =
                PerDirection::from_fn(|direction| named.get(direction).get(host.name.as_str()).copied());
            let short: Vec<Short> = guaranteed(self.model)
                .filter_map(|direction| Some((direction, (*own.get(direction))?)))
                .filter(|(direction, own)| {
                    self.is_small(class, *promises.get(*direction), need, *direction, own)
                })
                .map(|(direction, own)| (direction, own.guarantee.value))
                .collect();
            if let Some((direction, rate)) = worst(&short) {
                let finding = match host.host {
                    Some(index) => self.host(class, need, (index, own), &short),
                    None => others(class, leaf, need, (direction, rate), &short),
                };
                found.extend(finding.map(|finding| Small {
                    name: &host.name,
                    finding,
                    cure: need.rounded(),
                }));
            }
        }
    }

    /// True if the guarantee of a host is too small, or the rate that the hosts' guarantees leave to the other hosts.
    ///
    /// `promises` is true if a host has a guarantee. A host without a guarantee shares with the other hosts. A class that is too slow as a whole has a finding of its
    /// own.
    fn is_small(
        self,
        class: &Class,
        promises: bool,
        need: Need,
        direction: Direction,
        own: &HostClass,
    ) -> bool {
        let asked = match own.host {
            Some(_) => is_promised(own),
            None => {
                let rest = own.id.value == class.rest(direction);
                rest && promises && need.is_met(class.guarantee.get(direction).value)
            }
        };
        asked && !need.is_met(own.guarantee.value)
    }

    /// Returns the finding on a host with too small a guarantee.
    fn host(
        self,
        class: &Class,
        need: Need,
        (index, own): (usize, PerDirection<Option<&HostClass>>),
        short: &[Short],
    ) -> Option<Diagnostic> {
        let (direction, rate) = worst(short)?;
        let host = self.model.hosts.get(index)?;
        let asked = PerDirection::from_fn(|direction| own.get(direction).and_then(|own| own.asked.guarantee));
        let place = (*own.get(direction))?.guarantee.span().unwrap_or(host.span);
        let message = format!(
            "host {} is guaranteed {}: {} takes {}",
            ticked(&host.name),
            in_one(short, rate, direction),
            need.packet(),
            spoken(need.delay(rate))
        );
        let write = written(self.model, asked, short, need.rounded());
        let whole = class.guarantee.get(direction).value;
        let help = match need.rounded() > whole {
            true => format!(
                "write `{write}` in host {}, and a larger `guarantee` in class {}, which has {}",
                ticked(&host.name),
                ticked(&class.name),
                whole.rounded(4)
            ),
            false => format!("write `{write}` in host {}", ticked(&host.name)),
        };
        Some(
            Diagnostic::new(Code::GuaranteeTooSmall, place, message)
                .label(label(need, short, direction))
                .also_at((class.span.file == FileId::OWN).then_some((class.span, "the class of its packets")))
                .help(help),
        )
    }
}

/// Returns the finding on the other hosts of a class, which get the rate that the guarantees leave.
fn others(
    class: &Class,
    leaf: &Leaf,
    need: Need,
    (direction, rate): Short,
    short: &[Short],
) -> Option<Diagnostic> {
    let places: Vec<(Span, Rate)> = leaf
        .host_classes(direction)
        .filter(|own| is_promised(own))
        .filter_map(|own| Some((own.guarantee.span()?, own.guarantee.value)))
        .collect();
    let own = class.span.file == FileId::OWN;
    let at = if own { class.span } else { places.first()?.0 };
    let name = ticked(&class.name);
    let message = format!(
        "the other hosts of class {name} are left {}: {} takes {}",
        in_one(short, rate, direction),
        need.packet(),
        spoken(need.delay(rate))
    );
    // Host classes without a guarantee share by weight.
    let weight = |own: &HostClass| own.asked.weight;
    let sharing = || leaf.host_classes(direction).filter(|own| own.asked.guarantee.is_none());
    let rest = sharing().filter(|own| own.host.is_none()).map(weight).next()?;
    let left = need.rounded().scale(sharing().map(weight).sum(), rest);
    let most = class.guarantee.get(direction).value.saturating_sub(left);
    let help = match most.bps() / STEP * STEP {
        0 => format!("write a larger `guarantee` in class {name}: it has no room for guarantees of hosts"),
        most => format!("lower the guarantees of hosts in class {name} to {} in total", Rate::from_bps(most)),
    };
    let places = places.into_iter().filter(|(place, _)| *place != at).take(POINTED_AT);
    Some(
        Diagnostic::new(Code::GuaranteeTooSmall, at, message)
            .label(label(need, short, direction))
            .also_at(
                places.map(|(place, rate)| {
                    (place, format!("takes {} {}", rate.rounded(4), direction.as_str()))
                }),
            )
            .help(help),
    )
}
