//! The order of all steps: devices, trees, hooks, and what is no longer needed.

use super::described::Described;
use super::direction::{Direction, fits};
use super::hooks::Hooks;
use super::normal::normal;
use super::observed::{Device, Observed};
use super::others::Others;
use super::router::Router;
use super::sides::Side;
use super::step::{Cause, Object, Step, Tool, Value};
use super::values::is_ours;
use super::writer::{Facts, Writer};
use crate::diff::cost::{Cost, Price};
use crate::tc::{Dev, Hook};

/// Steps of a start, and what is on the WAN device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// Steps in their order; empty if nothing needs to change.
    pub steps: Vec<Step>,
    /// Objects of others, each in the script's words.
    pub foreign: Vec<String>,
    /// True if the script's own root qdisc exists.
    pub our_root: bool,
}

/// Returns the steps from the observed to the described state.
#[must_use]
pub fn steps(router: &Router) -> Steps {
    let (was, want) = (Described::read(&router.was), Described::read(&router.wanted));
    let shown: Vec<String> = router.shown.lines().map(normal).filter(|line| !line.is_empty()).collect();
    let held = Observed::read(router.held.lines(), &[0, 1, 2]);
    let now = Observed::read(shown.iter().map(String::as_str), &order(router));
    let others = Others::find(router, shown.iter().map(String::as_str));
    let evict = router.take_over && others.are_at_hooks();
    let hooks = Hooks { was: &was, want: &want, held: &held, now: &now, hook: &others.hook, evict };
    let [first, second] = ifbs(router, &now);
    let redirect = hooks.redirect();
    let current = [&first, &second].into_iter().find(|ifb| redirect == Some(ifb.name) && !evict);
    let target = want.tree(Dev::Ifb).is_there().then(|| choose(&want, current, [&first, &second]));
    let mut out = Writer {
        router,
        target: target.map_or("", |ifb| ifb.name),
        redirect_moves: target.is_some_and(|ifb| redirect != Some(ifb.name)),
        recorded: !router.was.is_empty() && !router.held.is_empty(),
        steps: Vec::new(),
    };
    let from = |dev| want.tree(dev).root.from;
    let cause_of_link = match out.recorded && was.tree(Dev::Ifb).is_there() == target.is_some() {
        true => Cause::Drift,
        false => Cause::File,
    };
    if let Some(ifb) = target {
        let then = "downloads pass it from now on";
        link((ifb.name, ifb.up), then, from(Dev::Ifb), cause_of_link, &mut out);
    }
    if let ((name, up), true) = (&router.uploads_ifb, router.is_up_by_ifb) {
        let cause = cause(Cause::File, out.recorded);
        link((name, *up), "uploads pass it from now on", from(Dev::Wan), cause, &mut out);
    }
    txqueuelen(from(Dev::Wan), &mut out);
    hooks.open(from(Dev::Wan), &mut out);
    let mut take = |dev, (device_held, device, current): (&Device, &Device, &Device)| {
        let (was, want) = (was.tree(dev), want.tree(dev));
        let held = device_held.slots.get(device_held.live().unwrap_or(Side::A));
        let out = &mut out;
        let mut direction = Direction { dev, was, want, device_held, held, device, current, anew: None, out };
        direction.take();
        direction.anew
    };
    let rebuilt = target.and_then(|ifb| {
        let current = current.filter(|own| own.up > 0).map_or(ifb.device, |own| own.device);
        let [_, first, ..] = &held.devices;
        take(Dev::Ifb, (first, ifb.device, current)).filter(|(price, _)| price.cost == Cost::Rebuild)
    });
    if want.tree(Dev::Wan).is_there() {
        let ([held, ..], [now, ..]) = (&held.devices, &now.devices);
        take(Dev::Wan, (held, now, now));
    }
    leave_wan(&now, from(Dev::Wan), &mut out);
    hooks.tunnels(true, &mut out);
    hooks.switch_wan(Hook::Ingress, from(Dev::Wan), &mut out);
    hooks.switch_wan(Hook::Egress, from(Dev::Wan), &mut out);
    hooks.tunnels(false, &mut out);
    hooks.close(from(Dev::Wan), &mut out);
    for ifb in [&first, &second] {
        if ifb.up == 0 || ifb.name == out.target {
            continue;
        }
        let price = match (target, &rebuilt) {
            (_, Some((price, _))) => price.clone(),
            (None, None) => Price::rebuild("downloads are no longer shaped"),
            (Some(_), None) => Price::in_place("no packet passes it"),
        };
        let cause = rebuilt.as_ref().map_or(cause_of_link, |(_, cause)| *cause);
        let facts = Facts::new(Object::Ifb { name: ifb.name.to_owned() }, price, cause);
        out.say(Tool::Ip, &format!("link del dev {}", ifb.name), from(Dev::Wan), facts);
    }
    if let ((name, 1..), false) = (&router.uploads_ifb, router.is_up_by_ifb) {
        let price = Price::rebuild("uploads are queued at the WAN device from now on");
        let facts = Facts::new(Object::Ifb { name: name.clone() }, price, cause(Cause::File, out.recorded));
        out.say(Tool::Ip, &format!("link del dev {name}"), from(Dev::Wan), facts);
    }
    Steps { steps: out.steps, foreign: others.foreign, our_root: others.our_root }
}

