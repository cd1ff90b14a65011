//! Resolves [`Raw`] into [`Model`]. It binds names, fills in defaults and profiles, converts percentages to rates,
//! assigns ids, and derives every other number with its formula.
//!
//! Most modules resolve the section of the file that has their name: `link`, `lan`, `hosts`, `tunnels`, `classes`,
//! `matches`, `police`, `tuning`, `expect` and `variants`. Module `link` uses `guess`, and `classes` uses `rates`, `shares` and
//! `queues`.
//!
//! The others serve several sections. `aside` holds rates that the classes leave free. `ids` assigns class ids, and
//! `names` resolves names. `cake` assigns classes to tins in a direction without HTB. `aggregates` decides about
//! offloads. Every formula is in [`crate::derive`], and the link profiles are in
//! [`crate::profile`].

mod aggregates;
mod apps;
mod aside;
mod bounds;
mod cake;
mod claims;
mod classes;
mod each;
mod expect;
mod given_rates;
mod guess;
mod host_classes;
mod hosts;
mod identities;
mod ids;
mod lan;
mod link;
mod marks;
mod matches;
mod memory;
mod names;
mod places;
mod police;
mod queues;
mod rates;
mod shares;
mod text;
mod tuning;
mod tunnels;
mod unshaped;
mod variants;
mod vary;

use crate::budget;
use crate::diag::{FileId, Sink};
use crate::model::{Engine, FileSection, Model, PerDirection, Tunnel, Val, leaves};
use crate::syntax::Raw;
use crate::syntax::raw::RawLink;
use matches::Scope;

/// Resolves a file that was read. It reports every finding and continues; `None` if no useful model remains.
///
/// `stem` is the file name without its extension, the default for the link's name. `link` is the name of one of several
/// links in the file.
#[must_use]
pub fn resolve(raw: &Raw, stem: &str, link: Option<&str>, file: FileId, sink: &mut Sink) -> Option<Model> {
    let at = link::place(raw.link.as_ref(), file);
    let name = names::link(raw.name.as_ref(), stem, link, at, sink);
    // A placeholder for a missing `link`, so that the rest of the file can be checked.
    let absent = RawLink { key: at, ..RawLink::default() };
    let mut draft = link::resolve(raw.link.as_ref().unwrap_or(&absent), sink)?;
    let lan = lan::resolve(raw.lan.as_ref(), sink);
    let objects = raw.hosts.len() + raw.tunnels.len() + raw.police.len();
    let classes = raw.classes.as_ref().map_or(0, |classes| classes::flatten(&classes.list).len());
    if !sink.charge(objects, budget::OBJECT) || !sink.charge(classes, budget::CLASS) {
        return None;
    }
    let raw_hosts = each::expanded(&raw.hosts, sink);
    let hosts: Vec<_> = raw_hosts.iter().map(hosts::resolve).collect();
    let tunnels: Vec<Tunnel> = raw.tunnels.iter().map(|raw| tunnels::resolve(raw, sink)).collect();

    let with_errors = raw.sections.with_errors(sink.iter());
    let set = classes::Set::of(raw, at, &with_errors);
    let mut names =
        names::Names::new(&draft.link, &hosts, &tunnels, unread(raw, with_errors), raw.sections.keys());
    let outline = classes::outline(set, &mut names, sink);

    let rates = police::rates(&raw.police, &draft.link, sink);
    let aside = police::aside(&raw.police, &rates, &draft, sink);
    let offloads = tuning::offloads(raw.tuning.as_ref());
    draft.finish(&aside);

    // behind such a tunnel's device, downloads show no host
    let translated = tunnels.iter().find(|tunnel| tunnel.nat.value && !lan.nat.value);
    let translated = translated
        .map(|tunnel| Val::derived(true, format!("`nat` of tunnel `{}`", tunnel.name), tunnel.nat.span()));
    let nat = translated.as_ref().unwrap_or(&lan.nat);
    let scope = Scope { names: &names, hosts: &hosts };
    let flows = crate::derive::flows(2 * outline.leaves + host_classes::queues(&raw_hosts));
    let builder = classes::Builder {
        scope,
        packet: draft.packet(),
        tree: PerDirection::from_fn(|d| draft.link.tree.get(d).value),
        nat,
        flows: &flows,
        outline: &outline,
    };
    let (varies, mut at_line) = (draft.link.vary.is_some(), Sink::default());
    let mut classes =
        builder.build(set, draft.of_line(&aside), if varies { &mut at_line } else { &mut *sink });
    let police: Vec<_> = raw
        .police
        .iter()
        .zip(&rates)
        .filter_map(|(raw, rate)| police::resolve(raw, rate.as_ref(), &draft, scope, sink))
        .collect();
    let expect = raw.expect.iter().filter_map(|raw| expect::resolve(raw, &names, sink)).collect();
    let (packet, tree) = (builder.packet, builder.tree);
    let mut hosts = hosts.clone();
    hosts::settle(&mut hosts, &raw_hosts, &leaves(&classes), &names, sink);
    let host_classes = host_classes::Builder {
        hosts: &hosts,
        raw: &raw_hosts,
        set,
        ids: &outline.ids,
        packet,
        tree,
        htb: PerDirection::from_fn(|d| draft.link.engine.get(d).value == Engine::Htb),
        nat,
        tunnels: tunnels.iter().any(Tunnel::is_one_host_under_nat),
        flows: &flows,
    };
    host_classes.build(&mut classes, if varies { &mut at_line } else { &mut *sink });
    bounds::settle(&builder, set, host_classes, &draft.link, &at_line, sink);
    let split = aggregates::settle(&mut draft.link, &mut classes, &offloads);
    let tuning = tuning::resolve(raw.tuning.as_ref(), &draft.link, offloads, split);
    let cake = cake::resolve(&draft.link, &classes);
    let memory = memory::memory(&classes, &cake, &draft.link);
    let mut model = Model {
        name: name?,
        link: draft.link,
        lan,
        hosts,
        tunnels,
        classes,
        cake,
        police,
        tuning,
        calls: raw.script.as_ref().map_or_else(Vec::new, |script| lan::given(&script.calls)),
        marks: None,
        memory,
        expect,
        variants: variants::resolve(&raw.variants, sink),
        with_errors: Vec::new(),
    };
    tunnels::settle(&mut model);
    unshaped::check(raw, &model.link, sink);
    model.marks = marks::resolve(&model, sink);
    model.with_errors = raw.sections.with_errors(sink.iter());
    Some(model)
}

/// Returns the sections with errors from which no name could be read.
fn unread(raw: &Raw, mut with_errors: Vec<FileSection>) -> Vec<FileSection> {
    let named = |part: &FileSection| match part {
        FileSection::Hosts => !raw.hosts.is_empty(),
        FileSection::Tunnels => !raw.tunnels.is_empty(),
        FileSection::Link => raw.link.as_ref().is_some_and(|link| !link.devices.is_empty()),
        _ => raw.classes.is_some() && raw.sections.keys().iter().any(|(own, _)| own == part),
    };
    with_errors.retain(|part| !named(part));
    with_errors
}
