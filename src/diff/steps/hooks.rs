//! Filters at the hooks of the WAN device and of tunnels' devices, in two banks of preferences. A change fills the unused
//! bank.

use super::described::{Described, Line};
use super::filters::Lists;
use super::observed::{List, Observed, Tunnel};
use super::sides::{Side, Sides};
use super::step::{Cause, Object, Tool};
use super::values::option;
use super::writer::{Facts, Writer};
use crate::diff::cost::Price;
use crate::tc::{Dev, EGRESS_END_PREF, HOOK_BANK, Hook, INGRESS_LAST_PREF};

/// States of the hooks.
pub(super) struct Hooks<'h> {
    pub(super) was: &'h Described<'h>,
    pub(super) want: &'h Described<'h>,
    pub(super) held: &'h Observed,
    pub(super) now: &'h Observed,
    /// Kind of the qdisc at the WAN device's hooks; empty if there is none.
    pub(super) hook: &'h str,
    /// True if `--take-over` removes the qdisc of others there, with all filters.
    pub(super) evict: bool,
}

/// Place of a list: its name, its device, and the comment of its commands.
struct At<'a> {
    name: &'a str,
    device: &'a str,
    from: &'a str,
}

/// Returns the bank that packets meet. At the egress, where no filter ends a list, a whole bank is in force.
fn bank_in_force(name: &str, list: &List, was: &[Line<'_>]) -> Option<Side> {
    let (a, b) = (&list.banks.a.prefs, &list.banks.b.prefs);
    if a.is_empty() || b.is_empty() {
        return (!a.is_empty()).then_some(Side::A).or((!b.is_empty()).then_some(Side::B));
    }
    if name != "egress" {
        let last = if name.starts_with("egress") { EGRESS_END_PREF - 1 } else { INGRESS_LAST_PREF };
        return Some(if a.contains(&last) { Side::A } else { Side::B });
    }
    let mut all: Vec<u16> = was.iter().filter_map(|line| option(line.words, "pref")?.parse().ok()).collect();
    all.dedup();
    let is_whole = |held: &[u16], bank: u16| {
        all.len() == held.len() && all.iter().all(|pref| held.contains(&pref.saturating_add(bank)))
    };
    let second = !is_whole(a, 0) && (is_whole(b, HOOK_BANK) || a.len() < all.len());
    Some(if second { Side::B } else { Side::A })
}

/// Returns a described filter with its preference in a bank.
fn shifted(words: &str, bank: Side) -> String {
    match option(words, "pref").and_then(|pref| pref.parse::<u16>().ok()).filter(|_| bank == Side::B) {
        Some(pref) => words.replacen(
            &format!(" pref {pref}"),
            &format!(" pref {}", u32::from(pref) + u32::from(HOOK_BANK)),
            1,
        ),
        None => words.to_owned(),
    }
}

impl<'h> Hooks<'h> {
    /// Returns the device to which downloads are redirected.
    pub(super) fn redirect(&self) -> Option<&'h str> {
        let list = self.now.list("ingress")?;
        list.redirect(bank_in_force("ingress", list, &[])?)
    }

    /// Begins with the qdisc at the WAN device's hooks.
    pub(super) fn open(&self, from: &str, out: &mut Writer<'_>) {
        if self.evict {
            let reason = "`--take-over` deletes it with the filters that other tools added";
            let facts = Facts::new(Object::Hooks, Price::in_place(reason), Cause::Drift);
            out.say(Tool::Tc, &format!("qdisc del dev @wan {}", self.hook), "", facts);
        }
        if out.router.needs_hook && !self.is_there() {
            let had = |name| !self.was.list(name).is_empty();
            let lost = out.recorded && (had("ingress") || had("egress"));
            let cause = if lost { Cause::Drift } else { Cause::File };
            let facts = Facts::new(Object::Hooks, Price::in_place("no packet passes it yet"), cause);
            out.say(Tool::Tc, "qdisc add dev @wan clsact", from, facts);
        }
    }

    /// Ends with that qdisc, if a start made it and nothing needs it.
    pub(super) fn close(&self, from: &str, out: &mut Writer<'_>) {
        let made = out.router.before.lines().find_map(|line| line.strip_prefix("hook ")) == Some("made");
        if !out.router.needs_hook && self.is_there() && made {
            let reason = Price::in_place("no filters are attached to it any more");
            let facts = Facts::new(Object::Hooks, reason, Cause::File);
            out.say(Tool::Tc, &format!("qdisc del dev @wan {}", self.hook), from, facts);
        }
    }

    const fn is_there(&self) -> bool {
        !self.hook.is_empty() && !self.evict
    }

    /// Changes the list at a hook of the WAN device.
    pub(super) fn switch_wan(&self, hook: Hook, from: &str, out: &mut Writer<'_>) {
        let at = At { name: hook.as_str(), device: "@wan", from };
        let moves = out.redirect_moves && hook == Hook::Ingress;
        let facts = self.lists(at.name).0.facts(Object::Filters { dev: Dev::Wan, hook }, moves, out);
        self.switch(&at, &facts, out);
    }

    /// Downloads of a tunnel must always be queued, at the WAN device or behind the tunnel. So the lists that come are
    /// changed before the WAN device's lists, and those that go after them.
    pub(super) fn tunnels(&self, coming: bool, out: &mut Writer<'_>) {
        for tunnel in &self.now.tunnels {
            let name = format!("ingress {}", tunnel.name);
            if self.want.list(&name).is_empty() != coming {
                self.tunnel(tunnel, &name, coming, out);
            }
        }
    }

    fn tunnel(&self, tunnel: &Tunnel, name: &str, coming: bool, out: &mut Writer<'_>) {
        let device = tunnel.name.as_str();
        let last = self.want.list(name).last().or(self.was.list(name).last());
        let at = At { name, device, from: last.map_or(device, |line| line.from) };
        let facts =
            self.lists(name).0.facts(Object::Tunnel { device: device.to_owned() }, out.redirect_moves, out);
        let qdisc = Facts { values: Vec::new(), ..facts.clone() };
        let up = format!("egress {device}");
        let up = At { name: &up, device, from: at.from };
        if coming {
            if tunnel.hook == "none" {
                out.say(Tool::Tc, &format!("qdisc add dev {device} clsact"), at.from, qdisc);
            }
            self.switch(&at, &facts, out);
            self.switch(&up, &facts, out);
            return;
        }
        for at in [&at, &up] {
            self.delete(at, Side::A, &facts, out);
            self.delete(at, Side::B, &facts, out);
        }
        let made = format!("tunnel {device} {} made", tunnel.number);
        let is_crowded = self.list(name).is_some_and(|list| list.is_crowded);
        if tunnel.hook != "none" && !is_crowded && out.router.before.lines().any(|line| line == made) {
            out.say(Tool::Tc, &format!("qdisc del dev {device} {}", tunnel.hook), at.from, qdisc);
        }
    }

    fn switch(&self, at: &At<'_>, facts: &Facts, out: &mut Writer<'_>) {
        let (lists, force) = self.lists(at.name);
        if let Some(force) = force {
            // A killed start may have left filters there.
            self.delete(at, force.other(), facts, out);
        }
        if lists.is_same() && !(out.redirect_moves && at.name.starts_with("ingress")) {
            return;
        }
        let bank = force.map_or(Side::A, Side::other);
        for line in lists.want {
            out.say(Tool::Tc, &shifted(line.words, bank), line.from, facts.clone());
        }
        if let Some(force) = force {
            self.delete(at, force, facts, out);
        }
    }

    /// Deletes a bank, the last filter first: its packets meet the other list at once, those of earlier filters later.
    fn delete(&self, at: &At<'_>, bank: Side, facts: &Facts, out: &mut Writer<'_>) {
        let hook = at.name.split(' ').next().unwrap_or_default();
        for pref in self.list(at.name).into_iter().flat_map(|list| list.banks.get(bank).prefs.iter().rev()) {
            let words = format!("filter del dev {} {hook} pref {pref}", at.device);
            out.say(Tool::Tc, &words, &format!("{}, filters of before", at.from), facts.clone());
        }
    }

    /// Returns the present filters of a hook, as long as their qdisc stays.
    fn list(&self, name: &str) -> Option<&'h List> {
        self.now.list(name).filter(|_| !self.evict || name.contains(' '))
    }

    /// Returns a list in its four states, and the bank that packets meet.
    fn lists(&self, name: &str) -> (Lists<'h>, Option<Side>) {
        let (was, want, list) = (self.was.list(name), self.want.list(name), self.list(name));
        let force = list.and_then(|list| bank_in_force(name, list, was));
        let held = self.held.list(name).map_or(&[][..], |list| {
            let Sides { a, b } = &list.banks;
            if a.prefs.is_empty() { &b.lines } else { &a.lines }
        });
        let now = list.zip(force).map(|(list, bank)| list.banks.get(bank).lines.as_slice());
        (Lists { was, want, held, now }, force)
    }
}
