//! Section on the devices of prefixes with `each`: how a packet finds its class, and what that costs.

use super::row::ExplanationSection;
use qosc_compiler::derive::memory_of;
use qosc_compiler::diag::{count, ticked};
use qosc_compiler::model::{Class, Direction, HostClass, Model};
use qosc_compiler::tc::{Classifier, Filter, Program, class_minor};
use qosc_compiler::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// Title of the section.
pub(super) const DEVICES: &str = "devices of prefixes";

/// Section with the sentences on each prefix.
pub(super) fn devices(model: &Model, program: &Program) -> ExplanationSection {
    let prefixes = model.hosts.iter().enumerate().filter(|(_, host)| host.each);
    let words = prefixes.filter_map(|(of, host)| sentences(model, program, of, &host.name));
    ExplanationSection { words: words.collect(), ..ExplanationSection::new(DEVICES, Vec::new()) }
}

fn sentences(model: &Model, program: &Program, of: usize, name: &str) -> Option<String> {
    let is_device = |own: &HostClass| own.host.and_then(|host| model.hosts.get(host)?.of) == Some(of);
    let leaves = || model.leaves().into_iter().filter_map(Class::leaf);
    let classes: Vec<(Direction, &HostClass)> = (model.link.shaped_directions())
        .flat_map(|direction| {
            leaves().flat_map(move |leaf| leaf.host_classes(direction)).map(move |own| (direction, own))
        })
        .filter(|(_, own)| is_device(own))
        .collect();
    let most = Direction::BOTH.iter().filter_map(|direction| {
        let (_, own) = classes.iter().find(|(of, _)| of == direction)?;
        Some(format!("{} {}", own.ceiling.value.for_people(), direction.as_str()))
    });
    let kind: &str = (&classes.first()?.1.queue).into();
    let ids: BTreeSet<u16> = classes.iter().map(|(_, own)| class_minor(own.id.value.0)).collect();
    let is_theirs = |filter: &&Filter| filter.flowid.is_some_and(|id| ids.contains(&id.minor));
    // Filters that are compared, by device; one lookup finds any other.
    let mut met: BTreeMap<_, usize> = BTreeMap::new();
    for filter in program.filters.iter().filter(is_theirs) {
        *met.entry(&filter.dev).or_default() += usize::from(filter.classifier == Classifier::U32);
    }
    let memory = Bytes::new(classes.iter().map(|(_, own)| memory_of(&own.queue)).sum());
    let by = if model.lan.nat.value { "the mark of its connection" } else { "its address" };
    Some(format!(
        "Each of {} of host {} has an HTB class and a queue of its own ({kind}), of at most {}: its packets wait there, and no meter drops them. A download finds its class by {by}. IPv6 packets of these devices have no class of their own. This costs {}, {} of which a packet meets at most {}, and {} of memory while no packets wait.",
        count(model.devices(of).count(), "address"),
        ticked(name),
        most.collect::<Vec<_>>().join(" and "),
        count(classes.len(), "class"),
        count(program.filters.iter().filter(is_theirs).count(), "filter"),
        met.values().max().copied().unwrap_or_default().max(1),
        memory.for_people(),
    ))
}
