//! Walk over all devices: choice of the ifb, the hooks, each direction, the filters at the hooks, leftover devices.

use super::described::{Described, Line, List, name, place};
use super::shown::{At, Hooked, Number, Observed, ShownDevice, held_place};
use super::step::{Cause, Object, Step, Tool, Value};
use crate::diff::cost::Price;
use crate::tc::{Dev, Hook};
use std::collections::BTreeSet;

/// The four texts that the steps follow from.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Description of the last completed start; empty if there is no record.
    pub was: &'a str,
    /// Kernel state after that start, in the script's normal form.
    pub held: &'a str,
    /// Current kernel state, in the same form.
    pub now: &'a str,
    /// Description of the current program.
    pub wanted: &'a str,
}

/// Further facts that the script knows about its router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// Name of the link.
    pub link: String,
    /// Name of the WAN device.
    pub wan: String,
    /// The two ifbs with their states: 0 if the device does not exist, 1 if it is down, 2 if it is up.
    pub ifbs: [(String, u8); 2],
    /// True if `--take-over` removes a hook qdisc that others use.
    pub evict_hook: bool,
    /// Qdisc of the hooks: `clsact`, `ingress` or empty.
    pub hooked: String,
    /// True if we made that qdisc.
    pub hook_made: bool,
    /// Tunnel devices whose hook qdisc we made, each with its index in the kernel.
    pub tunnels_made: Vec<(String, String)>,
    /// True if the program has filters at the hooks.
    pub needs_hook: bool,
    /// Current and desired queue length of the WAN device; both are empty if we do not manage it.
    pub queue: (String, String),
}

/// Returns the steps from the observed to the described state, in execution order; empty if nothing needs to change.
#[must_use]
pub fn steps(texts: Texts<'_>, before: &Before) -> Vec<Step> {
    let mut walk = Walk {
        was: Described::read(texts.was),
        held: Observed::read(texts.held),
        now: Observed::read(texts.now),
        wanted: Described::read(texts.wanted),
        recorded: !texts.was.is_empty() && !texts.held.is_empty(),
        before,
        target: None,
        redirect_moves: false,
        gone: BTreeSet::new(),
        rebuilt: [None, None],
        steps: Vec::new(),
    };
    walk.all();
    walk.steps
}

/// Ifb that downloads will go through.
pub(super) struct Target {
    pub(super) name: String,
    up: u8,
    pub(super) place: ShownDevice,
    /// Position of the ifb that downloads go through now.
    pub(super) current: ShownDevice,
}

pub(super) struct Walk<'a> {
    pub(super) was: Described,
    pub(super) held: Observed,
    pub(super) now: Observed,
    pub(super) wanted: Described,
    /// True if there is a record of a completed start.
    pub(super) recorded: bool,
    pub(super) before: &'a Before,
    target: Option<Target>,
    pub(super) redirect_moves: bool,
    /// Deleted classes.
    pub(super) gone: BTreeSet<(ShownDevice, String)>,
    /// Price and cause if a direction is rebuilt, uploads first.
    rebuilt: [Option<(Price, Cause)>; 2],
    pub(super) steps: Vec<Step>,
}

/// Properties of a step besides its command.
#[derive(Clone)]
pub(super) struct StepFacts {
    pub(super) object: Object,
    pub(super) price: Price,
    pub(super) cause: Cause,
    pub(super) values: Vec<Value>,
    pub(super) drift: Vec<Value>,
}

impl StepFacts {
    pub(super) fn new(object: Object, price: Price, cause: Cause) -> StepFacts {
        StepFacts { object, price, cause, values: Vec::new(), drift: Vec::new() }
    }
}

/// Placeholder of a device in the script's lines.
pub(super) const fn role(dev: Dev) -> &'static str {
    match dev {
        Dev::Wan => "@wan",
        Dev::Ifb => "@ifb",
    }
}