/// An ifb, with its state as in [`Router::ifbs`].
struct Ifb<'n> {
    name: &'n str,
    up: u8,
    device: &'n Device,
}

/// Returns the two ifbs. tc showed those that exist, in this order.
fn ifbs<'n>(router: &'n Router, now: &'n Observed) -> [Ifb<'n>; 2] {
    let ([(name, up), (second_name, second_up)], [_, first, second, _]) = (&router.ifbs, &now.devices);
    let device = |up: u8, device| if up > 0 { device } else { &now.missing };
    [
        Ifb { name, up: *up, device: device(*up, first) },
        Ifb {
            name: second_name,
            up: *second_up,
            device: device(*second_up, if *up > 0 { second } else { first }),
        },
    ]
}

/// Keeps the ifb in use, unless its root must be replaced. Then the redirect switches when the other ifb is ready.
fn choose<'i>(
    want: &Described<'_>,
    current: Option<&'i Ifb<'i>>,
    [first, second]: [&'i Ifb<'i>; 2],
) -> &'i Ifb<'i> {
    let fit = |ifb: &&Ifb<'_>| ifb.up > 0 && fits(want.tree(Dev::Ifb), ifb.device);
    match current.filter(|ifb| ifb.up > 0) {
        Some(ifb) if fit(&ifb) => ifb,
        Some(ifb) if ifb.name == first.name => second,
        Some(_) => first,
        None => [first, second].into_iter().find(fit).unwrap_or(first),
    }
}

/// Adds the steps that make an ifb and bring it up. `then` says what passes it from now on.
fn link((name, up): (&str, u8), then: &'static str, from: &str, cause: Cause, out: &mut Writer<'_>) {
    let facts = |reason| Facts::new(Object::Ifb { name: name.to_owned() }, Price::in_place(reason), cause);
    if up == 0 {
        let words = format!("link add name {name} type ifb");
        out.say(Tool::Ip, &words, from, facts("no packet passes it yet"));
    }
    if up < 2 {
        let words = format!("link set dev {name} txqueuelen 1000 alias qosc-{} up", out.router.link);
        out.say(Tool::Ip, &words, from, facts(then));
    }
}

/// Returns the numbers of the devices in [`Observed::devices`], in the order in which tc showed their roots.
fn order(router: &Router) -> Vec<usize> {
    if !router.is_up_by_ifb {
        return vec![0, 1, 2];
    }
    let ifbs = router.ifbs.iter().filter(|(_, up)| *up > 0).count();
    let up = Some(0).filter(|_| router.has_up());
    up.into_iter().chain([1, 2].into_iter().take(ifbs)).chain([3]).collect()
}

const fn cause(cause: Cause, recorded: bool) -> Cause {
    if recorded { cause } else { Cause::Unknown }
}

/// Adds the steps that remove our tree from the WAN device after the ifb for uploads has taken its place.
fn leave_wan(now: &Observed, from: &str, out: &mut Writer<'_>) {
    let ([.., wan], router) = (&now.devices, out.router);
    if !is_ours(&wan.root) {
        return;
    }
    let price = Price::rebuild("uploads are queued on an ifb from now on");
    let facts = Facts::new(Object::Root { dev: Dev::Wan }, price, cause(Cause::File, out.recorded));
    out.say(Tool::Tc, &format!("qdisc del dev {} root", router.wan), from, facts.clone());
    let before = router.before.lines().find_map(|line| line.strip_prefix("root "));
    if let Some(before) = before.filter(|words| !words.is_empty() && *words != "default") {
        out.say(Tool::Tc, &format!("qdisc replace dev {} root {before}", router.wan), from, facts);
    }
}

/// Adds the step for the WAN device's own queue. Without a desired length, it gets the length from before our first start.
fn txqueuelen(from: &str, out: &mut Writer<'_>) {
    let Router { queue, txqueuelen, before, wan, .. } = out.router;
    let before = before.lines().find_map(|line| line.strip_prefix("txqueuelen "));
    let new = if txqueuelen.is_empty() { before.unwrap_or_default() } else { txqueuelen };
    if !new.is_empty() && new != queue {
        let price = Price::in_place("no packet waits in the device's own queue");
        let mut facts = Facts::new(Object::Txqueuelen, price, Cause::File);
        facts.values =
            vec![Value { field: "txqueuelen".to_owned(), old: queue.clone(), new: new.to_owned() }];
        out.say(Tool::Ip, &format!("link set dev {wan} txqueuelen {new}"), from, facts);
    }
}

#[cfg(test)]
#[path = "converge_tests.rs"]
mod tests;
