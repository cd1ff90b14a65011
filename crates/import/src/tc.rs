//! Imports the output of `tc`: trees of HTB and CAKE with their filters.

mod gather;
mod original;
mod queue;
mod read;
mod root;
mod selector;
mod tree;

use super::cake;
use super::config::{Charge, Class, Config, Match};
use super::device::{above_ip, bounded};
use super::fit::{about_rates, fit};
use super::foreign::{self, BY_TC};
use super::proof::proven;
use super::proof::side::Sides;
use super::report::{Import, ImportReport, Part, Wanted};
use super::text::START;
use qosc_compiler::diag::{Span, ticked};
use qosc_compiler::terms::limits::MTU;
use qosc_compiler::terms::{Diffserv, Direction, PerDirection};
use qosc_compiler::units::{Family, IfName, LinkName};
use read::{Place, Text};
use root::Link;
use std::collections::HashSet;

/// Converts the output of `tc`. `wanted` may name the WAN device, and `lan` a device whose egress carries the
/// downloads.
#[must_use]
pub fn tc(text: &str, wanted: Wanted<'_>, lan: Option<&str>) -> Import {
    let mut report = ImportReport::default();
    if let Some(import) = foreign::only_finding(text, "tc") {
        return import;
    }
    let mut read = read::read(text, &mut report);
    read.devices.values_mut().for_each(|device| read::place_tables(device, &mut report));
    let links = links(&read, lan);
    if links.is_empty() {
        report.bad(START, "the text shows no shaper: no device has HTB, CAKE or TBF as its root", BY_TC);
    }
    let more = "; if it is the LAN device that shapes the downloads, name it in `--lan`";
    report.import("device", &links, wanted, more, |link, report| {
        let source = PerDirection::from_fn(|one| original::side(link, one, report));
        let mut config = config(link, &read, (lan, &source), report)?;
        proven(&mut config, &source, report);
        Some(config)
    })
}

/// Returns the bytes of the header of the WAN device, if a dump says so.
fn header(read: &Text) -> Option<u32> {
    read.head.header.filter(|bytes| *bytes <= 64)
}

/// Returns the links of a text, first that of a dump: devices with a shaper that are not the ifb of another device.
fn links<'a>(read: &'a Text, lan: Option<&str>) -> Vec<Part<'a, Link<'a>>> {
    let device = |name: &str| read.devices.get(name);
    let target = |name: &str| {
        let filters = device(name).map(|device| device.filters.as_slice()).unwrap_or_default();
        filters.iter().filter(|filter| filter.place == Place::Ingress).find_map(selector::redirected)
    };
    let ifbs: HashSet<&str> = read.devices.keys().filter_map(|name| target(name)).chain(lan).collect();
    let names = read.devices.keys().map(String::as_str).filter(|name| !ifbs.contains(name));
    let link = |name| {
        let down = target(name).or(lan).and_then(device);
        let devices = PerDirection { up: device(name), down };
        let header = header(read).map_or_else(|| above_ip(name), i64::from);
        let root = |device| root::root(device, header);
        let roots = PerDirection { up: devices.up.and_then(root), down: down.and_then(root) };
        let span = roots.up.as_ref().or(roots.down.as_ref())?.qdisc.span;
        Some(Part { name, span, enabled: true, of: Link { name, devices, roots } })
    };
    let mut links: Vec<_> = names.filter_map(link).collect();
    links.sort_by_key(|link| link.name != read.head.wan);
    links
}