impl Walk<'_> {
    fn all(&mut self) {
        self.choose_ifb();
        self.links();
        let mut hooked = self.before.hooked.clone();
        if self.before.evict_hook {
            let price = Price::in_place("`--take-over` deletes it with the filters that other tools added");
            let kind = StepFacts::new(Object::Hooks, price, Cause::Drift);
            self.say(Tool::Tc, &format!("qdisc del dev @wan {hooked}"), "", kind);
            self.now.forget_hooks();
            hooked.clear();
        }
        let from = self.origin(Dev::Wan);
        if self.before.needs_hook && hooked.is_empty() {
            let kind =
                StepFacts::new(Object::Hooks, Price::in_place("no packet passes it yet"), self.hook_cause());
            self.say(Tool::Tc, "qdisc add dev @wan clsact", &from, kind);
        }
        if let Some(place) = self.target.as_ref().map(|target| target.place) {
            self.direction(Dev::Ifb, place);
        }
        self.direction(Dev::Wan, ShownDevice::Wan);
        // Filters of a new tunnel are added before the WAN's lists are switched, those of an old tunnel are deleted
        // afterwards. So each download is queued at all times: at the WAN device or behind its tunnel.
        let tunnels = self.now.tunnels.clone();
        let (on, off): (Vec<Hooked>, Vec<Hooked>) =
            tunnels.into_iter().partition(|own| !self.wanted.list(List::Tunnel(own.tunnel)).is_empty());
        on.iter().for_each(|own| self.tunnel_on(own));
        self.switch(List::Ingress, At::Ingress, At::Ingress);
        self.switch(List::Egress, At::Egress, At::Egress);
        off.iter().for_each(|own| self.tunnel_off(own));
        if !self.before.needs_hook && !hooked.is_empty() && self.before.hook_made {
            let kind = StepFacts::new(
                Object::Hooks,
                Price::in_place("no filters are attached to it any more"),
                Cause::File,
            );
            self.say(Tool::Tc, &format!("qdisc del dev @wan {hooked}"), &from, kind);
        }
        let target = self.target_name();
        for (name, up) in &self.before.ifbs {
            if *up > 0 && *name != target {
                let price = match self.rebuilt(Dev::Ifb) {
                    Some((price, _)) => price.clone(),
                    None if target.is_empty() => Price::rebuild("downloads are no longer shaped"),
                    None => Price::in_place("no packet passes it"),
                };
                let kind = StepFacts::new(Object::Ifb { name: name.clone() }, price, self.link_cause());
                self.say(Tool::Ip, &format!("link del dev {name}"), &from, kind);
            }
        }
    }

    /// Chooses the ifb for downloads. The current ifb stays unless its root must be rebuilt. In that case the other ifb
    /// gets the new tree, and the redirect switches to it when the tree is complete.
    fn choose_ifb(&mut self) {
        let Some(root) = self.wanted.ifb.root.as_ref().map(|line| line.words.clone()) else { return };
        let [(first, up1), (second, up2)] = &self.before.ifbs;
        let places = [
            if *up1 > 0 { ShownDevice::First } else { ShownDevice::Nothing },
            match (*up1 > 0, *up2 > 0) {
                (_, false) => ShownDevice::Nothing,
                (true, true) => ShownDevice::Second,
                (false, true) => ShownDevice::First,
            },
        ];
        let [one, two] = [(first, *up1, places[0]), (second, *up2, places[1])];
        let force = self.now.in_force(At::Ingress);
        let now_on = force.map_or("", |number| self.now.redirect(number)).to_owned();
        let fits = |place: ShownDevice| self.now.tree(place).fits(&root);
        let (mut chosen, mut current) = (None, ShownDevice::Nothing);
        for (own, other) in [(one, two), (two, one)] {
            if *own.0 == now_on && own.1 > 0 && !self.before.evict_hook {
                current = own.2;
                chosen = Some(if fits(own.2) { own } else { other });
            }
        }
        let usable = [one, two].into_iter().find(|own| own.1 > 0 && fits(own.2));
        let (name, up, place) = chosen.or(usable).unwrap_or(one);
        self.redirect_moves = now_on != *name;
        self.target = Some(Target { name: name.clone(), up, place, current });
    }

    fn links(&mut self) {
        if let Some(Target { name, up, .. }) = &self.target {
            let (name, up, from) = (name.clone(), *up, self.origin(Dev::Ifb));
            let kind = |walk: &Self, why| {
                StepFacts::new(Object::Ifb { name: name.clone() }, Price::in_place(why), walk.link_cause())
            };
            if up == 0 {
                let kind = kind(self, "no packet passes it yet");
                self.say(Tool::Ip, &format!("link add name {name} type ifb"), &from, kind);
            }
            if up < 2 {
                let words = format!("link set dev {name} txqueuelen 1000 alias qosc-{} up", self.before.link);
                let kind = kind(self, "downloads pass it from now on");
                self.say(Tool::Ip, &words, &from, kind);
            }
        }
        let (queue, want) = self.before.queue.clone();
        if !want.is_empty() && want != queue {
            let mut kind = StepFacts::new(
                Object::Txqueuelen,
                Price::in_place("no packet waits in the device's own queue"),
                Cause::File,
            );
            kind.values.push(Value { field: "txqueuelen".to_owned(), old: queue, new: want.clone() });
            self.say(Tool::Ip, &format!("link set dev @wan txqueuelen {want}"), &self.origin(Dev::Wan), kind);
        }
    }

    pub(super) fn origin(&self, dev: Dev) -> String {
        self.wanted.tree(dev).root.as_ref().map(|line| line.from.clone()).unwrap_or_default()
    }

    pub(super) fn target_place(&self) -> ShownDevice {
        self.target.as_ref().map_or(ShownDevice::Nothing, |target| target.place)
    }

    /// Position of a direction's current tree, even if its new tree is built on another device.
    pub(super) fn current_place(&self, dev: Dev, place: ShownDevice) -> ShownDevice {
        match (&self.target, dev) {
            (Some(target), Dev::Ifb) if target.current != ShownDevice::Nothing => target.current,
            _ => place,
        }
    }

    pub(super) fn target_name(&self) -> String {
        self.target.as_ref().map(|target| target.name.clone()).unwrap_or_default()
    }

    /// Position of a filter list after the last completed start.
    pub(super) fn held_at(&self, list: List) -> At {
        match list {
            List::Root(dev) => At::Root(held_place(dev)),
            List::Ingress => At::Ingress,
            List::Egress => At::Egress,
            List::Tunnel(tunnel) => At::Tunnel(tunnel),
        }
    }

    pub(super) fn rebuilt(&self, dev: Dev) -> Option<&(Price, Cause)> {
        let [wan, ifb] = &self.rebuilt;
        if dev == Dev::Wan { wan.as_ref() } else { ifb.as_ref() }
    }

    pub(super) fn set_rebuilt(&mut self, dev: Dev, why: (Price, Cause)) {
        let [wan, ifb] = &mut self.rebuilt;
        *(if dev == Dev::Wan { wan } else { ifb }) = Some(why);
    }

    /// Returns the cause of a difference. `file` is true if the description changed since the last start, `drift` if
    /// the kernel's object changed since then.
    pub(super) const fn cause(&self, file: bool, drift: bool) -> Cause {
        match (self.recorded, file, drift) {
            (false, _, _) => Cause::Unknown,
            (_, true, true) => Cause::Both,
            (_, false, true) => Cause::Drift,
            (_, _, false) => Cause::File,
        }
    }

    fn hook_cause(&self) -> Cause {
        let had = [List::Ingress, List::Egress].iter().any(|list| !self.was.list(*list).is_empty());
        if self.recorded && had { Cause::Drift } else { Cause::File }
    }

    /// Returns the cause of a step for an ifb. It is drift if the need for an ifb has not changed since the last start.
    fn link_cause(&self) -> Cause {
        match self.rebuilt(Dev::Ifb) {
            Some((_, cause)) => *cause,
            None if self.recorded && self.was.ifb.root.is_some() == self.wanted.ifb.root.is_some() => {
                Cause::Drift
            }
            None => Cause::File,
        }
    }

    pub(super) fn say(&mut self, tool: Tool, words: &str, from: &str, kind: StepFacts) {
        let mut words = words.replace("@wan", &self.before.wan).replace("@ifb", &self.target_name());
        while words.contains("  ") {
            words = words.replace("  ", " ");
        }
        let verb = words.split(' ').nth(1).unwrap_or_default().to_owned();
        let (word, comment) = (
            match tool {
                Tool::Tc => "tc",
                Tool::Ip => "ip",
            },
            if from.is_empty() { String::new() } else { format!(" # {from}") },
        );
        let StepFacts { object, price, cause, values, drift } = kind;
        // The text after the place concerns this step alone.
        let origin = from.find("), ").and_then(|end| from.get(..=end)).unwrap_or(from);
        self.steps.push(Step {
            tool,
            verb,
            object,
            name: name(origin).to_owned(),
            place: place(origin).map(str::to_owned),
            command: format!("{word} {words}{comment}"),
            price,
            cause,
            values,
            drift,
        });
    }

    /// Adds a described line as a step.
    pub(super) fn tc(&mut self, line: &Line, kind: StepFacts) {
        self.say(Tool::Tc, &line.words, &line.from, kind);
    }
}

/// Returns the object of a filter list.
pub(super) fn filters_of(list: List) -> Object {
    let (dev, hook) = match list {
        List::Tunnel(tunnel) => return Object::Tunnel { device: tunnel.to_string() },
        List::Root(dev) => (dev, Hook::Root),
        List::Ingress => (Dev::Wan, Hook::Ingress),
        List::Egress => (Dev::Wan, Hook::Egress),
    };
    Object::Filters { dev, hook }
}

/// Offset of a bank's preferences. Described lines have those of bank one; the preferences of bank two are higher.
pub(super) const fn shift(list: List, number: Number) -> u32 {
    match (number, list) {
        (Number::One, _) => 0,
        (Number::Two, List::Root(_)) => crate::tc::ROOT_BANK as u32,
        (Number::Two, List::Ingress | List::Egress | List::Tunnel(_)) => crate::tc::HOOK_BANK as u32,
    }
}
