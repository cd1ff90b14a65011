//! Sections on police, settings outside the qdiscs, memory, and the filters of each match.

use super::row::PACKET;
use super::row::{ExplanationRow, ExplanationSection, derived, fixed, row, row_as};
use indexmap::IndexMap;
use qosc_compiler::derive::INSTEAD_RTT;
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{Amount, Ingress, Model, whole_queues};
use qosc_compiler::tc::{
    Action, Classifier, Dev, Filter, FilterProtocol, HashTable, Hook, INGRESS_LAST_PREF, Program, Sysctl, Why,
};
use std::collections::BTreeMap;

/// Ids of the rows on the bytes that a packet is charged. The index of a police depends on them.
const CHARGE: [&str; 3] = ["link.overhead", "link.mpu", "link.layer"];

/// Returns a section for each police, and one for the police that replaces the shaper of downloads.
pub(super) fn police(model: &Model, program: &Program) -> Vec<ExplanationSection> {
    let indexes: BTreeMap<String, u32> =
        indexes(program).into_iter().map(|(index, name)| (name, index)).collect();
    let index = |name: &str| {
        let index = indexes.get(name);
        let why = "computed from the names and values of this policer, so it is unique and never that of an old policer";
        index.map(|index| derived(format!("police.{name}.index"), "index", index, why))
    };
    let mut sections = Vec::new();
    for police in &model.police {
        let id = |what: &str| format!("police.{}.{what}", police.name);
        let shaped = format!("link.shaped.{}", police.direction.as_str());
        let rate = row(id("rate"), "rate", &police.rate).takes([shaped]);
        let rate = match police.asked {
            Amount::Share(share) => rate.written(share, police.rate.span()),
            Amount::Rate(_) => rate,
        };
        let mut rows = vec![rate, row(id("burst"), "burst", &police.burst).takes([id("rate")]).takes(PACKET)];
        rows.extend(index(&police.name).map(|row| row.takes([id("rate"), id("burst")]).takes(CHARGE)));
        sections.push(ExplanationSection::new(
            format!("police {} ({})", police.name, police.direction.as_str()),
            rows,
        ));
    }
    if model.link.ingress.value == Ingress::Police {
        let burst =
            row("police..burst", "burst", &model.link.ingress_burst).takes(["link.tree.down"]).takes(PACKET);
        let rows = [burst]
            .into_iter()
            .chain(index("").map(|row| row.takes(["link.tree.down", "police..burst"]).takes(CHARGE)));
        sections.push(ExplanationSection::new("police of all downloads", rows.collect()));
    }
    sections
}