fn config(
    link: &Link<'_>,
    read: &Text,
    (lan, sides): (Option<&str>, &Sides),
    report: &mut ImportReport,
) -> Option<Config> {
    let Ok(device) = link.name.parse::<IfName>() else {
        return report.refuse(START, format!("{} is no name of a device", ticked(link.name)), BY_TC);
    };
    let rate = |direction| link.root(direction).map(|root| root.rate);
    let (up, down) = (rate(Direction::Up), rate(Direction::Down));
    let policed = link.filters(Direction::Up).find_map(tree::whole_policer).filter(|_| down.is_none());
    let root = link.first()?;
    let span = root.qdisc.span;
    let charge = Charge {
        profile: "raw",
        overhead: Some(bounded(root.cost.overhead, span, "overhead", report)),
        mpu: Some(bounded(root.cost.mpu, span, "mpu", report)),
        layer: Some(root.cost.layer),
        mtu: link.devices.up.and_then(|own| own.mtu).filter(|mtu| MTU.contains(mtu) && *mtu != 1500),
    };
    if let (Some(up), Some(down)) = (&link.roots.up, &link.roots.down)
        && up.cost != down.cost
    {
        report.two_costs(down.qdisc.span);
    }
    for class in [link.devices.up, link.devices.down].into_iter().flatten().filter_map(root::other_cost) {
        let said = "this class counts other bytes for a packet than the first class";
        report.lost(class.span, said, "the bytes of the first class are used");
    }
    let cake = PerDirection::from_fn(|one| {
        let root = link.root(one).filter(|root| root.cake.is_some())?;
        Some(if root.qdisc.kind == "cake_mq" { "cake_mq" } else { "cake" })
    });
    let source = format!("the output of tc for `{device}`");
    let rates = PerDirection { up, down: down.or(policed) };
    let name = LinkName::like(&read.head.link).or_else(|| LinkName::like(link.name));
    let new = Config::new(&source, name, device, rates, charge);
    let mut config = Config { cake, polices_down: policed.is_some(), ..new };
    about_rates(&mut config, "tc shows", up.is_some(), !root.above_ip && header(read).is_none(), report);
    of_cake(link, &mut config, span, report);
    if config.classes.is_empty() {
        config.classes = tree::classes(link, sides, report);
    }
    let reads_dscp = config.classes.iter().any(Class::reads_dscp);
    config.trust_dscp = reads_dscp && !link.restores();
    if reads_dscp && link.restores() {
        cake::report_restored(span, report);
    }
    // An address of the house is visible on the WAN device only without NAT, and on the LAN device always.
    let is_addressed = |one: &Match| {
        let has = one.local.iter().any(|address| address.family() == Family::Ipv4);
        has && (lan.is_none() || one.direction != Some(Direction::Down))
    };
    let is_addressed = |class: &Class| class.matches.iter().any(is_addressed);
    let translates = link.qdiscs().any(|(_, qdisc)| qdisc.kind.starts_with("cake") && qdisc.has("nat"));
    if !translates && config.classes.iter().any(|class| class.any(&is_addressed)) {
        config.nat = Some(false);
    }
    fit(&mut config, report);
    Some(config)
}

/// Sets what follows from CAKE as a root: `wash`, `nat`, and the classes of tins that follow the DSCP.
fn of_cake(link: &Link<'_>, config: &mut Config, span: Span, report: &mut ImportReport) {
    let options = |one| link.root(one).and_then(|root| root.cake.clone());
    let (up, down) = (options(Direction::Up), options(Direction::Down));
    let Some(one) = up.clone().or(down.clone()) else { return };
    let washes = |own: &Option<cake::Options>| own.as_ref().is_some_and(|own| own.wash);
    config.wash = PerDirection { up: washes(&up), down: washes(&down) };
    if one.nat == Some(false) {
        config.about_rates.push(cake::NONAT.to_owned());
    }
    let both = PerDirection { up: up.unwrap_or_else(|| one.clone()), down: down.unwrap_or(one) };
    if Direction::BOTH.iter().any(|one| link.has_htb(*one)) {
        report.other(span, "CAKE sorts one direction, and HTB the other: the classes are those of HTB", "");
        return;
    }
    for direction in Direction::BOTH {
        if let Some(root) = link.root(direction) {
            let mut own = cake::Options::new(Diffserv::Diffserv3);
            cake::read(&root.qdisc.words, &mut own, direction, report);
        }
    }
    config.classes = cake::classes(&both, link.restores());
}