/// Index of each police and its name. The police on all downloads has no name.
pub(super) fn indexes(program: &Program) -> BTreeMap<u32, String> {
    let police = |filter: &Filter| {
        filter
            .actions
            .iter()
            .filter_map(|action| match action {
                Action::Police(police) => Some(police.index),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let last = |filter: &&Filter| filter.hook == Hook::Ingress && filter.pref == INGRESS_LAST_PREF;
    let whole = program.filters.iter().find(last).into_iter().flat_map(police);
    let mut indexes: BTreeMap<u32, String> = whole.map(|index| (index, String::new())).collect();
    for filter in &program.filters {
        for index in police(filter) {
            indexes.entry(index).or_insert_with(|| filter.why.name.clone());
        }
    }
    indexes
}

/// Section on settings outside the qdiscs, and on properties of the router.
pub(super) fn router(model: &Model, program: &Program) -> ExplanationSection {
    let tuning = &model.tuning;
    let mut rows = vec![
        row("lan.nat", "nat", &model.lan.nat),
        row_as("router.offloads", "offloads", &tuning.offloads, tuning.offloads.value.as_str()),
    ];
    if model.lan.nat_ipv6.value {
        rows.push(row("lan.nat_ipv6", "nat of IPv6", &model.lan.nat_ipv6));
    }
    if !model.lan.shaped.value {
        rows.push(row("lan.shaped", "LAN shaped", &model.lan.shaped));
    }
    for direction in model.link.shaped_directions() {
        let name = direction.as_str();
        let takes = [
            format!("link.tree.{name}"),
            format!("link.margin.{name}"),
            "router.offloads".to_owned(),
            "link.overhead".to_owned(),
            "link.layer".to_owned(),
        ];
        // only the formula of a decision for a class names one
        let formula = tuning.split.get(direction).formula().unwrap_or_default();
        let queues = whole_queues(&model.classes, direction);
        let of = queues.filter(|queue| formula.contains(&format!("`{}`", queue.name)));
        rows.push(
            row(format!("router.split.{name}"), format!("offloads off {name}"), tuning.split.get(direction))
                .takes(takes)
                .takes(of.map(|queue| format!("class.{}.{name}.ceiling", queue.name)))
                .takes(PACKET),
        );
    }
    if program.qdiscs.iter().any(|qdisc| qdisc.instead.is_some()) {
        let what = "rtt of the CAKE instead";
        let why = "CAKE's default: this CAKE replaces fq_codel if offloads cannot be turned off";
        rows.push(fixed("router.instead.rtt", what, INSTEAD_RTT, why));
    }
    let clears = |filter: &Filter| filter.actions.contains(&Action::ClearLabel);
    if program.filters.iter().any(clears) {
        let why = "a flow label that hides the flows inside a tunnel is cleared";
        rows.push(fixed("router.labels", "flow label set", 0, why));
    }
    rows.extend(tuning.txqueuelen.as_ref().map(|length| row("router.txqueuelen", "txqueuelen", length)));
    rows.extend(tuning.bql.as_ref().map(|bytes| row("router.bql", "bql", bytes)));
    if let Some(tcp) = &tuning.tcp {
        rows.push(row("router.tcp.rtt", "tcp rtt", &tcp.rtt));
        rows.push(
            row("router.tcp.send", "send buffer", &tcp.send).takes(["link.shaped.up", "router.tcp.rtt"]),
        );
        rows.push(
            row("router.tcp.receive", "receive buffer", &tcp.receive)
                .takes(["link.shaped.down", "router.tcp.rtt"]),
        );
    }
    rows.extend(tuning.ecn.as_ref().map(|ecn| row("router.ecn", "ecn", ecn)));
    rows.extend(program.settings.sysctls.iter().map(sysctl));
    let calls = model.calls.iter().map(|own| (own, own.value.as_str()));
    rows.extend(calls.map(|(own, name)| row_as(format!("script.{name}"), "call", own, name)));
    ExplanationSection::new("the router", rows)
}

fn sysctl(setting: &Sysctl) -> ExplanationRow {
    let Sysctl { path, value } = setting;
    let (formula, of) = match *path {
        "net/ipv4/tcp_rmem" => {
            ("the kernel's own minimum and default, and the receive buffer", "router.tcp.receive")
        }
        "net/ipv4/tcp_wmem" => {
            ("the kernel's own minimum and default, and the send buffer", "router.tcp.send")
        }
        "net/core/rmem_max" => ("the receive buffer", "router.tcp.receive"),
        "net/core/wmem_max" => ("the send buffer", "router.tcp.send"),
        "net/ipv4/tcp_ecn" => ("1 requests ECN, 2 only accepts it", "router.ecn"),
        _ => {
            return fixed(
                format!("sysctl.{path}"),
                *path,
                value,
                "so that flow labels hide no flows inside tunnels",
            );
        }
    };
    derived(format!("sysctl.{path}"), *path, value, formula).takes([of])
}

/// Section on the memory of all queues. `sections` has the rows that it is computed from.
pub(super) fn memory(model: &Model, sections: &[ExplanationSection]) -> ExplanationSection {
    let ids = || sections.iter().flat_map(|section| &section.rows).map(|row| row.id.as_str());
    let of = |ends: &'static [&str]| ids().filter(|id| ends.iter().any(|end| id.ends_with(end)));
    let rows = vec![
        row("memory.queues", "queues", &model.memory.queues).takes(of(&[".share", ".flows", ".fifo.limit"])),
        row("memory.packets", "packets, at most", &model.memory.packets)
            .takes(of(&[".memory", ".fifo.limit"])),
    ];
    ExplanationSection::new("memory", rows)
}

/// Returns the row id for the origin of a filter.
pub(super) fn filter_id(why: &Why) -> String {
    let line = why.own_line().map(|line| format!("@{line}")).unwrap_or_default();
    format!("filters.{}{line}: {}", why.name, why.what)
}

/// Returns the row id for the preferences of a hook and protocol.
pub(super) fn preference_id(filter: &Filter) -> String {
    format!("filters.{}.{}.{}", filter.dev.as_str(), filter.hook.as_str(), filter.protocol.as_str())
}

/// Section on the number of filters of each match, and on the preferences.
pub(super) fn filters(program: &Program) -> ExplanationSection {
    let mut rows: Vec<ExplanationRow> = Vec::new();
    let mut places: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut preferences: BTreeMap<String, (u16, u16)> = BTreeMap::new();
    for filter in &program.filters {
        let (first, last) = preferences.entry(preference_id(filter)).or_insert((filter.pref, filter.pref));
        (*first, *last) = ((*first).min(filter.pref), (*last).max(filter.pref));
        let at = rows.len();
        let (at, number) = places.entry(filter_id(&filter.why)).or_insert((at, 0));
        *number += 1;
        match rows.get_mut(*at) {
            Some(row) => row.value = number.to_string(),
            None => rows.push(of_match(&filter.why)),
        }
    }
    rows.extend(preferences.into_iter().map(|(id, (first, last))| {
        let what = id.replacen("filters.", "preferences ", 1).replace('.', " ");
        let value = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let formula =
            "numbered in the order of evaluation; a change fills another chain, or at the hooks a bank of larger numbers";
        derived(id, what, value, formula)
    }));
    let words = [(Dev::Wan, "an upload"), (Dev::Ifb, "a download")].into_iter();
    let words = words.filter_map(|(dev, packet)| {
        met(program, dev).map(|met| format!("filters that {packet} meets at most, by its class: {met}"))
    });
    ExplanationSection { words: words.collect(), ..ExplanationSection::new("filters by origin", rows) }
}

/// Number of classes whose filters a sentence lists.
const LISTED: usize = 12;

/// Returns the largest number of filters at the root that a packet of each class is compared with, links to hash tables
/// included. `None` without filters.
fn met(program: &Program, dev: Dev) -> Option<String> {
    let filters: Vec<&Filter> =
        program.filters.iter().filter(|filter| filter.dev == dev && filter.hook == Hook::Root).collect();
    let mut so_far: BTreeMap<FilterProtocol, usize> = BTreeMap::new();
    let mut classes: IndexMap<&str, usize> = IndexMap::new();
    for list in filters.chunk_by(|one, next| (one.pref, one.protocol) == (next.pref, next.protocol)) {
        for (place, filter) in list.iter().enumerate() {
            let before = match filter.protocol {
                FilterProtocol::All => so_far.values().max().copied().unwrap_or_default(),
                protocol => so_far.get(&protocol).copied().unwrap_or_default(),
            };
            let now = before
                + match (filter.classifier, place) {
                    (Classifier::U32, _) | (Classifier::Fw, 0) => 1,
                    (Classifier::Hash, 0) => {
                        HashTable::of_filters(list).map_or(list.len(), |table| table.longest())
                    }
                    _ => 0,
                };
            so_far.insert(filter.protocol, now);
            let most = classes.entry(&filter.why.name).or_default();
            *most = now.max(*most);
        }
    }
    let most = classes.values().max()?;
    let each = classes.iter().map(|(name, most)| format!("{} {most}", ticked(name)));
    Some(if classes.len() > LISTED { most.to_string() } else { each.collect::<Vec<_>>().join(", ") })
}

fn of_match(why: &Why) -> ExplanationRow {
    let what = if why.what.is_empty() { why.name.clone() } else { format!("{}: {}", why.name, why.what) };
    let mut row = fixed(filter_id(why), what, 1, "a built-in set of classes, or part of every script");
    if why.own_line().is_some() {
        row.from = super::Whence::Given { line: why.own_line() };
    }
    row
}
